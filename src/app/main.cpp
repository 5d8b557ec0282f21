// The program: command line to exit code, and the only place where an exception ends.
#include "app/commands.hpp"
#include "app/exit_code.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    try {
        return qmpwatch::app::run(qmpwatch::app::words(argv + 1, argv + argc));
    } catch (const std::exception& problem) {
        fmt::print(stderr, "qmpwatch: {}\n", problem.what());
        return qmpwatch::app::exit_could_not;
    }
}
