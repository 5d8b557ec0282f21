#include "base/size.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::base;

TEST_CASE("sizes") {
    CHECK(*parse_size("0") == 0);
    CHECK(*parse_size("512") == 512);
    CHECK(*parse_size("512B") == 512);
    CHECK(*parse_size("64KiB") == 65536);
    CHECK(*parse_size("7.6GB") == 7600000000);
    CHECK(*parse_size("7.6 GB") == 7600000000);
    CHECK(*parse_size("1.5 TiB") == 1649267441664);
    CHECK(*parse_size("1kB") == 1000);
    CHECK(*parse_size("9TB") == 9000000000000);
}

TEST_CASE("what is no size") {
    for (const char* text : {"", "GB", ".5GB", "5.GB", "5.5", "0.5B", "-1", "+1", "1G", "1K", "1gb", "1 G B", "1e9",
                             "0x10", "99999999999TB", "1MBx", "\xff"}) {
        CAPTURE(text);
        const auto size = parse_size(text);
        REQUIRE(size.has_error());
        CHECK(size.error().code == errc::usage);
    }
    CHECK(parse_size("1G").error().message == "'1G' is not a size: write it as 7.6GB or 512MiB");
}
