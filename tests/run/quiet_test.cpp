#include "run/quiet.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace std::chrono_literals;

namespace {

struct machine {
    quiet_watch watch;
    std::uint64_t operations = 0;
    base::steady_time now{};

    /// Seconds in which so many operations of 64 KiB are done each.
    void work(int seconds, std::uint64_t each) {
        for (int i = 0; i < seconds; ++i) {
            now += 1s;
            operations += each;
            sample::sample counters;
            counters.at.steady = now;
            counters.drives = {{{"a", "", ""}, {}}};
            counters.drives[0].counters[sample::operation::write] = {operations * 65536, operations, 0, 0, 0, 0};
            watch.add(counters);
        }
    }
    std::optional<base::nanoseconds> quiet() const { return watch.quiet_for(now); }
};

}  // namespace

TEST_CASE("a VM that has not begun is not quiet") {
    machine vm;
    vm.work(100, 0);
    CHECK_FALSE(vm.quiet().has_value());
    vm.work(10, 1);  // a little, not a stream
    CHECK_FALSE(vm.quiet().has_value());
}

TEST_CASE("quiet begins with the last operation of a stream") {
    machine vm;
    vm.work(10, 100);
    CHECK(vm.quiet() == 0s);
    vm.work(30, 0);
    CHECK(vm.quiet() == 30s);
    vm.work(5, 100);
    CHECK(vm.quiet() == 0s);
}

TEST_CASE("a little noise is quiet") {
    machine vm;
    vm.work(10, 100);
    for (int i = 0; i < 12; ++i) {
        vm.work(4, 0);
        vm.work(1, 1);
    }
    CHECK(vm.quiet() >= 55s);
}

TEST_CASE("a new QEMU begins at zero") {
    machine vm;
    vm.work(10, 100);
    vm.operations = 0;
    vm.work(1, 0);
    CHECK(vm.quiet() == 1s);
    vm.work(10, 100);
    CHECK(vm.quiet() == 0s);
}
