// Files that people hand to `replay` and `report` instead of run files: logs of `info blockstats` and JSON Lines.
#include "check.hpp"
#include "run/import.hpp"
#include "run/stamp.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

using namespace qmpwatch;

namespace {

void check(const base::result<run::imported>& read) {
    if (!read) {
        FUZZ_CHECK(read.error().code == base::errc::data);
        FUZZ_CHECK(!read.error().message.empty());
        return;
    }
    FUZZ_CHECK(std::holds_alternative<sample::vm_identity>(read->story.at(0)));
    FUZZ_CHECK(read->about.poll > base::nanoseconds(0));
    FUZZ_CHECK(read->about.interval >= read->about.poll);
    bool has_sample = false;
    std::optional<base::steady_time> before = read->about.start.steady;
    for (const run::happening& one : read->story) {
        has_sample = has_sample || std::holds_alternative<sample::sample>(one);
        const std::optional<base::instant> at = run::time_of(one);
        if (!at) continue;
        FUZZ_CHECK(at->steady >= *before);
        FUZZ_CHECK(at->steady - read->about.start.steady == at->wall - read->about.start.wall);
        before = at->steady;
    }
    FUZZ_CHECK(has_sample);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    run::recognize(text);
    if (const auto found = run::find_stamp(text)) FUZZ_CHECK(found->value >= base::nanoseconds(0));
    check(run::import_json_lines(text));
    check(run::import_hmp_log(text));
    return 0;
}
