#include "gate/metric.hpp"

#include "gate/checkpoint.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

namespace qmpwatch::gate {
namespace {

TEST_CASE("metrics are read as they are named") {
    for (const std::string text : {"copy", "run", "vda:read", "vda:write", "a:b:read", ":read:write"}) {
        const auto made = parse_metric(text);
        REQUIRE(made.has_value());
        CHECK(name(*made) == text);
    }
    for (const std::string text : {"", "speed", ":read", ":write", "vda:", "vda:erase", "Copy"}) {
        CAPTURE(text);
        CHECK(parse_metric(text).has_error());
    }
}

TEST_CASE("a stall is part of the time, and what is read after the phase is not") {
    support::temporary_folder folder;
    gate_test::made_run what;
    what.seconds = 60;
    what.stalls_at = {30};
    const input made = gate_test::read_made(folder.path() / "a.run", what);
    const auto did = curve::of(made.digest, metric{});
    REQUIRE(did.has_value());
    CHECK(did->drive() == "install_media");
    CHECK(did->bytes() == what.bytes);
    CHECK(did->is_complete());
    CHECK(base::in_seconds(*did->time_to(0.4 * 1e9)) == doctest::Approx(20).epsilon(1e-3));
    CHECK(base::in_seconds(*did->time_to(0.8 * 1e9)) == doctest::Approx(50).epsilon(1e-3));
    CHECK(base::in_seconds(*did->time_to(1e9)) == doctest::Approx(60).epsilon(1e-6));
    CHECK(!did->time_to(1e9 + 1));
    CHECK(base::in_seconds(did->cadence()) == doctest::Approx(1));
    CHECK(base::in_seconds(did->seen()) == doctest::Approx(62));
}

}  // namespace
}  // namespace qmpwatch::gate
