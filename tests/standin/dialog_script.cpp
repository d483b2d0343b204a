#include <PRM/PRM_TemplateBuilder.h>
#include <standin/dialog_script.h>
#include <standin/standin.h>

#include <cctype>
#include <set>
#include <stdexcept>

namespace standin {

namespace {
[[noreturn]] void fail(const std::string& text) { throw std::runtime_error("dialog script: " + text); }

const std::set<std::string>& knownTypes() {
    static const std::set<std::string> types = {"integer", "float", "toggle", "string", "ordinal", "vector", "intvector", "file", "button", "label", "separator", "color", "log"};
    return types;
}

struct Token {
    std::string text;
    bool quoted = false;

    bool is(const char* word) const { return !quoted && text == word; }
};

std::vector<Token> tokenize(const std::string& script) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < script.size();) {
        const char c = script[i];
        if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (c == '{' || c == '}') {
            tokens.push_back({std::string(1, c), false});
            ++i;
        } else if (c == '"') {
            Token t{"", true};
            for (++i; i < script.size() && script[i] != '"'; ++i) {
                if (script[i] == '\\' && i + 1 < script.size()) ++i;
                if (script[i] == '\n') fail("a text goes over a line: " + t.text);
                t.text += script[i];
            }
            if (i >= script.size()) fail("a text has no end: " + t.text);
            ++i;
            tokens.push_back(t);
        } else {
            Token t;
            while (i < script.size() && !std::isspace(static_cast<unsigned char>(script[i])) && script[i] != '{' && script[i] != '}') t.text += script[i++];
            tokens.push_back(t);
        }
    }
    return tokens;
}

class Parser {
  public:
    explicit Parser(const std::string& script) : tokens_(tokenize(script)) {}

    std::vector<Parm> run() {
        expect("{");
        parseBody();
        if (at_ != tokens_.size()) fail("there is something behind the last brace");
        return parms_;
    }

  private:
    const Token& peek() const {
        if (at_ >= tokens_.size()) fail("it ends too early");
        return tokens_[at_];
    }
    Token next() {
        const Token t = peek();
        ++at_;
        return t;
    }
    void expect(const char* word) {
        const Token t = next();
        if (!t.is(word)) fail("'" + t.text + "' stands where '" + word + "' should");
    }
    std::string text() {
        const Token t = next();
        if (t.is("{") || t.is("}")) fail("a brace stands where a text should");
        return t.text;
    }

    void parseBody() {
        while (!peek().is("}")) {
            const std::string word = text();
            if (word == "name" || word == "label" || word == "script")
                text();
            else if (word == "parm")
                parseParm();
            else if (word == "group" || word == "groupsimple" || word == "groupcollapsible") {
                expect("{");
                parseBody();
            } else
                fail("unknown word '" + word + "'");
        }
        expect("}");
    }

    void parseParm() {
        expect("{");
        Parm p;
        while (!peek().is("}")) {
            const std::string word = text();
            if (word == "name")
                p.name = text();
            else if (word == "label")
                p.label = text();
            else if (word == "type")
                p.type = text();
            else if (word == "size")
                p.size = std::stoi(text());
            else if (word == "help")
                p.help = text();
            else if (word == "disablewhen" || word == "hidewhen")
                p.disableWhen = text();
            else if (word == "default")
                p.defaults = list();
            else if (word == "range")
                parseRange(p);
            else if (word == "menu")
                parseMenu(p);
            else if (word == "joinnext" || word == "invisible" || word == "nolabel")
                ;
            else if (word == "parmtag")
                list();
            else
                fail("parameter '" + p.name + "': unknown word '" + word + "'");
        }
        expect("}");
        check(p);
        parms_.push_back(p);
    }
    std::vector<std::string> list() {
        expect("{");
        std::vector<std::string> items;
        while (!peek().is("}")) items.push_back(text());
        expect("}");
        return items;
    }
    void parseRange(Parm& p) {
        const std::vector<std::string> ends = list();
        if (ends.size() != 2) fail("parameter '" + p.name + "': a range has two ends");
        p.minimum = ends[0];
        p.maximum = ends[1];
        const auto harden = [](std::string& end, bool& hard) {
            hard = !end.empty() && end.back() == '!';
            if (hard) end.pop_back();
        };
        harden(p.minimum, p.hardMinimum);
        harden(p.maximum, p.hardMaximum);
    }
    void parseMenu(Parm& p) {
        const std::vector<std::string> items = list();
        if (items.size() % 2 != 0) fail("parameter '" + p.name + "': a menu has a token and a label for every entry");
        std::set<std::string> tokens;
        for (std::size_t i = 0; i < items.size(); i += 2) {
            if (!tokens.insert(items[i]).second) fail("parameter '" + p.name + "': a menu has '" + items[i] + "' twice");
            p.menu.emplace_back(items[i], items[i + 1]);
        }
    }
    void check(const Parm& p) {
        if (p.name.empty() || std::isdigit(static_cast<unsigned char>(p.name[0]))) fail("a parameter has no name, or one that begins with a digit");
        for (const char c : p.name)
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') fail("parameter '" + p.name + "': a name has letters, digits and _ alone");
        if (!names_.insert(p.name).second) fail("parameter '" + p.name + "' is there twice");
        if (knownTypes().count(p.type) == 0) fail("parameter '" + p.name + "': unknown type '" + p.type + "'");
        if (p.label.empty()) fail("parameter '" + p.name + "' has no label");
        if (p.type == "ordinal" && p.menu.empty()) fail("parameter '" + p.name + "' is a choice without a menu");
        if (!p.defaults.empty() && static_cast<int>(p.defaults.size()) != p.size) fail("parameter '" + p.name + "' has another number of defaults than values");
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::vector<Parm> parms_;
    std::set<std::string> names_;
};
}  // namespace

std::vector<Parm> parseDialogScript(const std::string& script) { return Parser(script).run(); }

}  // namespace standin

PRM_TemplateBuilder::PRM_TemplateBuilder(const UT_StringHolder& file, const char* script) {
    try {
        for (standin::Parm& p : standin::parseDialogScript(script)) templates_.emplace_back(std::move(p));
    } catch (const std::exception& e) {
        standin::violation(file.toStdString() + ": " + e.what());
    }
    templates_.emplace_back();
}
