"""Every Python example of docs/python.md runs, in the order of the page, and what it says it prints is what it prints."""
import contextlib
import io
import os
import re

EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?", re.M | re.S)


def test_examples_of_the_page(tmp_path, root, monkeypatch):
    page = os.path.join(root, "docs", "python.md")
    with open(page) as f:
        examples = EXAMPLE.findall(f.read())
    assert len(examples) >= 6
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "docs"}
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        if expected:
            assert printed.getvalue() == expected, code


def test_every_name_is_on_the_page(root):
    import sunder

    with open(os.path.join(root, "docs", "python.md")) as f:
        text = f.read()
    missing = [name for name in dir(sunder) if not name.startswith("_") and name not in ("simulation",) and not re.search(r"\b%s\b" % name, text)]
    assert not missing
