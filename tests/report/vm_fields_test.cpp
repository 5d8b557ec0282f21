#include "report/vm_fields.hpp"

#include "base/json.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>

using namespace qmpwatch;
using json = nlohmann::ordered_json;

TEST_CASE("who a VM is, with null for what is not known") {
    sample::vm_identity identity;
    identity.name = "a\x1b[2J";
    identity.socket = "/run/vm.sock";
    identity.protocol = "hmp";
    json object;
    report::append(object, report::vm_fields(identity));
    CHECK(base::json_text(object) ==
          R"({"name":"a?[2J","uuid":null,"socket":"/run/vm.sock","protocol":"hmp","version":null,)"
          R"("package":null,"machine":null,"accelerator":null,"arch":null,"cpus":null,"memory_bytes":null,)"
          R"("pid":null})");
    identity.pid = 4711;
    identity.cpus = 6;
    identity.memory_bytes = 8589934592;
    json other;
    report::append(other, report::monitor_fields(identity));
    CHECK(other.begin().key() == "socket");
    CHECK(other.at("pid") == 4711);
    CHECK(other.at("cpus") == 6);
    CHECK(other.at("memory_bytes") == 8589934592);
    CHECK(other.size() == 10);
}

TEST_CASE("how large a VM is, for people") {
    constexpr std::uint64_t mebibyte = 1024 * 1024;
    const auto text = [](unsigned cpus, std::uint64_t memory_bytes) {
        sample::vm_identity identity;
        identity.cpus = cpus;
        identity.memory_bytes = memory_bytes;
        return report::size_text(identity);
    };
    CHECK(text(0, 0).empty());
    CHECK(text(1, 0) == "1 vCPU");
    CHECK(text(0, 512 * mebibyte) == "512 MiB RAM");
    CHECK(text(2, 2048 * mebibyte) == "2 vCPUs, 2 GiB RAM");
    CHECK(text(18, 6000 * mebibyte) == "18 vCPUs, 5.859 GiB RAM");
    CHECK(text(64, 1536 * 1024 * mebibyte) == "64 vCPUs, 1536 GiB RAM");
}
