#include "app/on_stall.hpp"

#include "app/spawn.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "report/notice_lines.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

extern char** environ;

namespace qmpwatch::app {

namespace {

std::string_view event_name(stall::change what) {
    switch (what) {
        case stall::change::suspected: return "stall_suspected";
        case stall::change::closed: return "stall";
        case stall::change::withdrawn: return "stall_withdrawn";
        case stall::change::level_changed:
        case stall::change::cleared: break;
    }
    return {};
}

}  // namespace

std::vector<std::string> stall_environment(const pipeline::notice& said, const sample::vm_identity& vm) {
    const auto* about = std::get_if<pipeline::stall_notice>(&said.what);
    if (about == nullptr || event_name(about->happened.what).empty()) return {};
    const stall::transition& happened = about->happened;
    const auto seconds = [](base::nanoseconds span) { return fmt::format("{:.3f}", base::in_seconds(span)); };
    return {
        fmt::format("QMPWATCH_EVENT={}", event_name(happened.what)),
        fmt::format("QMPWATCH_VM={}", base::printable(said.vm)),
        fmt::format("QMPWATCH_SOCKET={}", base::printable(vm.socket)),
        fmt::format("QMPWATCH_PID={}", vm.pid > 0 ? std::to_string(vm.pid) : std::string()),
        fmt::format("QMPWATCH_DRIVE={}", base::printable(happened.drive_name)),
        fmt::format("QMPWATCH_DEVICE={}", base::printable(about->attachment.device)),
        fmt::format("QMPWATCH_CAUSE={}", stall::name(happened.cause)),
        fmt::format("QMPWATCH_LEVEL={}", stall::name(happened.level)),
        fmt::format("QMPWATCH_START={}", base::rfc3339(happened.start.wall)),
        fmt::format("QMPWATCH_SECONDS={}", seconds(happened.length)),
        fmt::format("QMPWATCH_SECONDS_MIN={}", seconds(happened.length_min)),
        fmt::format("QMPWATCH_SECONDS_MAX={}", seconds(happened.length_max)),
        fmt::format("QMPWATCH_COUNT={}", happened.count),
        fmt::format("QMPWATCH_LOST_SECONDS={}", seconds(happened.lost)),
        fmt::format("QMPWATCH_MESSAGE={}", report::text_line(said)),
    };
}

on_stall::on_stall(asio::io_context& context, std::string command)
    : command_(std::move(command)), ended_(context, SIGCHLD) {
    wait_for_end();
}

void on_stall::hear(const pipeline::notice& said, const sample::vm_identity& vm) {
    std::vector<std::string> facts = stall_environment(said, vm);
    if (facts.empty()) return;
    if (waiting_.size() >= most_waiting) {
        waiting_.pop_front();
        base::log::warning("--on-stall: the command is slower than the stalls come; the oldest event is dropped");
    }
    waiting_.push_back(std::move(facts));
    start_next();
}

void on_stall::start_next() {
    if (running_ != 0 || waiting_.empty()) return;
    const std::vector<std::string> facts = std::move(waiting_.front());
    waiting_.pop_front();

    std::vector<char*> environment;
    for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
    for (const std::string& one : facts) environment.push_back(const_cast<char*>(one.c_str()));
    environment.push_back(nullptr);
    char shell[] = "/bin/sh";
    char option[] = "-c";
    char* const words[] = {shell, option, command_.data(), nullptr};

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    // Its words belong to the log: standard output is the table or what a script reads.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    short flags = POSIX_SPAWN_SETPGROUP;  // Ctrl-C is for us; the command may finish its work
    close_other_descriptors(actions, flags);
    restore_signals(attributes, flags);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, flags);
    pid_t child = 0;
    const int problem = posix_spawn(&child, shell, &actions, &attributes, words, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (problem != 0) {
        base::log::warning(fmt::format("--on-stall: cannot run /bin/sh: {}", std::strerror(problem)));
        return;
    }
    running_ = child;
}

void on_stall::wait_for_end() {
    ended_.async_wait([this](error_code failure, int) {
        if (failure) return;
        int status = 0;
        if (running_ != 0 && waitpid(running_, &status, WNOHANG) == running_) {
            running_ = 0;
            if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
                base::log::warning(fmt::format("--on-stall: the command ended with {}", WEXITSTATUS(status)));
            } else if (WIFSIGNALED(status)) {
                base::log::warning(fmt::format("--on-stall: the command was ended by signal {}", WTERMSIG(status)));
            }
            start_next();
        }
        wait_for_end();
    });
}

}  // namespace qmpwatch::app
