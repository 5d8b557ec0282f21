// JSON Lines: each line is cut into its members without a document being built of it, because replies are long and
// nested, and only their counters are wanted.
#include "run/import.hpp"

#include "base/json.hpp"
#include "run/import_parts.hpp"
#include "sample/blockstats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qmpwatch::run {
namespace {

using nlohmann::json;

constexpr std::string_view blanks = " \t\r";
/// 31 years: more than any clock that counts from something else than 1970 shows, and what fits into nanoseconds.
constexpr double most_seconds = 1e9;
constexpr std::size_t most_depth = 100;   ///< of the data of an event, which have two or three levels
constexpr double latest_seconds = 5e9;  ///< since 1970: the year 2128

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size())); }

/// Takes a string with its quotes; empty when there is none.
std::string_view take_string(std::string_view& text) {
    if (!text.starts_with('"')) return {};
    for (std::size_t place = 1; place < text.size(); ++place) {
        if (text[place] == '\\') {
            ++place;
        } else if (text[place] == '"') {
            const std::string_view taken = text.substr(0, place + 1);
            text.remove_prefix(taken.size());
            return taken;
        }
    }
    return {};
}

/// Takes one value of any kind. It ends where its brackets are closed; what is in them is looked at by those who need
/// it. Empty when it does not end.
std::string_view take_value(std::string_view& text) {
    if (text.starts_with('"')) return take_string(text);
    std::string_view rest = text;
    std::size_t depth = 0;
    while (!rest.empty()) {
        const char c = rest.front();
        if (c == '"') {
            if (take_string(rest).empty()) return {};
            continue;
        }
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) break;
            --depth;
        } else if (c == ',' && depth == 0) {
            break;
        }
        rest.remove_prefix(1);
        if (depth == 0 && (c == '}' || c == ']')) break;
    }
    if (depth > 0) return {};
    const std::string_view taken = text.substr(0, text.size() - rest.size());
    text = rest;
    return taken;
}

/// The members of an object, names without quotes, values as they stand; none when the text is no whole object.
std::optional<std::vector<std::pair<std::string_view, std::string_view>>> members_of(std::string_view text) {
    std::vector<std::pair<std::string_view, std::string_view>> members;
    skip_blanks(text);
    if (!text.starts_with('{')) return std::nullopt;
    char before = '{';
    while (true) {
        text.remove_prefix(1);
        skip_blanks(text);
        if (before == '{' && text.starts_with('}')) break;
        const std::string_view name = take_string(text);
        skip_blanks(text);
        if (name.empty() || !text.starts_with(':')) return std::nullopt;
        text.remove_prefix(1);
        skip_blanks(text);
        const std::string_view value = take_value(text);
        skip_blanks(text);
        if (value.empty() || text.empty() || (text.front() != ',' && text.front() != '}')) return std::nullopt;
        members.emplace_back(name.substr(1, name.size() - 2), value);
        before = text.front();
        if (before == '}') break;
    }
    text.remove_prefix(1);
    skip_blanks(text);
    if (!text.empty()) return std::nullopt;
    return members;
}

/// The elements of an array as they stand; as many as can be told apart.
std::vector<std::string_view> elements_of(std::string_view text) {
    std::vector<std::string_view> elements;
    if (!text.starts_with('[')) return elements;
    do {
        text.remove_prefix(1);
        skip_blanks(text);
        const std::string_view value = take_value(text);
        if (value.empty()) break;
        elements.push_back(value);
        skip_blanks(text);
    } while (text.starts_with(','));
    return elements;
}

/// How deep brackets are nested in the text, give or take those in strings.
std::size_t depth_of(std::string_view text) {
    std::size_t depth = 0, most = 0;
    for (const char c : text) {
        if (c == '{' || c == '[') most = std::max(most, ++depth);
        if ((c == '}' || c == ']') && depth > 0) --depth;
    }
    return most;
}

std::optional<double> number_in(std::string_view text) {
    const json value = base::parse_json(text);
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (!std::isfinite(number)) return std::nullopt;
    return number;
}

std::optional<std::string> string_in(std::string_view text) {
    if (!text.starts_with('"')) return std::nullopt;
    const json value = base::parse_json(text);
    const auto* found = value.get_ptr<const json::string_t*>();
    return found == nullptr ? std::nullopt : std::optional(*found);
}

base::nanoseconds span_of(double seconds) {
    return base::nanoseconds(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

class lines_import {
public:
    void take(std::string_view line, bool is_torn);
    base::result<imported> finish();

private:
    void take_counters(std::string_view value, bool is_text, base::nanoseconds rtt);
    void take_event(std::string_view value);

    imported run_;
    sample::vm_identity vm_;
    sample::inventory known_;
    std::optional<double> zero_, last_;  ///< as `t` has them
    std::optional<double> wall_;         ///< at zero
    base::instant at_;
    std::size_t samples_ = 0, others_ = 0, backwards_ = 0, bad_ = 0;
    bool is_torn_ = false;
    bool is_used_ = false;  ///< something of the present line is in the story
};

void lines_import::take(std::string_view line, bool is_torn) {
    if (line.find_first_not_of(blanks) == std::string_view::npos) return;
    const auto members = members_of(line);
    if (!members) {
        if (is_torn) {
            is_torn_ = true;
        } else {
            ++others_;
        }
        return;
    }
    std::optional<double> time, wall;
    double rtt = 0;
    std::string_view counters, text, status, events, event;
    for (const auto& [name, value] : *members) {
        if (name == "t") time = number_in(value);
        if (name == "wall") wall = number_in(value);
        if (name == "rtt") rtt = number_in(value).value_or(0);
        if (name == "rtt_ms") rtt = number_in(value).value_or(0) / 1000;
        if (name == "blockstats" || name == "return") counters = value;
        if (name == "text") text = value;
        if (name == "status") status = value;
        if (name == "events") events = value;
        if (name == "event") event = value;
    }
    if (!time || !(*time >= 0 && *time < latest_seconds)) {
        ++others_;
        return;
    }
    if (last_ && *time < *last_) {
        ++backwards_;
        return;
    }
    if (zero_ && *time - *zero_ >= most_seconds) {
        ++others_;
        return;
    }
    if (!zero_) {
        zero_ = time;
        // Nothing that counts from a start or a boot has come that far.
        if (*time >= most_seconds) wall_ = time;
    }
    last_ = time;
    if (!wall_ && wall && *wall >= 0 && *wall < latest_seconds) wall_ = *wall - (*time - *zero_);
    at_ = moment(span_of(*time - *zero_));

    is_used_ = false;
    for (const std::string_view one : elements_of(events)) take_event(one);
    if (!event.empty()) take_event(event);
    const base::nanoseconds span = rtt > 0 && rtt < most_seconds ? span_of(rtt) : base::nanoseconds{};
    if (!counters.empty()) take_counters(counters, false, span);
    if (!text.empty()) take_counters(text, true, span);
    // Asked after the counters.
    if (auto state = string_in(status); state && !state->empty()) {
        run_.story.push_back(sample::run_state_change{std::move(*state), at_});
        is_used_ = true;
    }
    if (!is_used_) ++others_;
}

void lines_import::take_counters(std::string_view value, bool is_text, base::nanoseconds rtt) {
    sample::sample counters;
    counters.at = at_;
    counters.rtt = rtt;
    const std::optional<std::string> text = is_text ? string_in(value) : std::nullopt;
    if (is_text && !text) return;
    // Other commands are answered with arrays too.
    if (!is_text &&
        (!value.starts_with('[') || (value.find("\"stats\"") == value.npos && !elements_of(value).empty()))) {
        return;
    }
    const auto decoded = is_text ? sample::decode_hmp_blockstats(*text, counters.drives)
                                 : sample::decode_blockstats(value, counters.drives);
    if (!decoded) {
        ++bad_;
        is_used_ = true;
        return;
    }
    if (vm_.protocol.empty()) vm_.protocol = is_text ? "hmp" : "qmp";
    if (!is_text) {
        sample::inventory drives = inventory_of(counters);
        if (drives != known_) {
            known_ = drives;
            run_.story.push_back(std::move(drives));
        }
    }
    run_.story.push_back(std::move(counters));
    ++samples_;
    is_used_ = true;
}

/// The name of an event, or an event as QEMU sends it.
void lines_import::take_event(std::string_view value) {
    sample::qmp_event event;
    event.at = at_;
    if (auto name = string_in(value)) {
        event.name = std::move(*name);
    } else if (const auto members = members_of(value)) {
        for (const auto& [key, member] : *members) {
            if (key == "event") event.name = string_in(member).value_or("");
            if (key == "data" && depth_of(member) <= most_depth && base::is_json(member)) event.data = member;
        }
    }
    if (event.name.empty()) return;
    run_.story.push_back(std::move(event));
    is_used_ = true;
}

base::result<imported> lines_import::finish() {
    if (samples_ == 0) {
        return base::fail(base::errc::data,
                          "no line holds counters with a time: write one JSON object a line, {\"t\": SECONDS, "
                          "\"return\": [...]}, with what QEMU returns for query-blockstats");
    }
    const auto note = [this](std::size_t count, std::string_view one, std::string_view many) {
        if (count > 0) run_.notes.push_back(count == 1 ? std::string(one) : fmt::format(fmt::runtime(many), count));
    };
    note(others_, "one line is neither a reply with a time nor an event and was left out",
         "{} lines are neither replies with a time nor events and were left out");
    note(bad_, "one reply makes no sense and was left out", "{} replies make no sense and were left out");
    note(backwards_, "the clock goes back in one line, which was left out",
         "the clock goes back in {} lines, which were left out");
    if (is_torn_) run_.notes.emplace_back("the last line is torn and was left out");
    run_.about.has_wall_clock = false;
    if (wall_) {
        const auto since_1970 = std::chrono::duration_cast<base::wall_time::duration>(span_of(*wall_));
        set_wall_clock(run_, base::wall_time(since_1970));
    }
    complete(run_, vm_);
    return std::move(run_);
}

}  // namespace

base::result<imported> import_json_lines(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    lines_import all;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        all.take(line, text.empty());
    }
    return all.finish();
}

}  // namespace qmpwatch::run
