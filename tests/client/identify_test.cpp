#include "client/identify.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::client;

TEST_CASE("members of QMP's small replies") {
    CHECK(text_member(R"({"name": "winarm-install"})", "name") == "winarm-install");
    CHECK(text_member(R"({"UUID": "0000"})", "UUID") == "0000");
    CHECK(text_member(R"({"name": "a\u001b[2Jb"})", "name") == "a?[2Jb");
    for (const char* odd : {"{}", "[]", "5", "{", "", R"({"name": 5})", R"({"name": null})", R"({"other": "x"})"}) {
        CAPTURE(odd);
        CHECK(text_member(odd, "name").empty());
    }
    CHECK(text_value(R"("pc-q35-7.2-machine")") == "pc-q35-7.2-machine");
    CHECK_FALSE(text_value("{}").has_value());
    CHECK_FALSE(text_value("").has_value());
    CHECK(kvm_enabled(R"({"enabled": true, "present": true})"));
    CHECK_FALSE(kvm_enabled(R"({"enabled": false, "present": true})"));
    CHECK_FALSE(kvm_enabled(R"({"enabled": "yes"})"));
    CHECK_FALSE(kvm_enabled("x"));
}

TEST_CASE("machine types") {
    CHECK(machine_from_type("pc-q35-7.2-machine") == "pc-q35-7.2");
    CHECK(machine_from_type("virt-11.1-machine") == "virt-11.1");
    CHECK(machine_from_type("none") == "none");
    CHECK(machine_from_type("") == "");
}

TEST_CASE("HMP's lines") {
    CHECK(run_state_from_hmp("VM status: running\r\n") == "running");
    CHECK(run_state_from_hmp("VM status: paused (prelaunch)\r\n") == "prelaunch");
    CHECK(run_state_from_hmp("VM status: paused\r\n") == "paused");
    CHECK(run_state_from_hmp("VM status: paused (io-error)\r\n") == "io-error");
    CHECK(run_state_from_hmp("VM status: running (single step mode)\r\n") == "running");
    CHECK(run_state_from_hmp("VM status: paused (\r\n") == "");
    CHECK(run_state_from_hmp("unknown command: 'info status'\r\n") == "");
    CHECK(line_from_hmp("winarm-install\r\n") == "winarm-install");
    CHECK(line_from_hmp("") == "");
    CHECK(line_from_hmp("unknown command: 'info uuid'\r\n") == "");
    CHECK(package_from_hmp("7.2.22Debian 1:7.2+dfsg-7\r\n", "7.2.22") == "Debian 1:7.2+dfsg-7");
    CHECK(package_from_hmp("11.0.0\r\n", "11.0.0") == "");
    CHECK(package_from_hmp("other", "7.2.22") == "");
    CHECK(accelerator_from_hmp("kvm mshv [tcg]\r\n") == "tcg");
    CHECK(accelerator_from_hmp("[kvm] tcg\r\n") == "kvm");
    CHECK(accelerator_from_hmp("kvm tcg\r\n") == "");
    CHECK(accelerator_from_hmp("]tcg[\r\n") == "");
    CHECK(accelerator_from_hmp("unknown command: 'info accelerators'\r\n") == "");
    CHECK(kvm_enabled_from_hmp("kvm support: enabled\r\n"));
    CHECK_FALSE(kvm_enabled_from_hmp("kvm support: disabled\r\n"));
    CHECK_FALSE(kvm_enabled_from_hmp("kvm support: not compiled\r\n"));
}
