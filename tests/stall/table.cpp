// Prints docs/stall-accuracy.md: stall_table [SESSIONS]. Without a number the recordings alone.
#include "stall/accuracy.hpp"

#include <fmt/format.h>

#include <cstdlib>

int main(int count, char** words) {
    using namespace qmpwatch::stall_test;
    if (count < 2) {
        fmt::print("{}", recordings_table());
        return 0;
    }
    fmt::print("{}", simulation_tables(std::strtoull(words[1], nullptr, 10)));
}
