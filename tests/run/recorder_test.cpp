#include "run/recorder.hpp"

#include "run/source.hpp"
#include "run/story.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;

TEST_CASE("what is recorded can be read while it is recorded, and when it is finished") {
    support::temporary_folder folder;
    const std::string path = (folder.path() / "a.run").string();
    const header about = some_header();
    auto made = recorder::create(path, false, about);
    REQUIRE(made.has_value());
    for (const happening& one : some_story(about)) REQUIRE(made->hear(one).has_value());
    std::size_t heard = 0;
    const auto read = [&] {
        heard = 0;
        return read_run(path, [](const header&) {}, [&](const happening&) { ++heard; });
    };
    auto info = read();
    REQUIRE(info.has_value());
    CHECK(heard == some_story(about).size());
    CHECK_FALSE(info->ended.has_value());
    end how;
    how.reason = end_reason::quiet;
    how.at = moment(about, 5s);
    REQUIRE(made->finish(how).has_value());
    info = read();
    REQUIRE(info.has_value());
    CHECK(info->ended->reason == end_reason::quiet);
    CHECK(info->notes.empty());
}

TEST_CASE("a redacted run holds no path and no serial") {
    support::temporary_folder folder;
    const std::string path = (folder.path() / "a.run").string();
    header about = some_header();
    about.is_redacted = true;
    auto made = recorder::create(path, false, about);
    REQUIRE(made.has_value());
    for (happening one : some_story(about)) {
        if (auto* event = std::get_if<sample::qmp_event>(&one); event != nullptr && event->name == "BLOCK_IO_ERROR") {
            REQUIRE(made->hear(sample::qmp_event{"JOB", R"({"file":"/secret/a.img"})", event->at}).has_value());
            REQUIRE(
                made->hear(sample::qmp_event{"MOVED", R"({"path":"/machine/peripheral/x/y"})", event->at}).has_value());
        }
        REQUIRE(made->hear(one).has_value());
    }
    REQUIRE(made->finish(end{}).has_value());
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(text.find("\"redacted\":true") != std::string::npos);
    for (const char* secret : {"/run/vm.sock", "Win11", "11111111-2222", "/secret"}) {
        CAPTURE(secret);
        CHECK(text.find(secret) == std::string::npos);
    }
    // What tells nothing of the host stays.
    CHECK(text.find("/machine/peripheral/x/y") != std::string::npos);
    CHECK(text.find("usb-storage") != std::string::npos);
    CHECK(text.find("\"content\":\"sampled-sha256:777") != std::string::npos);
    CHECK(text.find("\"BLOCK_IO_ERROR\",\"data\":{\"device\":\"install_media\"") != std::string::npos);
    CHECK(text.find("\"vm\":\"installer\"") != std::string::npos);
}
