#include "run/replay.hpp"

#include "run/digest.hpp"
#include "run/story.hpp"
#include "stall/cause.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;

namespace {

std::vector<pipeline::notice> replayed(const header& about, const std::vector<happening>& story,
                                       const replay_settings& how = {}) {
    replay again(about, how);
    std::vector<pipeline::notice> said;
    for (const happening& one : story) again.hear(one, said);
    return said;
}

std::size_t closed_stalls(const std::vector<pipeline::notice>& said) {
    std::size_t count = 0;
    for (const pipeline::notice& one : said) {
        const auto* stalled = std::get_if<pipeline::stall_notice>(&one.what);
        if (stalled != nullptr && stalled->happened.what == stall::change::closed) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a replay says what the pipeline said live") {
    header about = some_header();
    about.poll = 1s;
    const std::vector<happening> story = losing_story(about, 6);
    pipeline::vm_pipeline live("x", {about.interval, about.poll});
    std::vector<pipeline::notice> said;
    for (const happening& one : story) {
        if (const auto* counters = std::get_if<sample::sample>(&one)) live.sampled(*counters, said);
        if (const auto* poll = std::get_if<sample::poll_result>(&one)) live.poll_ended(*poll);
        if (const auto* change = std::get_if<sample::monitor_change>(&one)) live.monitor_changed(*change, said);
        if (const auto* state = std::get_if<sample::run_state_change>(&one)) live.run_state_changed(*state, said);
        if (const auto* drives = std::get_if<sample::inventory>(&one)) live.inventory_changed(*drives);
        if (const auto* vm = std::get_if<sample::vm_identity>(&one)) {
            live.identified(*vm);
            live.rename(vm->vm);
        }
    }
    const std::vector<pipeline::notice> again = replayed(about, story);
    REQUIRE(again.size() == said.size());
    CHECK(closed_stalls(again) == 6);
    for (std::size_t i = 0; i < said.size(); ++i) {
        CAPTURE(i);
        CHECK(again[i].time == said[i].time);
        CHECK(again[i].elapsed == said[i].elapsed);
        CHECK(again[i].vm == "installer");
        CHECK(again[i].what.index() == said[i].what.index());
        const auto* a = std::get_if<pipeline::stall_notice>(&again[i].what);
        const auto* b = std::get_if<pipeline::stall_notice>(&said[i].what);
        if (a != nullptr) {
            CHECK(a->happened.length == b->happened.length);
            CHECK(a->start_elapsed == b->start_elapsed);
            CHECK(a->happened.level == b->happened.level);
        }
    }
}

TEST_CASE("thinned, it says what a slower poll would have said") {
    header about = some_header();
    about.poll = 250ms;
    const std::vector<happening> story = losing_story(about, 6);
    std::size_t rates = 0;
    const auto every_two = replayed(about, story, {2s, std::nullopt});
    CHECK(closed_stalls(every_two) >= 5);
    const auto coarse = replayed(about, story, {15s, std::nullopt});
    CHECK(closed_stalls(coarse) == 0);
    for (const pipeline::notice& one : coarse) {
        if (const auto* rate = std::get_if<pipeline::rate_notice>(&one.what); rate != nullptr && rate->rate) {
            ++rates;
            CHECK(rate->rate->window == 15s);
        }
    }
    CHECK(rates >= 3);
    // An interval shorter than the distance of samples cannot be.
    CHECK(replay(about, {60s, 15s}).windows().interval == 60s);
}

TEST_CASE("the digest holds what happened") {
    support::temporary_folder folder;
    header about = some_header();
    about.poll = 1s;
    std::vector<happening> story = losing_story(about, 6);
    story.insert(story.begin() + 100, marker{"half way", moment(about, 20s)});
    story.insert(story.begin() + 101, sample::qmp_event{"RESUME", "", moment(about, 21s)});
    end how;
    how.reason = end_reason::guest_shutdown;
    how.at = moment(about, 80s);
    const std::string path = (folder.path() / "a.run").string();
    std::ofstream(path) << file_of(about, story, how);
    const auto made = read_digest(path);
    REQUIRE(made.has_value());
    CHECK(made->vm.name == "installer");
    REQUIRE(made->drives.size() == 1);
    CHECK(made->drives[0].drive == "install_media");
    CHECK(made->drives[0].info.attachment.device == "usb-storage");
    CHECK(made->samples > 200);
    CHECK(made->drives[0].moved.points().size() == made->samples);
    REQUIRE(made->stalls.size() == 6);
    CHECK(made->stalls[0].cause == stall::cause::lost_completion);
    CHECK(base::in_seconds(made->stalls[0].length) == doctest::Approx(10.05).epsilon(0.02));
    CHECK(base::in_seconds(made->stalls[0].start) == doctest::Approx(1.08).epsilon(0.05));
    for (std::size_t i = 1; i < made->stalls.size(); ++i) CHECK(made->stalls[i].start > made->stalls[i - 1].start);
    CHECK(made->intervals.size() == static_cast<std::size_t>(made->watched() / 15s));
    const auto marked = std::find_if(made->marks.begin(), made->marks.end(),
                                     [](const mark& one) { return one.what == mark::kind::marker; });
    REQUIRE(marked != made->marks.end());
    CHECK(marked->text == "half way");
    CHECK(marked->elapsed == 20s);
    CHECK(std::any_of(made->marks.begin(), made->marks.end(),
                      [](const mark& one) { return one.what == mark::kind::event && one.text == "RESUME"; }));
    CHECK(std::any_of(made->findings.begin(), made->findings.end(),
                      [](const stall::finding& one) { return one.id == "usb_storage_lost_completion"; }));
}

TEST_CASE("a digest remembers a medium that was ejected, and the last of several") {
    support::temporary_folder folder;
    const header about = some_header();
    std::vector<happening> story;
    const auto sampled_with = [&](base::nanoseconds since, const sample::drive_media& media, std::string node) {
        sample::drive_info drive;
        drive.identity = {"cd0", "/machine/peripheral/cd0", std::move(node)};
        drive.attachment = {"ide-cd", "ich9-ahci"};
        drive.media = media;
        story.push_back(sample::inventory{drive});
        sample::sample counters;
        counters.at = moment(about, since);
        counters.drives = {{drive.identity, {}}};
        story.push_back(counters);
    };
    const sample::drive_media first{"first.iso", "raw", true, true, true, 1000, {}, "sampled-sha256:1"};
    const sample::drive_media second{"second.iso", "raw", true, true, true, 2000, {}, "sampled-sha256:2"};
    sample::drive_media none;
    none.removable = true;
    const auto medium_of = [&] {
        const std::string path = (folder.path() / "a.run").string();
        std::ofstream(path) << file_of(about, story, {});
        const auto made = read_digest(path);
        REQUIRE(made.has_value());
        REQUIRE(made->drives.size() == 1);
        return made->drives[0].info.media;
    };
    sampled_with(1s, none, "");
    CHECK(medium_of() == none);
    sampled_with(2s, first, "#block1");
    CHECK(medium_of() == first);
    sampled_with(3s, none, "");
    CHECK(medium_of() == first);
    sampled_with(4s, second, "#block2");
    sampled_with(5s, none, "");
    CHECK(medium_of() == second);
}
