#include "run/output.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

using namespace qmpwatch;
using namespace qmpwatch::run;

namespace {

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
}

}  // namespace

TEST_CASE("a run that exists is not lost by accident") {
    support::temporary_folder folder;
    const std::string path = (folder.path() / "a.run").string();
    std::ofstream(path) << "evidence";
    const auto refused = output::create(path, false);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == base::errc::usage);
    CHECK(refused.error().message == path + " exists already: give another name, or --overwrite to replace it");
    CHECK(content_of(path) == "evidence");
    auto replaced = output::create(path, true);
    REQUIRE(replaced.has_value());
    REQUIRE((*replaced)->append("new\n").has_value());
    CHECK(content_of(path) == "new\n");  // before it is closed
    CHECK((*replaced)->close().has_value());
}

TEST_CASE("a place that cannot be written to") {
    support::temporary_folder folder;
    const std::string path = (folder.path() / "no" / "such" / "a.run").string();
    const auto refused = output::create(path, false);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == base::errc::io);
    CHECK(refused.error().message.starts_with("cannot create " + path));
}

TEST_CASE("a full disk keeps whole lines") {
    support::temporary_folder folder;
    for (const char* name : {"a.run", "a.run.gz"}) {
        CAPTURE(name);
        const std::string path = (folder.path() / name).string();
        // In a process of its own: the limit on the size of files cannot be raised again by everybody.
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{1000, 1000};
            setrlimit(RLIMIT_FSIZE, &limit);
            auto out = output::create(path, false);
            if (out.has_error()) _exit(10);
            int lines = 0;
            unsigned noise = 1;
            for (;; ++lines) {
                std::string line;
                for (int i = 0; i < 30; ++i)
                    line += static_cast<char>('a' + ((noise = noise * 1103515245 + 12345) >> 16) % 26);
                line += '\n';
                const auto done = (*out)->append(line);
                if (done.has_value()) continue;
                if (done.error().code != base::errc::io) _exit(11);
                if (done.error().message.find("what was recorded until now is kept") == std::string::npos) _exit(12);
                break;
            }
            if ((*out)->append("more\n").has_value()) _exit(13);
            if ((*out)->close().has_value()) _exit(14);
            _exit(lines >= 10 && lines < 100 ? 0 : 15);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        const std::string kept = content_of(path);
        CHECK(kept.size() <= 1000);
        if (!path.ends_with(".gz")) {
            CHECK(kept.size() % 31 == 0);
            CHECK(kept.ends_with('\n'));
        }
    }
}
