#include "base/log.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace qmpwatch::base::log {

namespace {

/// What it takes to write: the logger, and whether its lines are made here.
struct writer {
    std::unique_ptr<spdlog::logger> logger;
    format shape = format::text;
};

spdlog::level::level_enum to_spdlog(level how) {
    switch (how) {
        case level::debug: return spdlog::level::debug;
        case level::info: return spdlog::level::info;
        case level::warning: return spdlog::level::warn;
        case level::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

std::string_view name(level how) {
    switch (how) {
        case level::debug: return "debug";
        case level::info: return "info";
        case level::warning: return "warning";
        case level::error: return "error";
    }
    return "error";
}

writer make_writer(level least, format shape) {
    writer made;
    made.shape = shape;
    made.logger = std::make_unique<spdlog::logger>("qmpwatch", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.logger->set_level(to_spdlog(least));
    made.logger->flush_on(spdlog::level::trace);
    std::string pattern = "%v";
    if (shape == format::text) {
        pattern = isatty(STDERR_FILENO) != 0 ? "qmpwatch: %v" : "%Y-%m-%dT%H:%M:%S.%eZ %l: %v";
    }
    made.logger->set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
    return made;
}

writer& current() {
    static writer instance = make_writer(level::info, format::text);
    return instance;
}

/// The inside of a JSON string.
std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            safe += '\\';
            safe += letter;
        } else if (byte < 0x20) {
            safe += fmt::format("\\u{:04x}", byte);
        } else {
            safe += letter;
        }
    }
    return printable(safe);
}

std::string json_line(level how, std::string_view message) {
    return fmt::format(R"({{"event":"log","time":"{}","level":"{}","message":"{}"}})", rfc3339(now().wall), name(how),
                       escaped(message));
}

}  // namespace

void configure(level least, format shape) { current() = make_writer(least, shape); }

void write(level how, std::string_view message) {
    writer& target = current();
    if (!target.logger->should_log(to_spdlog(how))) return;
    const std::string line = target.shape == format::json ? json_line(how, message) : printable(message);
    target.logger->log(to_spdlog(how), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace qmpwatch::base::log
