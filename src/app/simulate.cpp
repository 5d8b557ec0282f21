// Builds one scenario a VM from the options and serves them all on one event loop.
#include "app/simulate.hpp"

#include "base/asio.hpp"
#include "base/error.hpp"
#include "sim/scenario.hpp"
#include "sim/server.hpp"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace qmpwatch::app {
namespace {

struct tcp_address {
    std::string host;
    std::uint16_t port = 0;
};

template <class Number>
bool read_number(std::string_view text, Number& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && failure == std::errc() && end == text.data() + text.size();
}

base::result<std::optional<tcp_address>> parse_tcp(std::string_view socket) {
    constexpr std::string_view prefix = "tcp:";
    if (socket.substr(0, prefix.size()) != prefix) return std::optional<tcp_address>();
    socket.remove_prefix(prefix.size());
    const std::size_t colon = socket.rfind(':');
    tcp_address address;
    if (colon == std::string_view::npos || !read_number(socket.substr(colon + 1), address.port)) {
        return base::fail(base::errc::usage, "a TCP socket is written tcp:HOST:PORT");
    }
    address.host = std::string(socket.substr(0, colon));
    if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
        address.host = address.host.substr(1, address.host.size() - 2);
    }
    return std::optional<tcp_address>(std::move(address));
}

base::result<sim::version> parse_version(std::string_view text) {
    sim::version version;
    const std::size_t first = text.find('.');
    const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
    if (second == std::string_view::npos || !read_number(text.substr(0, first), version.major) ||
        !read_number(text.substr(first + 1, second - first - 1), version.minor) ||
        !read_number(text.substr(second + 1), version.micro) || version.major < 0 || version.minor < 0 ||
        version.micro < 0) {
        return base::fail(base::errc::usage, fmt::format("'{}' is not a version: write it as 7.2.22", text));
    }
    version.package = "";
    return version;
}

base::result<sim::gap_kind> parse_gap(std::string_view text) {
    if (text == "none") return sim::gap_kind::none;
    if (text == "idle") return sim::gap_kind::idle;
    if (text == "lost-completion") return sim::gap_kind::lost_completion;
    if (text == "host-stall") return sim::gap_kind::host_stall;
    return base::fail(base::errc::usage,
                      fmt::format("a stall is none, idle, lost-completion or host-stall, not '{}'", text));
}

void add_generated_drives(sim::scenario& vm, const simulate_options& options, sim::gap_kind gap, unsigned number) {
    for (unsigned index = 0; index < options.drives; ++index) {
        sim::load_spec load;
        load.seed = options.seed + std::uint64_t(number) * 1000 + index;
        load.read.operation_bytes = load.write.operation_bytes = options.operation_bytes;
        load.read.latency = load.write.latency = options.latency;
        if (index == 0) {
            load.read.bytes_per_second = options.read_megabytes * 1e6;
            load.gap = gap;
            load.gap_every = options.stall_every;
            load.gap_length = options.stall_length;
        }
        if (index == 1 || options.drives == 1) load.write.bytes_per_second = options.write_megabytes * 1e6;
        if (index == 0) {
            add_drive(vm, sim::guest_device::usb_storage, "install_media", load);
        } else if (index == 1) {
            add_drive(vm, sim::guest_device::nvme, "system", load);
        } else {
            add_drive(vm, sim::guest_device::virtio_blk, fmt::format("disk{}", index), load);
        }
    }
}

base::result<std::shared_ptr<const sim::recording>> load_recording(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return base::fail(base::errc::io, fmt::format("cannot read {}", path));
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto series = sim::read_recording(text);
    if (!series) return base::fail(series.error().code, fmt::format("{}: {}", path, series.error().message));
    return std::make_shared<const sim::recording>(std::move(*series));
}

base::result<sim::scenario> make_scenario(const simulate_options& options,
                                          const std::shared_ptr<const sim::recording>& series, unsigned number) {
    sim::scenario vm;
    vm.protocol = options.protocol == "hmp" ? sim::protocol::hmp : sim::protocol::qmp;
    auto version = parse_version(options.qemu_version);
    if (!version) return version.error();
    vm.version = *version;
    const auto gap = parse_gap(options.stall);
    if (!gap) return gap.error();
    vm.vm_name = options.vms == 1 ? options.vm_name : fmt::format("{}-{:04}", options.vm_name, number + 1);
    vm.uuid = fmt::format("11111111-2222-3333-4444-{:012}", number + 1);
    if (series) {
        play_recording(vm, series, options.speed, options.loop);
    } else {
        add_generated_drives(vm, options, *gap, number);
    }
    for (const std::string& one : options.misbehave) {
        if (const auto applied = sim::apply_misbehaviour(vm, one); !applied) return applied.error();
    }
    return vm;
}

base::result<void> check(const simulate_options& options) {
    const auto usage = [](std::string text) { return base::fail(base::errc::usage, std::move(text)); };
    if (options.socket.empty()) return usage("--socket is missing: say where to listen");
    if (options.protocol != "qmp" && options.protocol != "hmp") return usage("the protocol is qmp or hmp");
    if (options.vms == 0 || options.vms > 100'000) return usage("the number of VMs must be between 1 and 100000");
    if (options.drives == 0 || options.drives > 10'000)
        return usage("the number of drives must be between 1 and 10000");
    if (!(options.speed > 0)) return usage("the speed must be above 0");
    if (!(options.read_megabytes >= 0) || !(options.write_megabytes >= 0)) return usage("a rate must not be negative");
    if (options.operation_bytes == 0) return usage("the size of an operation must be above 0");
    return {};
}

base::result<void> serve(const simulate_options& options) {
    if (const auto checked = check(options); !checked) return checked.error();
    const auto tcp = parse_tcp(options.socket);
    if (!tcp) return tcp.error();
    std::shared_ptr<const sim::recording> series;
    if (!options.play.empty()) {
        auto loaded = load_recording(options.play);
        if (!loaded) return loaded.error();
        series = std::move(*loaded);
    }

    asio::io_context loop(1);
    const auto start = std::chrono::steady_clock::now();
    std::vector<sim::simulated_monitor> monitors;
    monitors.reserve(options.vms);
    unsigned first_port = 0;
    for (unsigned number = 0; number < options.vms; ++number) {
        auto vm = make_scenario(options, series, number);
        if (!vm) return vm.error();
        monitors.emplace_back(loop.get_executor(), std::move(*vm), start);
        if (*tcp) {
            const unsigned port = (*tcp)->port == 0 ? 0 : (*tcp)->port + number;
            if (port > 65535) return base::fail(base::errc::usage, "there are not that many TCP ports above the first");
            const auto taken = monitors.back().listen_tcp((*tcp)->host, static_cast<std::uint16_t>(port));
            if (!taken) return taken.error();
            if (number == 0) first_port = *taken;
        } else {
            const std::string path =
                options.vms == 1 ? options.socket : fmt::format("{}-{:04}", options.socket, number + 1);
            if (const auto listening = monitors.back().listen(path); !listening) return listening.error();
        }
    }
    const std::string first = *tcp ? fmt::format("tcp:{}:{}", (*tcp)->host, first_port) : options.socket;
    if (options.vms == 1) {
        fmt::print("simulating 1 VM: qmpwatch --socket {}\n", first);
    } else if (*tcp) {
        fmt::print("simulating {} VMs on as many ports: qmpwatch --socket {}\n", options.vms, first);
    } else {
        fmt::print("simulating {} VMs: qmpwatch --socket '{}-*'\n", options.vms, first);
    }
    std::fflush(stdout);

    asio::signal_set signals(loop, SIGINT, SIGTERM);
    asio::steady_timer grace(loop);
    signals.async_wait([&](error_code, int) {
        for (sim::simulated_monitor& one : monitors) one.shut_down("host-signal", false);
        // Nothing is left to do once the last bytes are out; a client that does not read them must not hold us.
        grace.expires_after(std::chrono::milliseconds(200));
        grace.async_wait([&loop](error_code) { loop.stop(); });
    });
    loop.run();
    return {};
}

}  // namespace

int simulate(const simulate_options& options) {
    const auto served = serve(options);
    if (served) return 0;
    fmt::print(stderr, "qmpwatch: {}\n", served.error().message);
    return served.error().code == base::errc::usage ? 2 : 1;
}

}  // namespace qmpwatch::app
