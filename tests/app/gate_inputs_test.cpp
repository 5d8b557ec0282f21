#include "app/gate_inputs.hpp"

#include "app/baseline_folder.hpp"
#include "app/whole_file.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace qmpwatch;
using app::gate_request;
using support::has;

namespace {

namespace files = std::filesystem;

constexpr double copy_seconds = 12;  // long enough to count as a copy

struct run_folder {
    support::temporary_folder root;

    std::string path(const std::string& name) const { return (root.path() / name).string(); }
    std::string run(const std::string& name, const std::string& bus = "usb-storage") const {
        return gate_test::write_run(root.path() / name, {.seconds = copy_seconds, .bus = bus});
    }
    void accept(const std::vector<std::string>& paths) const {
        const base::wall_time day = std::chrono::sys_days(std::chrono::year(2026) / 12 / 7);
        const auto accepted = app::accept_runs(path("baselines"), paths, {}, day);
        REQUIRE_MESSAGE(accepted.has_value(), accepted.error().message);
    }
};

gate_request request(std::vector<std::string> candidates, std::vector<std::string> baselines = {}) {
    gate_request made;
    made.candidates = std::move(candidates);
    made.baselines = std::move(baselines);
    made.last = 2;
    return made;
}

std::vector<std::string> ids(const std::vector<gate::input>& runs) {
    std::vector<std::string> made;
    for (const gate::input& each : runs) made.push_back(each.digest.info.about.id);
    return made;
}

std::string refusal(const gate_request& what) {
    const auto read = app::read_gate_inputs(what);
    REQUIRE(read.has_error());
    return read.error().message;
}

}  // namespace

TEST_CASE("files and plain folders give all their runs") {
    const run_folder its;
    files::create_directory(its.path("old"));
    const std::string b = its.run("old/b.run.gz"), a = its.run("old/a.run"), c = its.run("c.run"), d = its.run("d.run");
    REQUIRE(app::write_whole_file(its.path("old/notes.txt"), "no run").has_value());
    files::create_directory(its.path("old/more.run"));
    const auto read = app::read_gate_inputs(request({c}, {d, its.path("old")}));
    REQUIRE_MESSAGE(read.has_value(), read.error().message);
    REQUIRE(read->candidates.size() == 1);
    REQUIRE(read->baselines.size() == 3);
    CHECK(read->candidates[0].path() == c);
    CHECK(read->candidates[0].sha256.size() == 64);
    CHECK(read->baselines[0].path() == d);
    CHECK(read->baselines[1].path() == a);
    CHECK(read->baselines[2].path() == b);
    CHECK(read->notes.empty());
    CHECK(app::read_gate_inputs(request({its.path("old")}))->candidates.size() == 2);
    CHECK(app::read_gate_inputs(request({c}))->baselines.empty());
}

TEST_CASE("of a baseline folder the last of the candidates' kind are taken") {
    const run_folder its;
    its.accept(
        {its.run("1.run"), its.run("2.run", "nvme"), its.run("3.run"), its.run("4.run"), its.run("5.run", "nvme")});
    const auto accepted = app::read_needed_index(its.path("baselines")).value();
    const std::string usb = its.run("usb.run"), nvme = its.run("nvme.run", "nvme"), ide = its.run("ide.run", "ide-cd");

    const auto by_usb = app::read_gate_inputs(request({usb}, {its.path("baselines")}));
    REQUIRE_MESSAGE(by_usb.has_value(), by_usb.error().message);
    CHECK(ids(by_usb->baselines) == std::vector{accepted[2].id, accepted[3].id});
    // The first candidate decides; what does not fit it is for the gate to say.
    CHECK(ids(app::read_gate_inputs(request({nvme, usb}, {its.path("baselines")}))->baselines) ==
          std::vector{accepted[1].id, accepted[4].id});

    gate_request other = request({ide}, {its.path("baselines")});
    const std::string sentence = refusal(other);
    CHECK(has(sentence, "has no accepted run of the kind of " + ide + " (media="));
    CHECK(has(sentence, "it has those of (media="));
    CHECK(has(sentence, "qmpwatch baseline accept " + its.path("baselines") + " RUN..."));
    other.has_allowed_mismatch = true;
    const auto allowed = app::read_gate_inputs(other);
    REQUIRE_MESSAGE(allowed.has_value(), allowed.error().message);
    CHECK(ids(allowed->baselines) == std::vector{accepted[1].id, accepted[4].id});
    REQUIRE(allowed->notes.size() == 1);
    CHECK(has(allowed->notes[0], "bus=nvme"));
    // Where there are runs of the same kind, these are meant.
    gate_request same = request({usb}, {its.path("baselines")});
    same.has_allowed_mismatch = true;
    CHECK(ids(app::read_gate_inputs(same)->baselines) == std::vector{accepted[2].id, accepted[3].id});

    const auto calibrated = app::read_calibration(its.path("baselines"));
    REQUIRE(calibrated.has_value());
    CHECK(ids(calibrated->baselines) == std::vector{accepted[1].id, accepted[4].id});
    REQUIRE(calibrated->notes.size() == 1);
    CHECK(has(calibrated->notes[0], "only the 2 runs of the kind that was accepted last"));
}

TEST_CASE("retired runs do not count, and accepted ones must be what they were") {
    const run_folder its;
    its.accept({its.run("1.run"), its.run("2.run")});
    const std::string folder = its.path("baselines"), candidate = its.run("candidate.run");
    const auto accepted = app::read_needed_index(folder).value();
    files::copy_file(candidate, app::path_in(folder, accepted[1].file), files::copy_options::overwrite_existing);
    CHECK(has(refusal(request({candidate}, {folder})), "is not what was accepted"));
    CHECK(app::read_calibration(folder).has_error());
    REQUIRE(app::retire_runs(folder, {accepted[1].file}, true, {}).has_value());
    CHECK(app::read_gate_inputs(request({candidate}, {folder}))->baselines.size() == 1);
    files::remove(app::path_in(folder, accepted[0].file));
    CHECK(has(refusal(request({candidate}, {folder})), "bring it back, or take it out with: qmpwatch baseline retire"));
    REQUIRE(app::retire_runs(folder, {accepted[0].file}, false, {}).has_value());
    CHECK(has(refusal(request({candidate}, {folder})), "it has none that counts"));
    CHECK(has(app::read_calibration(folder).error().message, "all were retired"));
    CHECK(has(refusal(request({folder})), "is a folder of accepted baselines"));
}

TEST_CASE("what cannot be read is named") {
    const run_folder its;
    const std::string good = its.run("good.run");
    files::create_directory(its.path("empty"));
    REQUIRE(app::write_whole_file(its.path("text.run"), "hello\n").has_value());
    CHECK(has(refusal(request({its.path("absent.run")})), its.path("absent.run")));
    CHECK(has(refusal(request({good}, {its.path("absent.run")})), its.path("absent.run")));
    CHECK(has(refusal(request({its.path("text.run")})), its.path("text.run")));
    CHECK(has(refusal(request({its.path("empty")})), "has no runs in it"));
    CHECK(has(refusal(request({good}, {its.path("empty")})), "has no runs in it"));
    CHECK(has(refusal(request({"-"})), "not standard input"));
    CHECK(has(app::read_calibration(its.path("empty")).error().message, "has no runs in it"));
    CHECK(has(app::read_calibration(its.path("absent")).error().message, "there is no folder"));
    CHECK(app::read_calibration(its.root.path().string()).has_error());  // text.run is in it
}
