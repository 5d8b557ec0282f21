// Prometheus' own opinion of the text, where promtool is installed.
#include "metrics/families.hpp"
#include "some_state.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace qmpwatch::metrics {

TEST_CASE("promtool has nothing to say about the metrics") {
    if (std::system("command -v promtool >/dev/null 2>&1") != 0) {
        MESSAGE("promtool is not installed: left out");
        return;
    }
    const support::temporary_folder folder;
    const std::string file = (folder.path() / "metrics.txt").string();
    std::ofstream(file, std::ios::binary) << exposition(some_state(), some_health());

    std::FILE* process = popen(("promtool check metrics <'" + file + "' 2>&1").c_str(), "r");
    REQUIRE(process != nullptr);
    std::string said;
    for (int c = std::fgetc(process); c != EOF; c = std::fgetc(process)) said += static_cast<char>(c);
    const int status = pclose(process);
    CHECK(said == "");
    CHECK(status == 0);
}

}  // namespace qmpwatch::metrics
