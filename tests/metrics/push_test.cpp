#include "metrics/push.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::metrics;

TEST_CASE("addresses of a Pushgateway") {
    const auto parsed = [](std::string_view url) {
        const auto address = parse_gateway(url);
        REQUIRE(address.has_value());
        return address->host + " " + address->port;
    };
    CHECK(parsed("http://push.example:9091") == "http://push.example 9091");
    CHECK(parsed("http://push.example") == "http://push.example 9091");
    CHECK(parsed("https://push.example") == "https://push.example 443");
    CHECK(parsed("https://push.example:8443/") == "https://push.example 8443");
    CHECK(parsed("push.example:80") == "http://push.example 80");
    CHECK(parsed("http://[::1]:9091") == "http://[::1] 9091");
    CHECK(parsed("http://[::1]") == "http://[::1] 9091");
}

TEST_CASE("what is no address of a Pushgateway") {
    for (const char* url : {"", "http://", "http://:9091", "ftp://push.example", "http://push.example:port",
                            "http://push.example:", "http://push.example/prefix", "http://user@push.example",
                            "http://push.example:123456", "push example", "\xff:9091"}) {
        CAPTURE(url);
        const auto address = parse_gateway(url);
        REQUIRE(address.has_error());
        CHECK(address.error().code == base::errc::usage);
    }
    CHECK(
        parse_gateway("http://push.example/prefix").error().message ==
        "'http://push.example/prefix' is no address of a Pushgateway: it can have a host and a port only; write it as "
        "http://HOST:9091");
}

TEST_CASE("a gateway that is not there") {
    run::summary empty;
    empty.parts.emplace_back();
    const auto pushed = push_run({"http://127.0.0.1", "1"}, run::digest{}, empty);
    REQUIRE(pushed.has_error());
    CHECK(pushed.error().message ==
          "the Pushgateway at http://127.0.0.1:1 cannot be reached: the summary was not pushed");
}
