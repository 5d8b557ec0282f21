// The command that `record` runs beside the recording.
#pragma once

#include "base/asio.hpp"
#include "base/error.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::app {

class child {
public:
    /// `ended` gets the exit code, 128 + N when signal N ended it. `said` gets each line that the command writes to
    /// its outputs; without it the command writes to ours.
    child(asio::io_context& context, std::function<void(int)> ended, std::function<void(std::string_view)> said);

    /// Starts it: words[0] is looked for in PATH. To be called once. Fails with `usage` when it cannot be run.
    base::result<void> start(const std::vector<std::string>& words);

    bool is_running() const { return process_ != 0; }
    /// Sends it a signal; does nothing when it has ended.
    void signal(int which);

private:
    void wait_for_end();
    void look_whether_it_has_ended();
    void read_output();
    void tell_lines(bool is_end);

    std::function<void(int)> ended_;
    std::function<void(std::string_view)> said_;
    asio::signal_set children_;
    asio::posix::stream_descriptor output_;
    std::string text_;
    std::vector<char> piece_ = std::vector<char>(4096);
    int process_ = 0;
};

}  // namespace qmpwatch::app
