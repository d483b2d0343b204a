#!/usr/bin/env bash
# Makes the project's own virtual environment, .venv/, with the tools that Debian does not package: mypy and the stubs of Houdini's `hou`.
# Only tests use it. Without a way to PyPI it fails, and the tests that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(mypy==1.18.2 types-houdini==21.0.512.3)
stamp=.venv/installed
if [ "$(cat "$stamp" 2>/dev/null)" = "${packages[*]}" ]; then
    exit 0
fi
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check --timeout 15 --retries 1 "${packages[@]}"
echo "${packages[*]}" > "$stamp"
