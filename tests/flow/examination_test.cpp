// A look at a simulated VM: what is asked and what is made of the answers.
#include "client/examination.hpp"

#include "flow/watched_simulation.hpp"
#include "monitor/allow_list.hpp"
#include "support/run_coroutine.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace qmpwatch;
using sample::interrupt_controller;
using sim::guest_device;
using sim::protocol;
using std::chrono::steady_clock;

namespace {

struct bench {
    explicit bench(const sim::scenario& what) : vm(loop.get_executor(), what) {
        where.path = (folder.path() / "vm.sock").string();
        REQUIRE(vm.listen(where.path).has_value());
    }

    asio::awaitable<base::result<sample::vm_facts>> look_once() {
        client::link connection(loop.get_executor());
        const base::steady_time deadline = steady_clock::now() + base::seconds(5);
        base::result<void> done = co_await connection.connect(where, deadline);
        if (done.has_error()) co_return done.error();
        done = co_await connection.become_ready(deadline);
        if (done.has_error()) co_return done.error();
        client::examination examination(connection, where);
        co_return co_await examination.look(deadline);
    }
    base::result<sample::vm_facts> look() { return support::run_coroutine(loop, look_once()); }

    support::temporary_folder folder;
    asio::io_context loop{1};
    sim::simulated_monitor vm;
    client::address where;
};

}  // namespace

TEST_CASE("an x86 VM with a stick, an NVMe drive and a limit") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        CAPTURE(static_cast<int>(kind));
        sim::scenario what;
        what.protocol = kind;
        what.accelerator = "tcg";
        what.vm_name = "winarm";
        sim::add_drive(what, guest_device::usb_storage, "install_media").read_only = true;
        sim::add_drive(what, guest_device::nvme, "system").limit_bytes_per_second = 5000;
        bench run(what);
        const auto facts = run.look();
        REQUIRE(facts.has_value());
        CHECK(facts->identity.vm == "winarm");
        CHECK(facts->identity.version == "7.2.22");
        CHECK(facts->identity.cpus == 2);
        CHECK(facts->identity.memory_bytes == 2147483648);
        CHECK(facts->identity.accelerator == "tcg");
        CHECK(facts->controller == interrupt_controller::emulated);
        REQUIRE(facts->drives.size() == 2);
        const sample::drive_facts& stick = facts->drives[0];
        CHECK(stick.info.attachment.device == "usb-storage");
        CHECK(stick.info.media.read_only);
        CHECK(stick.usb_megabits_per_second == 5000);
        CHECK_FALSE(stick.settings.limits.any());
        CHECK(facts->drives[1].settings.limits.bytes_per_second == 5000);
        CHECK(facts->unmatched_full_speed == 0);
        for (const std::string& command : run.vm.commands()) {
            CAPTURE(command);
            CHECK((kind == protocol::qmp ? monitor::is_allowed_qmp(command) : monitor::is_allowed_hmp(command)));
        }
    }
}

TEST_CASE("where the interrupt controller is") {
    struct machine {
        const char *arch, *accelerator, *gic;
        bool in_kernel;
        interrupt_controller place;
        const char* type;
    };
    for (const machine& one :
         std::vector<machine>{{"aarch64", "hvf", "3", true, interrupt_controller::in_kernel, "hvf-arm-gicv3"},
                              {"aarch64", "hvf", "3", false, interrupt_controller::emulated, "arm-gicv3"},
                              {"aarch64", "kvm", "2", true, interrupt_controller::in_kernel, "kvm-arm-gic"},
                              {"aarch64", "tcg", "2", true, interrupt_controller::emulated, "arm_gic"},
                              {"x86_64", "kvm", "", true, interrupt_controller::in_kernel, "kvm-apic"},
                              {"x86_64", "kvm", "", false, interrupt_controller::emulated, "apic"}}) {
        CAPTURE(one.type);
        sim::scenario what;
        what.protocol = protocol::qmp;
        what.version = {11, 1, 2, ""};
        what.arch = one.arch;
        what.accelerator = one.accelerator;
        what.kernel_irqchip = one.in_kernel;
        what.gic_version = one.gic;
        bench run(what);
        const auto facts = run.look();
        REQUIRE(facts.has_value());
        CHECK(facts->identity.accelerator == one.accelerator);
        CHECK(facts->controller == one.place);
        CHECK(facts->controller_type == one.type);
        CHECK(facts->gic_version == one.gic);
        CHECK(facts->drives.empty());
    }
}
