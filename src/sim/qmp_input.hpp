// Cuts a client's bytes into QMP requests the way QEMU does: by JSON value, with or without newlines between.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sim {

/// One request, or the error that stands for something that is none.
struct qmp_request {
    std::string command;      ///< empty when `error` is not
    std::string arguments;    ///< JSON text of an object, or empty
    std::string id;           ///< JSON text, or empty for none
    bool out_of_band = false;
    std::string error;        ///< a GenericError's description, when this cannot be executed
};

class qmp_input {
public:
    /// Longer requests are errors; QEMU's own limit is 64 MiB, but nobody needs to try that here.
    static constexpr std::size_t longest_request = std::size_t(1) << 20;
    static constexpr std::size_t deepest_nesting = 1024;

    /// Takes bytes in any portions; returns what became complete with them, at most one for each byte.
    std::vector<qmp_request> feed(std::string_view bytes);

private:
    void take(char byte, std::vector<qmp_request>& done);
    void take_in_value(char byte, std::vector<qmp_request>& done);
    void fail(std::string description, std::vector<qmp_request>& done);
    void end_word(std::vector<qmp_request>& done);

    std::string text_;           // the value so far, with '...' strings turned into "..."
    std::string word_;           // a keyword or number outside of any value
    std::size_t depth_ = 0;      // of open brackets
    std::size_t string_at_ = 0;  // where the open string began
    char quote_ = 0;             // of the open string, 0 for none
    bool escaped_ = false;
};

}  // namespace qmpwatch::sim
