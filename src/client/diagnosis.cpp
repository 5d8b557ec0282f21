#include "client/diagnosis.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace qmpwatch::client {

namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Two absolute paths have to be equal; of a relative one only the last component is known to count, because QEMU may
/// have been started in another folder.
bool is_same_file(std::string_view one, std::string_view other) {
    if (one.starts_with('/') && other.starts_with('/')) return one == other;
    return file_name(one) == file_name(other);
}

/// One argument of QEMU's, `socket,id=mon0,path=/tmp/x,server=on`, cut at its commas. A word without `=` has itself as
/// value; a doubled comma in a value is not undone, it is only compared.
std::map<std::string_view, std::string_view> options_of(std::string_view argument) {
    std::map<std::string_view, std::string_view> result;
    bool first = true;
    while (!argument.empty()) {
        const std::size_t comma = argument.find(',');
        const std::string_view part = argument.substr(0, comma);
        argument = comma == std::string_view::npos ? std::string_view() : argument.substr(comma + 1);
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            result[first ? "" : part] = part;
        } else {
            result[part.substr(0, equals)] = part.substr(equals + 1);
        }
        first = false;
    }
    return result;
}

std::string_view at(const std::map<std::string_view, std::string_view>& options, std::string_view key) {
    const auto found = options.find(key);
    return found != options.end() ? found->second : std::string_view();
}

/// `unix:PATH,server=on` as -qmp, -monitor and -serial take it.
bool is_unix(std::string_view argument, std::string_view path) {
    constexpr std::string_view prefix = "unix:";
    if (!argument.starts_with(prefix)) return false;
    argument.remove_prefix(prefix.size());
    return is_same_file(argument.substr(0, argument.find(',')), path);
}

}  // namespace

bool is_qemu(const std::vector<std::string>& command_line) {
    // The first words, not only the first: QEMU may run under a loader, a wrapper or a debugger.
    const std::size_t looked_at = std::min<std::size_t>(command_line.size(), 6);
    return std::any_of(command_line.begin(), command_line.begin() + static_cast<std::ptrdiff_t>(looked_at),
                       [](const std::string& word) {
                           const std::string_view name = file_name(word);
                           return name.starts_with("qemu") || name == "kvm" || name == "QEMULauncher";
                       });
}

socket_use use_of_socket(const std::vector<std::string>& command_line, std::string_view path) {
    std::string_view chardev;
    bool muxed = false;
    for (std::size_t i = 0; i + 1 < command_line.size(); ++i) {
        std::string_view flag = command_line[i];
        if (flag.starts_with("--")) flag.remove_prefix(1);
        const std::string_view argument = command_line[i + 1];
        if (flag == "-qmp" || flag == "-qmp-pretty" || flag == "-monitor") {
            if (is_unix(argument, path)) return socket_use::monitor;
        } else if (flag == "-serial" || flag == "-parallel") {
            constexpr std::string_view muxed_with_monitor = "mon:";
            if (argument.starts_with(muxed_with_monitor) && is_unix(argument.substr(4), path)) return socket_use::muxed;
            if (is_unix(argument, path)) return socket_use::serial;
        } else if (flag == "-chardev") {
            const auto options = options_of(argument);
            if (at(options, "") == "socket" && is_same_file(at(options, "path"), path)) {
                chardev = at(options, "id");
                muxed = at(options, "mux") == "on" || at(options, "mux") == "mux";
            }
        }
    }
    if (chardev.empty()) return socket_use::unknown;
    if (muxed) return socket_use::muxed;
    for (std::size_t i = 0; i + 1 < command_line.size(); ++i) {
        const std::string_view flag = command_line[i];
        const std::string_view argument = command_line[i + 1];
        const auto options = options_of(argument);
        if (flag == "-mon" && (at(options, "chardev") == chardev || at(options, "") == chardev)) {
            return socket_use::monitor;
        }
        if (flag == "-device" && at(options, "chardev") == chardev) {
            return at(options, "name").starts_with("org.qemu.guest_agent") ? socket_use::guest_agent
                                                                           : socket_use::serial;
        }
        if (flag == "-serial" && argument == "chardev:" + std::string(chardev)) return socket_use::serial;
    }
    return socket_use::serial;
}

std::string explain_silence(socket_use use) {
    switch (use) {
        case socket_use::muxed:
            return "this monitor shares its socket with a serial port (mux=on or mon:) and cannot be watched without "
                   "typing into the guest: give QEMU a monitor of its own, -qmp unix:PATH,server=on,wait=off";
        case socket_use::guest_agent:
            return "this is the guest agent's socket, not the monitor's: give the path of -qmp or -monitor";
        case socket_use::serial:
            return "this is the socket of a serial port or another device, not the monitor's: give the path of -qmp or "
                   "-monitor";
        case socket_use::monitor:
            return "another client owns the monitor, which serves one at a time: end that client, or give QEMU a "
                   "second "
                   "monitor, -qmp unix:PATH2,server=on,wait=off (an HMP monitor is also silent while QEMU's main loop "
                   "is blocked)";
        case socket_use::unknown: break;
    }
    return "connected, but nobody answers: another client owns the monitor (it serves one at a time), or this is not a "
           "monitor's socket";
}

}  // namespace qmpwatch::client
