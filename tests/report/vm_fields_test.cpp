#include "report/vm_fields.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace qmpwatch;
using json = nlohmann::ordered_json;

TEST_CASE("who a VM is, with null for what is not known") {
    sample::vm_identity identity;
    identity.name = "a\x1b[2J";
    identity.socket = "/run/vm.sock";
    identity.protocol = "hmp";
    json object;
    report::append(object, report::vm_fields(identity));
    CHECK(object.dump() == R"({"name":"a?[2J","uuid":null,"socket":"/run/vm.sock","protocol":"hmp","version":null,)"
                           R"("package":null,"machine":null,"accelerator":null,"arch":null,"pid":null})");
    identity.pid = 4711;
    json other;
    report::append(other, report::monitor_fields(identity));
    CHECK(other.begin().key() == "socket");
    CHECK(other.at("pid") == 4711);
    CHECK(other.size() == 8);
}
