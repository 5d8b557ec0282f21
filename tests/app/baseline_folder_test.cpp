#include "app/baseline_folder.hpp"

#include "app/whole_file.hpp"
#include "base/sha256.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace qmpwatch;
using app::acceptance;
using support::has;

namespace {

namespace files = std::filesystem;

/// Five seconds of a run: what is in it does not matter here.
const gate_test::made_run short_run{.seconds = 3};

struct baselines {
    support::temporary_folder root;
    std::string folder = (root.path() / "baselines").string();
    base::wall_time now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 7);

    std::string run(const std::string& name, const gate_test::made_run& what = short_run) const {
        return gate_test::write_run(root.path() / name, what);
    }
    auto accept(const std::vector<std::string>& paths, const acceptance& how = {}) const {
        return app::accept_runs(folder, paths, how, now);
    }
    auto retire(const std::vector<std::string>& names, bool remove = false) const {
        return app::retire_runs(folder, names, remove, now);
    }
    gate::baseline_index index() const { return app::read_needed_index(folder).value(); }
    std::set<std::string> names() const {
        std::set<std::string> made;
        if (!files::exists(folder)) return made;
        for (const auto& each : files::directory_iterator(folder)) made.insert(each.path().filename().string());
        return made;
    }
};

}  // namespace

TEST_CASE("accepted runs are copied and noted in the order in which they came") {
    const baselines its;
    const std::string one = its.run("one.run"), two = its.run("two.run.gz");
    const auto added = its.accept({one, two}, {.note = "QEMU 11.1"});
    REQUIRE_MESSAGE(added.has_value(), added.error().message);
    const gate::baseline_index index = its.index();
    REQUIRE(index.size() == 2);
    CHECK(index == *added);
    CHECK(index[0].file == "2026-11-01-" + index[0].id + ".run");
    CHECK(index[1].file == "2026-11-01-" + index[1].id + ".run.gz");
    CHECK(index[0].sha256 == base::sha256_of_file(one).value());
    CHECK(index[0].recorded == "2026-11-01T00:00:00.000Z");
    CHECK(index[0].accepted == "2026-12-07T00:00:00.000Z");
    CHECK(index[0].note == "QEMU 11.1");
    CHECK(index[0].fingerprint == index[1].fingerprint);
    CHECK(has(index[0].fingerprint_text, "accelerator=tcg"));
    CHECK(its.names() == std::set<std::string>{"baselines.json", index[0].file, index[1].file});
    for (const gate::accepted_run& each : index) CHECK(app::check_file(its.folder, each).has_value());

    REQUIRE(its.accept({its.run("three.run")}).has_value());
    CHECK(its.index().size() == 3);
    CHECK(its.index()[0] == index[0]);
    CHECK(app::runs_in(its.folder)->size() == 3);
}

TEST_CASE("a run that is in the folder already stays where it is") {
    const baselines its;
    files::create_directory(its.folder);
    const std::string path = its.run("baselines/mine.run");
    REQUIRE(its.accept({path}).has_value());
    CHECK(its.index()[0].file == "mine.run");
    CHECK(its.names() == std::set<std::string>{"baselines.json", "mine.run"});
}

TEST_CASE("what cannot be accepted is said, and nothing is") {
    const baselines its;
    const std::string good = its.run("good.run");
    gate_test::made_run unfinished = short_run;
    unfinished.ended_by.reset();
    gate_test::made_run cut = short_run;
    cut.cut_after = 2;
    REQUIRE(app::write_whole_file((its.root.path() / "no.run").string(), "hello\n").has_value());
    struct refused {
        std::string path;
        std::string says;
    };
    const std::vector<refused> all{
        {its.run("unfinished.run", unfinished), "unfinished.run has no end"},
        {its.run("cut.run", cut), "cut.run did not come to its own end (time-limit)"},
        {(its.root.path() / "no.run").string(), "no.run"},
        {(its.root.path() / "absent.run").string(), "absent.run"},
        {its.root.path().string(), "no ordinary file"},
        {good, "are the same run"},
        {"-", "not from standard input"},
    };
    for (const refused& each : all) {
        CAPTURE(each.path);
        const auto made = its.accept({good, each.path});
        REQUIRE(made.has_error());
        CHECK_MESSAGE(has(made.error().message, each.says), made.error().message);
        CHECK(its.names().empty());
    }
    CHECK(its.accept({all[1].path}, {.allow_incomplete = true}).has_value());
    CHECK(its.accept({all[0].path}, {.allow_incomplete = true}).has_error());
    const auto again = its.accept({good, all[1].path}, {.allow_incomplete = true});
    REQUIRE(again.has_error());
    CHECK(has(again.error().message, "is accepted already, as 2026-11-01-"));
    CHECK(its.index().size() == 1);
    CHECK(its.names().size() == 2);
}

TEST_CASE("nothing is left when the index cannot be written") {
    const baselines its;
    const std::string path = its.run("good.run");
    files::create_directories(files::path(its.folder) / "baselines.json");
    CHECK(its.accept({path}).has_error());
    CHECK(its.names() == std::set<std::string>{"baselines.json"});
}

TEST_CASE("runs are retired by name, by path and by id, and can be accepted anew") {
    const baselines its;
    const std::string one = its.run("one.run"), two = its.run("two.run"), three = its.run("three.run");
    REQUIRE(its.accept({one, two, three}).has_value());
    const gate::baseline_index before = its.index();
    REQUIRE(its.retire({before[0].file}).has_value());
    REQUIRE(its.retire({app::path_in(its.folder, before[1].file)}).has_value());
    REQUIRE(its.retire({before[2].id.substr(0, 6)}, true).has_value());
    const gate::baseline_index after = its.index();
    for (const gate::accepted_run& each : after) CHECK(each.retired == "2026-12-07T00:00:00.000Z");
    CHECK(its.names() == std::set<std::string>{"baselines.json", before[0].file, before[1].file});

    CHECK(its.retire({before[0].file}).error().message == before[0].file + " is retired already");
    // Its file can still be deleted, once.
    CHECK(its.retire({before[0].file}, true).has_value());
    CHECK(its.retire({before[0].file}, true).has_error());

    REQUIRE(its.accept({three, two}).has_value());
    const gate::baseline_index anew = its.index();
    REQUIRE(anew.size() == 3);
    CHECK(anew[0].id == before[0].id);
    CHECK(anew[1].id == before[2].id);
    CHECK(anew[1].retired.empty());
    CHECK(anew[2].file == before[1].file);
    CHECK(its.names() == std::set<std::string>{"baselines.json", before[1].file, before[2].file});
}

TEST_CASE("what is not to be retired is said, and nothing is") {
    const baselines its;
    CHECK(its.retire({"a"}).error().code == base::errc::absent);
    files::create_directory(its.folder);
    CHECK(has(its.retire({"a"}).error().message, "has no baselines.json"));
    REQUIRE(its.accept({its.run("one.run"), its.run("two.run")}).has_value());
    const gate::baseline_index index = its.index();
    for (const std::string& wrong : {std::string("nobody.run"), index[1].id.substr(0, 3), std::string(),
                                     (its.root.path() / index[1].file).string(), std::string("../baselines.json")}) {
        CAPTURE(wrong);
        const auto made = its.retire({index[0].file, wrong});
        REQUIRE(made.has_error());
        CHECK(has(made.error().message, "is no run of"));
        CHECK(its.index() == index);
    }
    gate::baseline_index alike = index;
    alike[1].id = alike[0].id.substr(0, 8) + "00000000";
    REQUIRE(app::write_whole_file(app::path_in(its.folder, "baselines.json"), gate::write_baseline_index(alike))
                .has_value());
    CHECK(has(its.retire({alike[0].id.substr(0, 8)}).error().message, "the ids of 2 runs begin with"));
}

TEST_CASE("a file that is gone or another one is noticed, with what to do") {
    const baselines its;
    REQUIRE(its.accept({its.run("one.run")}).has_value());
    const gate::accepted_run one = its.index()[0];
    const std::string path = app::path_in(its.folder, one.file);
    files::remove(path);
    const auto gone = app::check_file(its.folder, one);
    REQUIRE(gone.has_error());
    CHECK(gone.error().code == base::errc::absent);
    CHECK(has(gone.error().message, "qmpwatch baseline retire " + its.folder + " " + one.file));
    REQUIRE(app::write_whole_file(path, "another").has_value());
    const auto changed = app::check_file(its.folder, one);
    REQUIRE(changed.has_error());
    CHECK(changed.error().code == base::errc::data);
    CHECK(has(changed.error().message, "is not what was accepted"));
}

TEST_CASE("folders that are none, without an index, or with a broken one") {
    const baselines its;
    CHECK(app::read_index(its.folder).error().code == base::errc::absent);
    CHECK(app::runs_in(its.folder).error().code == base::errc::absent);
    files::create_directory(its.folder);
    CHECK_FALSE(app::read_index(its.folder)->has_value());
    CHECK(has(app::runs_in(its.folder).error().message, "has no runs in it"));
    const std::string file = app::path_in(its.folder, "baselines.json");
    CHECK(app::read_index(its.root.path().string() + "/nowhere").has_error());
    REQUIRE(app::write_whole_file(file, "{\"schema\": 7}").has_value());
    CHECK(app::read_index(its.folder).error().message == file + ": this is no index of baselines");
    CHECK(app::read_index(file).error().code == base::errc::usage);
    // A broken index is not written over.
    CHECK(its.accept({its.run("one.run")}).has_error());
    CHECK(its.names() == std::set<std::string>{"baselines.json"});
}

TEST_CASE("nothing of a hostile run gets into a file's name") {
    const baselines its;
    const std::string path = its.run("one.run");
    std::string text = support::file_content(path);
    const std::string id = its.accept({path})->front().id;
    text.replace(text.find(id), id.size(), "../../../../evil");
    const std::string evil = (its.root.path() / "evil.run").string();
    REQUIRE(app::write_whole_file(evil, text).has_value());
    const auto made = its.accept({evil});
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    CHECK(made->front().file == "2026-11-01-" + made->front().sha256.substr(0, 16) + ".run");
    CHECK(files::exists(app::path_in(its.folder, made->front().file)));
}
