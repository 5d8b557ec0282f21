#include "app/command_line.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>

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

base::nanoseconds read_duration(const std::string& flags, const std::string& text, base::nanoseconds least) {
    const base::result<base::nanoseconds> parsed = base::parse_duration(text);
    if (parsed.has_error()) throw CLI::ValidationError(flags, parsed.error().message);
    if (*parsed < least) {
        throw CLI::ValidationError(
            flags, fmt::format("{} is too short: at least {}", base::printable(text), base::format_duration(least)));
    }
    return *parsed;
}

/// CLI11 takes -1 for a large number, 010 for 8 and nothing for 0.
std::string complain_of_count(const std::string& text) {
    constexpr std::size_t most_digits = 19;  // that fit into 64 bits, whatever they are
    const bool is_count = !text.empty() && text.size() <= most_digits &&
                          text.find_first_not_of("0123456789") == std::string::npos &&
                          (text == "0" || text.front() != '0');
    return is_count ? "" : fmt::format("'{}' is no whole number (0 or more)", base::printable(text));
}

std::string complain_of_nothing(const std::string& text) { return text.empty() ? "a number is missing" : ""; }

/// What a shell leaves of a pattern that matches nothing.
std::string complain_of_flag(const std::string& text) {
    if (!text.starts_with("--")) return "";
    return fmt::format("nothing is given, {} comes next", base::printable(text));
}

CLI::Validator complaining(std::string (*complain)(const std::string&)) {
    return {[complain](std::string& text) { return complain(text); }, ""};
}

}  // namespace

command_line::command_line(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {}

command_line::~command_line() = default;

void command_line::flag(const std::string& flags, bool& value, const std::string& description) {
    app_->add_flag(flags, value, description);
}

void command_line::text(const std::string& flags, std::string& value, const std::string& placeholder,
                        const std::string& description) {
    app_->add_option(flags, value, description)->type_name(placeholder)->capture_default_str();
}

void command_line::text_or_nothing(const std::string& flags, std::optional<std::string>& value,
                                   const std::string& placeholder, const std::string& description) {
    app_->add_option_function<std::string>(
            flags, [&value](const std::string& text) { value = text; }, description)
        ->type_name(placeholder)
        ->expected(0, 1);
}

void command_line::texts(const std::string& flags, std::vector<std::string>& values, const std::string& placeholder,
                         const std::string& description) {
    app_->add_option(flags, values, description)
        ->type_name(placeholder)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void command_line::lists(const std::string& flags, std::vector<std::string>& values, const std::string& placeholder,
                         const std::string& description) {
    app_->add_option(flags, values, description)
        ->type_name(placeholder)
        ->expected(1, CLI::detail::expected_max_vector_size)
        ->check(complaining(complain_of_flag))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void command_line::number(const std::string& flags, double& value, const std::string& placeholder,
                          const std::string& description) {
    app_->add_option(flags, value, description)
        ->type_name(placeholder)
        ->capture_default_str()
        ->check(complaining(complain_of_nothing));
}

void command_line::number(const std::string& flags, std::optional<double>& value, const std::string& placeholder,
                          const std::string& description) {
    app_->add_option_function<double>(
            flags, [&value](double number) { value = number; }, description)
        ->type_name(placeholder)
        ->check(complaining(complain_of_nothing));
}

void command_line::number(const std::string& flags, unsigned& value, const std::string& placeholder,
                          const std::string& description) {
    app_->add_option(flags, value, description)
        ->type_name(placeholder)
        ->capture_default_str()
        ->check(complaining(complain_of_count));
}

void command_line::number(const std::string& flags, std::uint64_t& value, const std::string& placeholder,
                          const std::string& description) {
    app_->add_option(flags, value, description)
        ->type_name(placeholder)
        ->capture_default_str()
        ->check(complaining(complain_of_count));
}

void command_line::number(const std::string& flags, std::optional<std::uint64_t>& value, const std::string& placeholder,
                          const std::string& description) {
    app_->add_option_function<std::uint64_t>(
            flags, [&value](std::uint64_t number) { value = number; }, description)
        ->type_name(placeholder)
        ->check(complaining(complain_of_count));
}

void command_line::duration(const std::string& flags, base::nanoseconds& value, base::nanoseconds least,
                            const std::string& description) {
    const auto read = [&value, flags, least](const std::string& text) { value = read_duration(flags, text, least); };
    app_->add_option_function<std::string>(flags, read, description)
        ->type_name("DURATION")
        ->default_str(base::format_duration(value));
}

void command_line::duration(const std::string& flags, std::optional<base::nanoseconds>& value, base::nanoseconds least,
                            const std::string& description) {
    const auto read = [&value, flags, least](const std::string& text) { value = read_duration(flags, text, least); };
    app_->add_option_function<std::string>(flags, read, description)->type_name("DURATION");
}

void command_line::word(const std::string& name, std::string& value, const std::string& placeholder,
                        const std::string& description) {
    app_->add_option(name, value, description)->type_name(placeholder);
}

void command_line::words(const std::string& name, std::vector<std::string>& values, const std::string& placeholder,
                         const std::string& description) {
    app_->add_option(name, values, description)->type_name(placeholder);
}

void command_line::require(const std::string& flag) { app_->get_option(flag)->required(); }

void command_line::config_file() {
    app_->set_config("--config", "", "Read flags from a TOML file; what is on the command line comes first")
        ->type_name("FILE");
    app_->config_formatter(std::make_shared<flat_toml>());
    app_->allow_config_extras(CLI::config_extras_mode::error);
}

void command_line::footer(const std::string& text) { app_->footer(text); }

std::optional<int> command_line::parse(const std::vector<std::string>& arguments) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    try {
        app_->parse(std::move(reversed));
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        std::fputs(app_->help().c_str(), stdout);
        return exit_done;
    } catch (const CLI::ParseError& problem) {
        return refuse(explain(*app_, problem));
    }
}

bool command_line::has(const std::string& flag) const { return app_->count(flag) > 0; }

std::string command_line::name() const { return app_->get_name(); }

int command_line::refuse(const std::string& sentence) const {
    fmt::print(stderr, "{0}: {1} (see {0} --help)\n", name(), sentence);
    return exit_usage;
}

}  // namespace qmpwatch::app
