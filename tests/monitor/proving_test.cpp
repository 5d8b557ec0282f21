#include "monitor/proving.hpp"

#include "base/json.hpp"
#include "monitor/allow_list.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::monitor;
using nlohmann::json;

TEST_CASE("only trace events about mass storage can be switched") {
    const auto on = proving_command::set_trace("usb_msd_reset", true);
    REQUIRE(on);
    CHECK(on->command() == "trace-event-set-state");
    CHECK(base::parse_json(on->arguments()) == json{{"name", "usb_msd_reset"}, {"enable", true}});
    CHECK(base::parse_json(proving_command::set_trace("usb_msd_cmd_submit", false)->arguments()).at("enable") == false);
    for (const char* event : {"", "usb_msd_", "usb_msd_*", "*", "usb_msd_reset\"", "usb_msd_RESET", "usb_xhci_run",
                              "usb_msd_a b", "usb_msd_reset\n", "xusb_msd_reset"}) {
        CAPTURE(event);
        CHECK_FALSE(is_storage_event(event));
        CHECK_FALSE(proving_command::set_trace(event, true));
    }
}

TEST_CASE("the states are asked of all of them") {
    const auto ask = proving_command::trace_states();
    CHECK(ask.command() == "trace-event-get-state");
    CHECK(base::parse_json(ask.arguments()) == json{{"name", "usb_msd_*"}});
}

TEST_CASE("a path stays one argument of logfile, whatever is in it") {
    CHECK(logfile_line("/tmp/a.log") == R"(logfile "/tmp/a.log")");
    for (const auto& [path, line] : {std::pair("/tmp/a b.log", R"(logfile "/tmp/a b.log")"),
                                     std::pair(R"(/tmp/"x" \y)", R"(logfile "/tmp/\"x\" \\y")"),
                                     std::pair("/tmp/a\nquit\r", R"(logfile "/tmp/aquit")")}) {
        const auto command = proving_command::log_to(path);
        CHECK(command.command() == "human-monitor-command");
        CHECK(base::parse_json(command.arguments()) == json{{"command-line", line}});
    }
}

TEST_CASE("none of it is on the list of what may be sent otherwise") {
    CHECK_FALSE(is_allowed_qmp(proving_command::trace_states().command()));
    CHECK_FALSE(is_allowed_qmp(proving_command::set_trace("usb_msd_reset", true)->command()));
    CHECK_FALSE(is_allowed_qmp(proving_command::log_to("x").command()));
}
