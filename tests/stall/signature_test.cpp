// The table of signatures.
#include "stall/signature.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::stall;

TEST_CASE("the bands are in order, and each core lies inside its band") {
    base::nanoseconds before{};
    for (std::size_t which = 0; which < band_count; ++which) {
        const band_limits& each = limits_of(static_cast<band>(which));
        CHECK(before < each.low);
        CHECK(each.low < each.core_low);
        CHECK(each.core_low < each.nominal);
        CHECK(each.nominal <= each.core_high);
        CHECK(each.core_high < each.high);
        before = each.high;
    }
}

TEST_CASE("a signature belongs to device and length") {
    REQUIRE(find_signature(band::seconds_10, "usb-storage") != nullptr);
    CHECK(find_signature(band::seconds_10, "usb-storage")->name == "Windows' 10 s CD time-out on usb-storage");
    CHECK(find_signature(band::seconds_10, "usb-storage")->is_suspicious);
    CHECK(find_signature(band::seconds_30, "nvme")->name == "Linux' 30 s NVMe time-out");
    CHECK(find_signature(band::seconds_3, "nvme") == nullptr);
    REQUIRE(find_signature(band::seconds_10, "") != nullptr);
    CHECK(find_signature(band::seconds_10, "") == find_signature(band::seconds_10, "some-new-device"));
    CHECK(find_signature(band::seconds_10, "")->prior < find_signature(band::seconds_10, "usb-storage")->prior);
    CHECK(find_signature(band::seconds_36, "") == nullptr);
}
