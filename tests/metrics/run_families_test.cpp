#include "metrics/run_families.hpp"

#include <doctest/doctest.h>
#include <prometheus/text_serializer.h>

#include <string>

using namespace qmpwatch;
using namespace std::chrono_literals;

namespace {

run::digest install() {
    run::digest of;
    of.vm.vm = "install\"er";
    of.vm.version = "7.2.22";
    of.info.about.id = "0123456789abcdef";
    of.info.about.labels = {{"medium", "usb"}, {"a-b", "1"}, {"a_b", "2"}};
    run::end how;
    how.reason = run::end_reason::guest_shutdown;
    of.info.ended = how;
    of.last_sample.steady += 100s;
    of.last_sample.wall += 1764555269s;
    run::drive_digest medium;
    medium.drive = "install_media";
    medium.info.attachment.device = "usb-storage";
    medium.info.media.inserted = medium.info.media.removable = true;
    for (int second = 0; second <= 100; ++second) {
        sample::drive_counters counters;
        const auto done = static_cast<std::uint64_t>(second) * 100;
        counters[sample::operation::read] = {done * 65536, done, done * 50000, 0, 0, 0};
        counters.idle = 0ns;
        medium.moved.add(std::chrono::seconds(second), counters);
    }
    of.drives.push_back(medium);
    run::stall_digest stalled;
    stalled.drive = "install_media";
    stalled.cause = stall::cause::lost_completion;
    stalled.start = 50s;
    stalled.length = 10s;
    of.stalls = {stalled, stalled};
    return of;
}

}  // namespace

TEST_CASE("the metrics of a run") {
    const run::digest of = install();
    const auto parts = run::find_all_phases(of);
    REQUIRE(parts.has_value());
    const std::string text =
        prometheus::TextSerializer().Serialize(metrics::run_families(of, run::summarize(of, *parts, 15s)));
    CAPTURE(text);
    const auto has = [&](const char* line) { return text.find(std::string(line) + '\n') != std::string::npos; };
    CHECK(has(R"(qmpwatch_run_complete{vm="install\"er"} 1)"));
    CHECK(has(R"(qmpwatch_run_seconds{vm="install\"er"} 100)"));
    CHECK(has(R"(qmpwatch_run_end_timestamp_seconds{vm="install\"er"} 1764555269)"));
    CHECK(has(R"(qmpwatch_run_read_bytes{vm="install\"er",drive="install_media"} 655360000)"));
    CHECK(has(R"(qmpwatch_run_stalls{vm="install\"er",drive="install_media",cause="lost_completion"} 2)"));
    CHECK(has(R"(qmpwatch_run_stall_seconds{vm="install\"er",drive="install_media",cause="lost_completion"} 20)"));
    CHECK(has(R"(qmpwatch_run_copy_bytes{vm="install\"er",drive="install_media"} 655360000)"));
    CHECK(text.find(R"(label_medium="usb",label_a_b="1"})") != std::string::npos);  // a label cannot be there twice
}
