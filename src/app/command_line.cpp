#include "app/command_line.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

namespace qmpwatch::app {

namespace {

/// CLI11 takes the dot of `web.listen-address` for a subcommand's; here a dot is a part of the flag's name, whether it
/// is written `web.listen-address = ...` or under `[web]`.
class flat_toml : public CLI::ConfigTOML {
public:
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
        std::vector<CLI::ConfigItem> flat;
        for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(input)) {
            if (item.name == "++" || item.name == "--") continue;  // CLI11's marks around a section
            std::string name;
            for (const std::string& parent : item.parents) name += parent + ".";
            item.name = name + item.name;
            item.parents.clear();
            flat.push_back(std::move(item));
        }
        return flat;
    }
};

/// Editing distance, to say which flag was meant.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string closest_flag(const CLI::App& command, const std::string& wrong) {
    std::string best;
    std::size_t least = 4;  // further away it is no slip of the finger
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            const std::size_t away = distance("--" + name, wrong);
            if (away < least) {
                least = away;
                best = "--" + name;
            }
        }
    }
    return best;
}

std::string explain(const CLI::App& command, const CLI::ParseError& problem) {
    if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr) {
        const std::vector<std::string> extras = command.remaining();
        if (!extras.empty()) {
            const std::string flag = extras.front().substr(0, extras.front().find('='));
            if (!flag.starts_with("-")) return fmt::format("unexpected word '{}'", base::printable(flag));
            const std::string meant = closest_flag(command, flag);
            return fmt::format("there is no flag {}{}", base::printable(flag),
                               meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
        }
    }
    std::string text = problem.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

CLI::Option* add_duration(CLI::App& command, const std::string& flag, base::nanoseconds& value, base::nanoseconds least,
                          const std::string& description) {
    const auto read = [&value, least, flag](const std::string& text) {
        const base::result<base::nanoseconds> parsed = base::parse_duration(text);
        if (parsed.has_error()) throw CLI::ValidationError(flag, parsed.error().message);
        if (*parsed < least) {
            throw CLI::ValidationError(
                flag, fmt::format("{} is too short: at least {}", base::printable(text), base::format_duration(least)));
        }
        value = *parsed;
    };
    return command.add_option_function<std::string>(flag, read, description)
        ->type_name("DURATION")
        ->default_str(base::format_duration(value));
}

void add_config(CLI::App& command) {
    command.set_config("--config", "", "Read flags from a TOML file; what is on the command line comes first")
        ->type_name("FILE");
    command.config_formatter(std::make_shared<flat_toml>());
    command.allow_config_extras(CLI::config_extras_mode::error);
}

std::optional<int> parse(CLI::App& command, const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants it
    try {
        command.parse(std::move(reversed));
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        std::fputs(command.help().c_str(), stdout);
        return exit_done;
    } catch (const CLI::ParseError& problem) {
        fmt::print(stderr, "{}: {} (see {} --help)\n", command.get_name(), explain(command, problem),
                   command.get_name());
        return exit_usage;
    }
}

int refuse(const CLI::App& command, const std::string& sentence) {
    fmt::print(stderr, "{}: {} (see {} --help)\n", command.get_name(), sentence, command.get_name());
    return exit_usage;
}

}  // namespace qmpwatch::app
