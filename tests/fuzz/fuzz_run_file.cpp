// Run files, line by line: whatever was read is written and read again without a change.
#include "check.hpp"
#include "run/run_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace qmpwatch;

namespace {

struct file {
    std::optional<run::header> about;
    std::vector<run::happening> story;
    std::optional<run::end> ended;
};

file read(std::string_view text, bool is_ours) {
    file found;
    std::optional<run::line_reader> reader;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!reader) {
            auto about = run::line_reader::read_header(line);
            FUZZ_CHECK(about || !is_ours);
            if (!about) return found;
            found.about = std::move(*about);
            reader.emplace(*found.about);
            continue;
        }
        auto one = reader->read(line);
        FUZZ_CHECK(one || !is_ours);
        if (one && *one) found.story.push_back(std::move(**one));
    }
    if (reader) found.ended = reader->ended();
    return found;
}

std::string write(const file& what) {
    run::line_writer writer(*what.about);
    std::string text = writer.first_line();
    for (const run::happening& one : what.story) text += writer.write(one);
    if (what.ended) text += writer.last_line(*what.ended);
    return text;
}

bool is_same(const run::happening& left, const run::happening& right) {
    if (left.index() != right.index()) return false;
    const auto* counters = std::get_if<sample::sample>(&left);
    if (counters == nullptr) return true;
    const auto& drives = std::get<sample::sample>(right).drives;
    return std::equal(counters->drives.begin(), counters->drives.end(), drives.begin(), drives.end(),
                      [](const sample::drive_sample& one, const sample::drive_sample& other) {
                          return one.identity == other.identity && one.counters == other.counters;
                      });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const file first = read(std::string_view(reinterpret_cast<const char*>(data), size), false);
    if (!first.about) return 0;
    const std::string written = write(first);
    const file again = read(written, true);
    FUZZ_CHECK(again.about.has_value());
    FUZZ_CHECK(std::equal(first.story.begin(), first.story.end(), again.story.begin(), again.story.end(), is_same));
    FUZZ_CHECK(again.ended.has_value() == first.ended.has_value());
    FUZZ_CHECK(write(again) == written);
    return 0;
}
