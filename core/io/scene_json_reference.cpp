#include <algorithm>
#include <deque>
#include <functional>

#include "core/io/scene_json.h"
#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_schema.h"

namespace sunder {

namespace {
std::string numberText(double value) { return value >= 1e300 ? "never" : format("%.12g", value); }

std::string anchorOf(std::string title) {
    std::replace(title.begin(), title.end(), ' ', '-');
    return title;
}

/// Visitor that makes one table of an object and remembers the objects inside it.
class Documenter {
  public:
    /// Objects seen inside, each to be documented once, by title.
    using Queue = std::deque<std::function<void(Documenter&)>>;

    Documenter(Queue& queue, std::vector<std::string>& done) : queue_(queue), done_(done) {}
    std::string text() const { return rows_.empty() ? heading_ : heading_ + kTableHead + rows_; }

    void title(const char* title, const char* summary) {
        heading_ = format("### %s\n\n%s\n", title, summary);
    }
    void refused(const Field&) {}
    void number(const Field& f, const double& value) {
        row(f, "number", numberText(value / f.dimension.bareScale));
    }
    void numberUpTo(const Field& f, const double&, const char* limitKey, const double&) {
        row(f, "number", format("as `%s`", limitKey), format("from 0 to `%s`", limitKey));
    }
    void texts(const Field& f, const std::vector<std::string>& values) {
        std::string list;
        for (const std::string& value : values) list += (list.empty() ? "" : ", ") + format("\"%s\"", value.c_str());
        row(f, "text or list of texts", "[" + list + "]");
    }
    template <class T>
    void integer(const Field& f, const T& value) {
        row(f, "whole number", std::to_string(value));
    }
    void natural(const Field& f, const std::uint64_t& value) {
        row(f, "whole number", std::to_string(value));
    }
    void flag(const Field& f, const bool& value) { row(f, "true or false", value ? "true" : "false"); }
    void text(const Field& f, const std::string&) { row(f, "text", "none"); }
    template <int N>
    void vector(const Field& f, const Eigen::Matrix<double, N, 1>& value) {
        static_assert(N == 2 || N == 3);
        std::string list;
        for (const double v : value) list += format(list.empty() ? "%.12g" : ", %.12g", v / f.dimension.bareScale);
        const std::string count = N == 3 ? "three" : "two";
        row(f, f.uniform ? "number or " + count : count + " numbers", "[" + list + "]");
    }
    void points(const Field& f, const std::vector<Vec3>&) { row(f, "list of points, three numbers each", "empty"); }
    void integers(const Field& f, const std::array<int, 3>& v) {
        row(f, "whole number or three", format("[%d, %d, %d]", v[0], v[1], v[2]));
    }
    void preset(const Field& f, const Material&) { row(f, "text", "none"); }
    template <class T>
    void object(const Field& f, T&) {
        row(f, link<T>(), "as in its table");
    }
    template <class T>
    void list(const Field& f, std::vector<T>&) {
        row(f, "list of " + link<T>(), "empty");
    }
    template <class T>
    void choice(const Field& f, const T& value, const Choices<T>& choices) {
        std::vector<std::string> names;
        std::string fallback;
        for (const auto& c : choices) {
            names.push_back(format("`%s`", c.first));
            if (c.second == value) fallback = names.back();
        }
        row(f, orList(names), fallback);
    }
    template <class... Ts>
    void variant(const Field& f, std::variant<Ts...>&, const std::vector<const char*>& names) {
        std::vector<std::string> links = {link<Ts>()...};
        std::vector<std::string> words;
        for (std::size_t i = 0; i < names.size(); ++i)
            words.push_back(format("`%s`: %s", names[i], links[i].c_str()));
        row(f, "object with one key, " + orList(words), "");
    }

  private:
    static constexpr const char* kTableHead =
        "\n| key | value | unit | default | range | meaning |\n| --- | --- | --- | --- | --- | --- |\n";

    void row(const Field& f, const std::string& value, const std::string& fallback) {
        row(f, value, fallback, rangeText(f.range));
    }
    void row(const Field& f, const std::string& value, const std::string& fallback, const std::string& range) {
        rows_ += format("| `%s` | %s | %s | %s | %s | %s |\n", f.key, value.c_str(), f.dimension.unit,
                        f.required ? "required" : fallback.c_str(), range.c_str(), f.meaning);
    }

    /// A link to the table of T, which is queued if it is not there yet.
    template <class T>
    std::string link() {
        std::string title;
        TitleOf finder{title};
        T example{};
        describe(finder, example);
        if (std::find(done_.begin(), done_.end(), title) == done_.end()) {
            done_.push_back(title);
            queue_.push_back([](Documenter& documenter) {
                T value{};
                describe(documenter, value);
            });
        }
        return format("[%s](#%s)", title.c_str(), anchorOf(title).c_str());
    }

    struct TitleOf : KeyCollector {
        explicit TitleOf(std::string& t) : found(t) {}
        void title(const char* t, const char*) { found = t; }
        std::string& found;
    };

    Queue& queue_;
    std::vector<std::string>& done_;
    std::string heading_, rows_;
};
}  // namespace

std::string sceneReference() {
    Documenter::Queue queue;
    std::vector<std::string> done = {"scene"};
    queue.push_back([](Documenter& documenter) {
        Scene scene;
        describe(documenter, scene);
    });
    std::string text;
    for (; !queue.empty(); queue.pop_front()) {
        Documenter documenter(queue, done);
        queue.front()(documenter);
        text += (text.empty() ? "" : "\n") + documenter.text();
    }
    return text;
}

}  // namespace sunder
