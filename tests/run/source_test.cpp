#include "run/source.hpp"

#include "run/output.hpp"
#include "run/story.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;

namespace {

struct outcome {
    std::optional<run_info> info;
    std::string failure;
    base::errc code = base::errc::io;
    std::size_t samples = 0, happenings = 0;
    int begun = 0;
};

outcome read_source(const std::string& path) {
    outcome seen;
    const auto result = read_run(
        path, [&](const header&) { ++seen.begun; },
        [&](const happening& one) {
            ++seen.happenings;
            if (std::holds_alternative<sample::sample>(one)) ++seen.samples;
        });
    if (result.has_value()) {
        seen.info = *result;
    } else {
        seen.failure = result.error().message;
        seen.code = result.error().code;
    }
    return seen;
}

class folder_of_runs {
public:
    std::string put(const std::string& name, const std::string& text) {
        const std::string path = (folder_.path() / name).string();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

private:
    support::temporary_folder folder_;
};

std::string whole_run() {
    const header about = some_header();
    end how;
    how.reason = end_reason::guest_shutdown;
    how.at = moment(about, 3s);
    return file_of(about, some_story(about), how);
}

std::size_t samples_in(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\"type\":\"sample\"", at)) != std::string::npos; ++at) {
        if (text.find('\n', at) != std::string::npos) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("a whole run") {
    folder_of_runs folder;
    const outcome seen = read_source(folder.put("a.run", whole_run()));
    REQUIRE(seen.info.has_value());
    CHECK(seen.begun == 1);
    CHECK(seen.samples == 3);
    CHECK(seen.happenings == some_story(some_header()).size());
    CHECK(seen.info->notes.empty());
    CHECK_FALSE(seen.info->is_imported);
    REQUIRE(seen.info->ended.has_value());
    CHECK(seen.info->ended->is_complete());
    // An editor of another system may have been there.
    std::string crlf;
    for (const char c : whole_run()) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const outcome other = read_source(folder.put("crlf.run", crlf));
    REQUIRE(other.info.has_value());
    CHECK(other.info->notes.empty());
    CHECK(other.happenings == seen.happenings);
}

TEST_CASE("cut anywhere, what was written before is there") {
    folder_of_runs folder;
    const header about = some_header();
    const std::string text = file_of(about, losing_story(about, 4), std::nullopt);
    const std::size_t least = text.find("\"type\":\"sample\"");
    std::mt19937 random(7);
    std::uniform_int_distribution<std::size_t> anywhere(text.find('\n', least) + 1, text.size() - 1);
    for (int i = 0; i < 200; ++i) {
        const std::string cut = text.substr(0, anywhere(random));
        CAPTURE(cut.size());
        const outcome seen = read_source(folder.put("cut.run", cut));
        REQUIRE(seen.info.has_value());
        const std::size_t whole = samples_in(cut);
        // What is torn may be whole but for its line end.
        CHECK(seen.samples >= whole);
        CHECK(seen.samples <= whole + 1);
        CHECK_FALSE(seen.info->ended.has_value());
        CHECK(seen.info->notes.back().starts_with("it has no end: the recorder was killed, or the file was cut, "));
    }
}

TEST_CASE("gzip, whole and cut anywhere") {
    folder_of_runs folder;
    const header about = some_header();
    const std::vector<happening> story = losing_story(about, 4);
    const std::string path = folder.path("a.run.gz");
    {
        auto out = output::create(path, false);
        REQUIRE(out.has_value());
        line_writer lines(about);
        REQUIRE((*out)->append(lines.first_line()).has_value());
        for (const happening& one : story) REQUIRE((*out)->append(lines.write(one)).has_value());
        end how;
        how.at = moment(about, 60s);
        REQUIRE((*out)->append(lines.last_line(how)).has_value());
        REQUIRE((*out)->close().has_value());
    }
    const outcome seen = read_source(path);
    REQUIRE(seen.info.has_value());
    CHECK(seen.info->notes.empty());
    CHECK(seen.info->ended.has_value());
    CHECK(seen.happenings == story.size());

    std::ifstream file(path, std::ios::binary);
    const std::string packed((std::istreambuf_iterator<char>(file)), {});
    CHECK(packed.size() < file_of(about, story, std::nullopt).size() / 2);
    std::mt19937 random(7);
    std::uniform_int_distribution<std::size_t> anywhere(1000, packed.size() - 1);
    std::size_t before = 0;
    for (std::size_t size = 1000; size < packed.size(); size += 97) {
        CAPTURE(size);
        const outcome cut = read_source(folder.put("cut.gz", packed.substr(0, size)));
        REQUIRE(cut.info.has_value());
        CHECK(cut.samples >= before);
        before = cut.samples;
        REQUIRE_FALSE(cut.info->notes.empty());
        CHECK(cut.info->notes.back() == "its gzip stream is cut short: what was left of it was read");
    }
    CHECK(before + 2 >= seen.samples);
}

TEST_CASE("files that are no runs") {
    folder_of_runs folder;
    const auto refused = [&](const std::string& name, const std::string& text) {
        const outcome seen = read_source(folder.put(name, text));
        CHECK_FALSE(seen.info.has_value());
        CHECK(seen.code == base::errc::data);
        CHECK(seen.failure.starts_with(folder.path(name) + ": "));
        return seen.failure.substr(folder.path(name).size() + 2);
    };
    CHECK(refused("empty", "") == "it is empty");
    CHECK(refused("noise", std::string("\x7f"
                                       "ELF\0\1\2\3",
                                       8))
              .starts_with("it is neither a run that qmpwatch record wrote"));
    CHECK(refused("letter", "Dear Sir or Madam,\nyours sincerely\n").starts_with("it is neither a run"));
    const std::string text = whole_run();
    CHECK(refused("header only", text.substr(0, text.find('\n') + 1)) ==
          "it holds no sample: nothing was recorded of the VM's drives");
    std::string newer = text;
    newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
    CHECK(refused("newer", newer) ==
          "it is a run of version 2, and this qmpwatch reads up to version 1: use a newer qmpwatch");

    const outcome missing = read_source(folder.path("missing"));
    CHECK(missing.code == base::errc::absent);
    CHECK(missing.failure.starts_with("cannot open " + folder.path("missing")));
    const outcome directory = read_source(folder.path(""));
    CHECK(directory.failure.find("is a folder") != std::string::npos);
}

TEST_CASE("what makes no sense is left out and said") {
    folder_of_runs folder;
    std::string text = whole_run();
    const std::size_t second_line = text.find('\n') + 1;
    text.insert(second_line, "nonsense\n{\"type\":\"state\"}\n");
    outcome seen = read_source(folder.put("bad.run", text));
    REQUIRE(seen.info.has_value());
    REQUIRE(seen.info->notes.size() == 1);
    CHECK(seen.info->notes[0] == "line 2 was left out: it is not a JSON object (and 1 more lines)");
    CHECK(seen.samples == 3);

    // Two runs in one file, as `cat` makes it.
    seen =
        read_source(folder.put("two.run", whole_run().substr(0, whole_run().rfind("{\"type\":\"end\"")) + whole_run()));
    REQUIRE(seen.info.has_value());
    CHECK(seen.samples == 3);
    REQUIRE(seen.info->notes.size() == 2);
    CHECK(seen.info->notes[0].find("another run begins at line") == 0);
    seen = read_source(folder.put("after.run", whole_run() + whole_run()));
    REQUIRE(seen.info.has_value());
    CHECK(seen.info->notes.at(0) == "there are lines after its end: they were left out");
}
