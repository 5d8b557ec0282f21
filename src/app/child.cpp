#include "app/child.hpp"

#include "app/spawn.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace qmpwatch::app {

child::child(asio::io_context& context, std::function<void(int)> ended, std::function<void(std::string_view)> said)
    : ended_(std::move(ended)), said_(std::move(said)), children_(context, SIGCHLD), output_(context) {}

base::result<void> child::start(const std::vector<std::string>& words) {
    int ends[2] = {-1, -1};
    if (said_ && (::pipe(ends) != 0 || ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0)) {
        return base::fail(base::errc::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (said_) {
        // The screen is ours: what the command writes scrolls by above the table, and it cannot read from the terminal.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    short flags = 0;
    close_other_descriptors(actions, flags);
    restore_signals(attributes, flags);
    posix_spawnattr_setflags(&attributes, flags);
    wait_for_end();
    const int failure = posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (ends[1] >= 0) ::close(ends[1]);
    if (failure != 0) {
        process_ = 0;
        if (ends[0] >= 0) ::close(ends[0]);
        return base::fail(base::errc::usage,
                          fmt::format("cannot run '{}': {}", base::printable(words.front()), std::strerror(failure)));
    }
    if (said_) {
        output_.assign(ends[0]);
        read_output();
    }
    return {};
}

void child::signal(int which) {
    if (process_ != 0) ::kill(process_, which);
}

void child::wait_for_end() {
    children_.async_wait([this](error_code failure, int) {
        if (failure) return;
        look_whether_it_has_ended();
        wait_for_end();
    });
}

void child::look_whether_it_has_ended() {
    if (process_ == 0) return;
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) != process_) return;
    process_ = 0;
    tell_lines(true);
    ended_(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

void child::read_output() {
    output_.async_read_some(asio::buffer(piece_), [this](error_code failure, std::size_t size) {
        if (failure) return tell_lines(true);
        text_.append(piece_.data(), size);
        tell_lines(false);
        read_output();
    });
}

void child::tell_lines(bool is_end) {
    std::size_t begin = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', begin)) {
        said_(std::string_view(text_).substr(begin, end - begin));
        begin = end + 1;
    }
    text_.erase(0, begin);
    constexpr std::size_t longest = 4096;
    if (!text_.empty() && (is_end || text_.size() > longest)) {
        said_(text_);
        text_.clear();
    }
}

}  // namespace qmpwatch::app
