#include "gate/baseline.hpp"

#include "base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace qmpwatch::gate {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view schema = "qmpwatch-baselines";
constexpr int schema_major = 1;

struct field {
    const char* key;
    std::string accepted_run::* text;
    bool is_needed;
};
constexpr std::array fields{
    field{"file", &accepted_run::file, true},
    field{"sha256", &accepted_run::sha256, true},
    field{"id", &accepted_run::id, false},
    field{"fingerprint", &accepted_run::fingerprint, true},
    field{"of", &accepted_run::fingerprint_text, false},
    field{"recorded", &accepted_run::recorded, false},
    field{"accepted", &accepted_run::accepted, true},
    field{"retired", &accepted_run::retired, false},
    field{"note", &accepted_run::note, false},
};

bool is_name_in_folder(std::string_view file) {
    return !file.empty() && file != "." && file != ".." && file.find('/') == std::string_view::npos &&
           file.find('\0') == std::string_view::npos;
}

base::result<accepted_run> read_run(const json& from, std::size_t number) {
    const auto broken = [&](std::string_view what) {
        return base::fail(base::errc::data, fmt::format("run {} of the index {}", number, what));
    };
    if (!from.is_object()) return broken("is no object");
    accepted_run made;
    for (const field& each : fields) {
        const auto found = from.find(each.key);
        if (found == from.end()) {
            if (each.is_needed) return broken(fmt::format("has no '{}'", each.key));
            continue;
        }
        if (!found->is_string()) return broken(fmt::format("has a '{}' that is no text", each.key));
        made.*each.text = found->get<std::string>();
    }
    if (!is_name_in_folder(made.file)) return broken("names a file that is not in the folder");
    return made;
}

}  // namespace

base::result<baseline_index> read_baseline_index(std::string_view text) {
    const json all = base::parse_ordered_json(text);
    const auto fail = [](std::string sentence) { return base::fail(base::errc::data, std::move(sentence)); };
    if (!all.is_object() || !all.contains("schema") || !all["schema"].is_object())
        return fail("this is no index of baselines");
    const json& about = all["schema"];
    if (!about.contains("name") || about["name"] != schema) return fail("this is no index of baselines");
    if (!about.contains("version") || !about["version"].is_number_integer()) return fail("the index has no version");
    if (about["version"].get<std::int64_t>() > schema_major) {
        return fail(fmt::format("the index is of version {}, this qmpwatch reads up to {}: use a newer one",
                                about["version"].get<std::int64_t>(), schema_major));
    }
    if (!all.contains("runs") || !all["runs"].is_array()) return fail("the index has no list of runs");
    baseline_index made;
    for (const json& each : all["runs"]) {
        base::result<accepted_run> one = read_run(each, made.size() + 1);
        if (one.has_error()) return one.error();
        made.push_back(std::move(*one));
    }
    return made;
}

std::string write_baseline_index(const baseline_index& index) {
    std::string text =
        fmt::format("{{\n \"schema\": {{\"name\": \"{}\", \"version\": {}}},\n \"runs\": [", schema, schema_major);
    bool is_first = true;
    for (const accepted_run& each : index) {
        json line;
        for (const field& one : fields) {
            const std::string& value = each.*one.text;
            if (one.is_needed || !value.empty()) line[one.key] = value;
        }
        text += is_first ? "\n  " : ",\n  ";
        text += base::json_text(line);
        is_first = false;
    }
    return text + "\n ]\n}\n";
}

std::vector<accepted_run> current_baselines(const baseline_index& index, std::string_view fingerprint,
                                            std::size_t most) {
    std::vector<accepted_run> made;
    for (auto each = index.rbegin(); each != index.rend() && made.size() < most; ++each) {
        if (each->retired.empty() && each->fingerprint == fingerprint) made.push_back(*each);
    }
    std::reverse(made.begin(), made.end());
    return made;
}

const accepted_run* latest_baseline(const baseline_index& index) {
    const auto found =
        std::find_if(index.rbegin(), index.rend(), [](const accepted_run& each) { return each.retired.empty(); });
    return found == index.rend() ? nullptr : &*found;
}

}  // namespace qmpwatch::gate
