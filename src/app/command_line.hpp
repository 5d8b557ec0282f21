// The command line of one command: its flags, --help, the configuration file, and errors in one sentence.
#pragma once

#include "app/exit_code.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;  // only command_line.cpp sees CLI11: it takes a compiler longer than all the rest of a command
}

namespace qmpwatch::app {

/// Declare the flags first, then parse. A flag writes into the variable that was given for it, which must outlive
/// parse() and holds the default. --help shows the default of a flag, unless that is empty or an optional's nothing.
/// `flags` is "--name" or "-n,--name", `placeholder` is what --help calls the value. Without more said, a flag may be
/// given once, has one value, and whatever is wrong with it is an error of parse().
class command_line {
public:
    /// `name` is what the user has typed, such as "qmpwatch watch"; `description` is the head of --help.
    command_line(const std::string& name, const std::string& description);
    command_line(const command_line&) = delete;
    command_line& operator=(const command_line&) = delete;
    ~command_line();

    void flag(const std::string& flags, bool& value, const std::string& description);
    void text(const std::string& flags, std::string& value, const std::string& placeholder,
              const std::string& description);
    /// May stand without a value, which is then empty text.
    void text_or_nothing(const std::string& flags, std::optional<std::string>& value, const std::string& placeholder,
                         const std::string& description);
    /// May be repeated, one value each time.
    void texts(const std::string& flags, std::vector<std::string>& values, const std::string& placeholder,
               const std::string& description);
    /// All words up to the next flag, and may be repeated: what a shell makes of *.run.
    void lists(const std::string& flags, std::vector<std::string>& values, const std::string& placeholder,
               const std::string& description);
    /// Any finite or infinite number: the range is the caller's to check.
    void number(const std::string& flags, double& value, const std::string& placeholder,
                const std::string& description);
    void number(const std::string& flags, std::optional<double>& value, const std::string& placeholder,
                const std::string& description);
    /// Zero and above.
    void number(const std::string& flags, unsigned& value, const std::string& placeholder,
                const std::string& description);
    void number(const std::string& flags, std::uint64_t& value, const std::string& placeholder,
                const std::string& description);
    void number(const std::string& flags, std::optional<std::uint64_t>& value, const std::string& placeholder,
                const std::string& description);
    /// With a unit, such as 500ms or 1m30s, and at least `least` long.
    void duration(const std::string& flags, base::nanoseconds& value, base::nanoseconds least,
                  const std::string& description);
    void duration(const std::string& flags, std::optional<base::nanoseconds>& value, base::nanoseconds least,
                  const std::string& description);

    /// A word that is no flag; they are taken in the order in which they are declared.
    void word(const std::string& name, std::string& value, const std::string& placeholder,
              const std::string& description);
    /// All words that are no flags and that no word() took.
    void words(const std::string& name, std::vector<std::string>& values, const std::string& placeholder,
               const std::string& description);

    /// Makes a flag one that must be given. Most commands had better ask for it in a sentence of their own.
    void require(const std::string& flag);
    /// --config FILE: TOML with the same names as the flags, dots included.
    void config_file();
    /// What --help says at its end.
    void footer(const std::string& text);

    /// Reads the words after the command's name. None: go on. Otherwise the program is to end with this exit code; help
    /// and errors have been printed.
    std::optional<int> parse(const std::vector<std::string>& arguments);

    /// Whether the flag was given, here or in the configuration file.
    bool has(const std::string& flag) const;
    /// As it was given to the constructor.
    std::string name() const;
    /// Prints `NAME: sentence (see NAME --help)` to standard error; the exit code for it.
    int refuse(const std::string& sentence) const;

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace qmpwatch::app
