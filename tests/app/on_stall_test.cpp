#include "app/on_stall.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

using namespace qmpwatch;
using namespace std::chrono_literals;
using app::on_stall;

namespace {

pipeline::notice stall_of(stall::change what, const std::string& drive = "install_media") {
    pipeline::stall_notice about;
    about.happened.what = what;
    about.happened.drive_name = drive;
    about.happened.cause = stall::cause::lost_completion;
    about.happened.level = stall::level::probable;
    about.happened.length = 10'050ms;
    about.happened.length_min = 9'900ms;
    about.happened.length_max = 10'200ms;
    about.happened.count = 3;
    about.happened.lost = 30'400ms;
    about.attachment.device = "usb-storage";
    pipeline::notice said;
    said.vm = "winarm";
    said.what = about;
    return said;
}

struct runner {
    support::temporary_folder folder;
    asio::io_context context;
    sample::vm_identity vm;
    std::string file = (folder.path() / "out").string();

    std::string written() const {
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void run_until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!holds() && std::chrono::steady_clock::now() < end) {
            context.restart();
            context.run_for(5ms);
        }
        CHECK(holds());
    }
};

bool has(const std::vector<std::string>& environment, const std::string& line) {
    return std::find(environment.begin(), environment.end(), line) != environment.end();
}

}  // namespace

TEST_CASE("the facts in the environment") {
    sample::vm_identity vm;
    vm.socket = "/run/vm.sock";
    vm.pid = 42;
    const auto facts = app::stall_environment(stall_of(stall::change::closed), vm);
    CHECK(has(facts, "QMPWATCH_EVENT=stall"));
    CHECK(has(facts, "QMPWATCH_VM=winarm"));
    CHECK(has(facts, "QMPWATCH_SOCKET=/run/vm.sock"));
    CHECK(has(facts, "QMPWATCH_PID=42"));
    CHECK(has(facts, "QMPWATCH_DRIVE=install_media"));
    CHECK(has(facts, "QMPWATCH_DEVICE=usb-storage"));
    CHECK(has(facts, "QMPWATCH_CAUSE=lost_completion"));
    CHECK(has(facts, "QMPWATCH_LEVEL=probable"));
    CHECK(has(facts, "QMPWATCH_SECONDS=10.050"));
    CHECK(has(facts, "QMPWATCH_SECONDS_MIN=9.900"));
    CHECK(has(facts, "QMPWATCH_COUNT=3"));
    CHECK(has(facts, "QMPWATCH_LOST_SECONDS=30.400"));
    CHECK(has(app::stall_environment(stall_of(stall::change::suspected), vm), "QMPWATCH_EVENT=stall_suspected"));
    CHECK(has(app::stall_environment(stall_of(stall::change::withdrawn), vm), "QMPWATCH_EVENT=stall_withdrawn"));
    // A name from the monitor cannot smuggle control characters into a terminal.
    CHECK(has(app::stall_environment(stall_of(stall::change::closed, "a\x1b[2Jb\n"), vm), "QMPWATCH_DRIVE=a?[2Jb?"));
}

TEST_CASE("other notices are none of its business") {
    CHECK(app::stall_environment(stall_of(stall::change::level_changed), {}).empty());
    CHECK(app::stall_environment(stall_of(stall::change::cleared), {}).empty());
    pipeline::notice paused;
    paused.what = pipeline::vm_notice{"running", "paused"};
    CHECK(app::stall_environment(paused, {}).empty());
}

TEST_CASE("the command runs with the facts, and nobody waits for it") {
    runner here;
    on_stall hook(here.context, "echo \"$QMPWATCH_EVENT $QMPWATCH_DRIVE $QMPWATCH_SECONDS\" > " + here.file);
    hook.hear(stall_of(stall::change::closed), here.vm);
    CHECK(hook.is_running());
    here.run_until([&] { return !hook.is_running(); });
    CHECK(here.written() == "stall install_media 10.050\n");
}

TEST_CASE("never two at a time, in order, and none is lost while the queue holds them") {
    runner here;
    // Each notes that it began and ended: two at a time would show two begins in a row.
    on_stall hook(here.context,
                  "printf 'b%s ' $QMPWATCH_DRIVE >> " + here.file + "; sleep 0.03; printf 'e ' >> " + here.file);
    for (int i = 0; i < 5; ++i) hook.hear(stall_of(stall::change::closed, std::to_string(i)), here.vm);
    here.run_until([&] { return here.written().size() >= 25; });
    CHECK(here.written() == "b0 e b1 e b2 e b3 e b4 e ");
}

TEST_CASE("a queue that is full drops the oldest") {
    runner here;
    on_stall hook(here.context, "sleep 0.02; printf '%s ' $QMPWATCH_DRIVE >> " + here.file);
    const auto most = static_cast<int>(on_stall::most_waiting);
    for (int i = 0; i < most + 4; ++i) hook.hear(stall_of(stall::change::closed, std::to_string(i)), here.vm);
    here.run_until([&] { return here.written().find(std::to_string(most + 3) + " ") != std::string::npos; });
    CHECK(here.written().starts_with("0 4 5 "));  // 0 ran at once; 1 to 3 made way
}

TEST_CASE("a command that fails or is killed does not stop the next") {
    runner here;
    on_stall hook(here.context, "printf x >> " + here.file + "; test $QMPWATCH_DRIVE = a && kill -9 $$; exit 3");
    hook.hear(stall_of(stall::change::closed, "a"), here.vm);
    hook.hear(stall_of(stall::change::closed, "b"), here.vm);
    here.run_until([&] { return here.written() == "xx" && !hook.is_running(); });
}

TEST_CASE("the command inherits no open descriptors") {
    runner here;
    const int secret = dup(1);
    on_stall hook(here.context, "ls /proc/self/fd | sort -n | tail -n 1 > " + here.file);
    hook.hear(stall_of(stall::change::closed), here.vm);
    here.run_until([&] { return !hook.is_running(); });
    close(secret);
    if (std::filesystem::exists("/proc/self/fd")) CHECK(std::stoi(here.written()) <= 4);  // ls's own folder, at most
}
