#include "client/conversation.hpp"

#include "base/process.hpp"
#include "base/text.hpp"
#include "client/diagnosis.hpp"
#include "client/identify.hpp"
#include "client/questions.hpp"
#include "sample/attachment.hpp"
#include "sample/blockstats.hpp"
#include "sample/query_block.hpp"
#include "sample/vm_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace qmpwatch::client {

namespace {

using std::chrono::steady_clock;

bool ends_the_connection(const base::result<std::string>& text) {
    return text.has_error() && !base::connection_survives(text.error().code);
}

/// Events after which the run state may be another.
bool may_change_run_state(std::string_view event) {
    constexpr std::array<std::string_view, 10> names{"STOP",      "RESUME",        "SHUTDOWN", "RESET",
                                                     "SUSPEND",   "WAKEUP",        "WATCHDOG", "GUEST_PANICKED",
                                                     "MIGRATION", "BLOCK_IO_ERROR"};
    return std::find(names.begin(), names.end(), event) != names.end();
}

}  // namespace

conversation::conversation(link& connection, const address& where, const watch_settings& settings, announcer& states,
                           observer& out)
    : connection_(connection), where_(where), settings_(settings), states_(states), out_(out) {}

asio::awaitable<base::error> conversation::hold() {
    const base::result<void> identified = co_await identify();
    if (identified.has_error()) co_return identified.error();
    states_.say(sample::monitor_state::ready);
    const base::result<void> looked = co_await read_run_state();
    if (looked.has_error()) co_return looked.error();

    const base::cadence beat(steady_clock::now(), settings_.poll);
    base::steady_time due = beat.next_after(steady_clock::now()) - settings_.poll;
    for (;;) {
        const base::result<void> polled = co_await poll(due);
        if (polled.has_error()) {
            if (shut_down_) co_return base::fail(base::errc::closed, "the VM has shut down");
            co_return polled.error();
        }
        // The beat stands; what is wanted sooner comes in between.
        const base::steady_time now = steady_clock::now();
        due = std::min(beat.next_after(now), now + out_.wanted_poll(settings_.poll));
        const base::result<void> rested = co_await rest_until(due);
        if (rested.has_error()) {
            if (shut_down_) co_return base::fail(base::errc::closed, "the VM has shut down");
            co_return rested.error();
        }
    }
}

asio::awaitable<conversation::exchange> conversation::ask(std::string_view command, std::string_view arguments) {
    exchange result;
    result.sent = steady_clock::now();
    base::steady_time deadline = result.sent + settings_.reply;
    base::result<monitor::ticket> question = base::fail(base::errc::io, "not asked");
    if (speaks_qmp()) {
        question = co_await connection_.ask_qmp(command, arguments, deadline);
    } else {
        question = co_await connection_.ask_hmp(command, deadline);
    }
    if (question.has_error()) {
        result.text = question.error();
        co_return result;
    }
    for (;;) {
        result.text = co_await connection_.answer_to(*question, deadline);
        hear_events();
        if (result.text.has_error() && result.text.error().code == base::errc::timed_out) {
            result.late = true;
            co_await look_why_silent();
            deadline = steady_clock::now() + settings_.reply / 2;
            continue;
        }
        result.heard = connection_.heard_at();
        // Only an answer in time makes a monitor ready again: one that is always late would be in and out of it.
        const auto state = states_.state();
        const bool was_silent = state == sample::monitor_state::blocked || state == sample::monitor_state::stopped;
        if (was_silent && !result.late && !ends_the_connection(result.text)) {
            states_.say(sample::monitor_state::ready);
        }
        co_return result;
    }
}

asio::awaitable<void> conversation::look_why_silent() {
    constexpr const char* blocked =
        "QEMU runs, but its main loop does not answer: something holds it up on the host (slow or dead storage, a "
        "snapshot, a stuck block job)";
    bool is_stopped = false;
    bool is_known = false;
    if (process_) {
        if (const auto usage = base::read_process(*process_); usage.has_value()) {
            is_known = true;
            is_stopped = usage->is_stopped();
        }
    }
    if (!is_known && connection_.session().can_out_of_band() && !ping_) {
        // The monitor's own thread answers out of band while the main loop is blocked; a stopped process says nothing.
        const base::steady_time deadline = steady_clock::now() + settings_.reply / 4;
        const base::result<monitor::ticket> ping = co_await connection_.ask_out_of_band("query-yank", deadline);
        if (ping.has_value()) {
            const base::result<std::string> pong = co_await connection_.answer_to(*ping, deadline);
            is_stopped = pong.has_error() && pong.error().code == base::errc::timed_out;
            if (is_stopped) ping_ = *ping;  // one unanswered ping is enough: they would pile up
        }
    } else if (!is_known && ping_) {
        const base::steady_time deadline = steady_clock::now() + base::milliseconds(1);
        const base::result<std::string> pong = co_await connection_.answer_to(*ping_, deadline);
        is_stopped = pong.has_error() && pong.error().code == base::errc::timed_out;
        if (!is_stopped) ping_.reset();
    }
    if (is_stopped) {
        std::string detail = "the QEMU process is stopped (SIGSTOP or a debugger)";
        if (process_) detail += fmt::format(": continue it with kill -CONT {}", *process_);
        states_.say(sample::monitor_state::stopped, std::move(detail));
    } else {
        states_.say(sample::monitor_state::blocked, blocked);
    }
}

asio::awaitable<base::result<void>> conversation::identify() {
    sample::vm_identity vm;
    vm.socket = where_.text();
    vm.version = connection_.session().version();
    vm.package = connection_.session().package();
    vm.protocol = speaks_qmp() ? "qmp" : "hmp";
    if (const std::optional<int> peer = connection_.peer_process()) {
        // Whoever made the socket is behind it: QEMU, or a manager that handed it over. Only QEMU's use is shown.
        const auto command_line = base::read_command_line(*peer);
        if (command_line.has_value() && is_qemu(*command_line)) {
            process_ = *peer;
            vm.pid = *peer;
        }
    }
    base::result<void> done;
    if (speaks_qmp()) {
        done = co_await identify_qmp(vm);
    } else {
        done = co_await identify_hmp(vm);
    }
    if (done.has_error()) co_return done.error();
    out_.identified(vm);
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> conversation::identify_qmp(sample::vm_identity& vm) {
    exchange answered = co_await ask("query-name");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.name = text_member(*answered.text, "name");

    answered = co_await ask("query-uuid");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.uuid = text_member(*answered.text, "UUID");

    answered = co_await ask("query-target");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.arch = text_member(*answered.text, "arch");

    answered = co_await ask("qom-get", R"({"path":"/machine","property":"type"})");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.machine = machine_from_type(text_value(*answered.text).value_or(""));

    answered = co_await ask("query-cpus-fast");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.cpus = sample::decode_cpus(*answered.text);

    answered = co_await ask("query-memory-size-summary");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.memory_bytes = sample::decode_memory_size(*answered.text);

    const base::result<std::string> accelerator = co_await accelerator_qmp();
    if (accelerator.has_error()) co_return accelerator.error();
    vm.accelerator = *accelerator;
    co_return base::result<void>();
}

asio::awaitable<base::result<std::string>> conversation::accelerator_qmp() {
    exchange answered = co_await ask("query-accelerators");  // since 10.2
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) co_return text_member(*answered.text, "enabled");

    answered = co_await ask("query-kvm");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value() && kvm_enabled(*answered.text)) co_return std::string("kvm");

    answered = co_await ask("x-query-jit");  // only TCG has one
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) co_return std::string("tcg");
    co_return std::string();
}

asio::awaitable<base::result<void>> conversation::identify_hmp(sample::vm_identity& vm) {
    exchange answered = co_await ask("info name");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.name = line_from_hmp(*answered.text);

    answered = co_await ask("info uuid");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.uuid = line_from_hmp(*answered.text);

    answered = co_await ask("info version");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.package = package_from_hmp(*answered.text, vm.version);

    answered = co_await ask("info cpus");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.cpus = sample::decode_hmp_cpus(*answered.text);

    answered = co_await ask("info memory_size_summary");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.memory_bytes = sample::decode_hmp_memory_size(*answered.text);

    answered = co_await ask("info accelerators");  // since 10.2
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value()) vm.accelerator = accelerator_from_hmp(*answered.text);
    if (!vm.accelerator.empty()) co_return base::result<void>();

    answered = co_await ask("info kvm");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    if (answered.text.has_value() && kvm_enabled_from_hmp(*answered.text)) vm.accelerator = "kvm";
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> conversation::read_run_state() {
    const std::string_view command = speaks_qmp() ? "query-status" : "info status";
    const exchange answered = co_await ask(command);
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    run_state_due_ = steady_clock::now() + settings_.run_state;
    if (answered.text.has_value()) {
        const std::string state =
            speaks_qmp() ? text_member(*answered.text, "status") : run_state_from_hmp(*answered.text);
        if (!state.empty()) out_.run_state_changed({state, base::now()});
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<sample::attachment>> conversation::walk(std::string qdev) {
    sample::attachment_walk path(std::move(qdev));
    while (const sample::qom_question* question = path.next()) {
        const std::string arguments = qom_get_arguments(question->path, question->property);
        const exchange answered = co_await ask("qom-get", arguments);
        if (ends_the_connection(answered.text)) co_return answered.text.error();
        path.answer(answered.text.has_value() ? text_value(*answered.text) : std::nullopt);
    }
    co_return path.result();
}

asio::awaitable<base::result<void>> conversation::read_inventory() {
    sample::inventory drives;
    base::result<void> done;
    if (speaks_qmp()) {
        done = co_await read_inventory_qmp(drives);
    } else {
        done = co_await read_inventory_hmp(drives);
    }
    if (done.has_error()) co_return done.error();
    inventory_due_ = steady_clock::now() + settings_.inventory;
    if (!inventory_read_ || drives != inventory_) {
        inventory_ = std::move(drives);
        inventory_read_ = true;
        out_.inventory_changed(inventory_);
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> conversation::read_inventory_qmp(sample::inventory& drives) {
    const exchange answered = co_await ask("query-block");
    if (ends_the_connection(answered.text)) co_return answered.text.error();
    sample::inventory media;
    if (answered.text.has_value()) {
        if (auto decoded = sample::decode_query_block(*answered.text); decoded.has_value()) media = std::move(*decoded);
    }
    for (const sample::drive_identity& identity : known_drives_) {
        sample::drive_info drive;
        if (const sample::drive_info* found = find_drive(media, identity)) drive.media = found->media;
        drive.identity = identity;
        if (!identity.qdev.empty()) {
            const base::result<sample::attachment> attached = co_await walk(identity.qdev);
            if (attached.has_error()) co_return attached.error();
            drive.attachment = *attached;
        }
        drives.push_back(std::move(drive));
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> conversation::read_inventory_hmp(sample::inventory& drives) {
    const exchange blocks = co_await ask("info block");
    if (ends_the_connection(blocks.text)) co_return blocks.text.error();
    if (blocks.text.has_value()) drives = sample::decode_hmp_info_block(*blocks.text);

    const exchange tree = co_await ask("info qtree");
    if (ends_the_connection(tree.text)) co_return tree.text.error();
    std::vector<sample::qtree_drive> attached;
    if (tree.text.has_value()) attached = sample::decode_hmp_qtree(*tree.text);
    attach_by_tree(drives, attached);
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> conversation::poll(base::steady_time due) {
    sample::poll_result outcome;
    const base::steady_time begun = steady_clock::now();
    outcome.lateness = begun - due;
    const std::string_view command = speaks_qmp() ? "query-blockstats" : "info blockstats";
    const exchange answered = co_await ask(command);
    outcome.duration = steady_clock::now() - begun;
    if (answered.late || answered.text.has_error()) {
        // A late answer says how the counters were, but nobody knows when: the next beat asks again.
        outcome.outcome = answered.late ? sample::poll_outcome::timed_out : sample::poll_outcome::failed;
        out_.poll_ended(outcome);
        if (ends_the_connection(answered.text)) co_return answered.text.error();
        co_return base::result<void>();
    }
    const base::result<bool> read = co_await read_counters(answered);
    if (read.has_error()) {
        outcome.outcome = sample::poll_outcome::failed;
        out_.poll_ended(outcome);
        co_return read.error();
    }
    if (*read) {
        read_process();
        out_.sampled(sample_);
    }
    out_.poll_ended(outcome);
    if (!speaks_qmp() || steady_clock::now() >= run_state_due_) co_return co_await read_run_state();
    co_return base::result<void>();
}

/// Decodes the counters and learns about drives that came or changed. False when they cannot be told apart yet.
asio::awaitable<base::result<bool>> conversation::read_counters(const exchange& answered) {
    sample_.rtt = answered.heard - answered.sent;
    const base::steady_time middle = answered.sent + sample_.rtt / 2;
    const base::instant now = base::now();
    sample_.at.steady = middle;
    sample_.at.wall = now.wall - std::chrono::duration_cast<base::wall_time::duration>(now.steady - middle);
    const base::result<void> decoded = speaks_qmp() ? sample::decode_blockstats(*answered.text, sample_.drives)
                                                    : sample::decode_hmp_blockstats(*answered.text, sample_.drives);
    if (decoded.has_error()) co_return base::fail(base::errc::protocol, decoded.error().message);

    if (speaks_qmp()) {
        if (drives_changed()) {
            known_drives_.clear();
            for (const sample::drive_sample& drive : sample_.drives) known_drives_.push_back(drive.identity);
            const base::result<void> looked = co_await read_inventory();
            if (looked.has_error()) co_return looked.error();
        }
        co_return true;
    }
    const bool has_removable = std::any_of(inventory_.begin(), inventory_.end(),
                                           [](const sample::drive_info& one) { return one.media.removable; });
    const bool is_due = has_removable && steady_clock::now() >= inventory_due_;
    if (inventory_read_ && !is_due && sample::identify_by_inventory(sample_.drives, inventory_)) co_return true;
    const base::result<void> looked = co_await read_inventory();
    if (looked.has_error()) co_return looked.error();
    co_return sample::identify_by_inventory(sample_.drives, inventory_);
}

asio::awaitable<base::result<void>> conversation::rest_until(base::steady_time tick) {
    while (steady_clock::now() < tick) {
        const base::result<void> listened = co_await connection_.listen(tick);
        hear_events();
        if (listened.has_error()) co_return listened.error();
        if (speaks_qmp() && run_state_due_ == base::steady_time{}) {
            const base::result<void> looked = co_await read_run_state();
            if (looked.has_error()) co_return looked.error();
        }
    }
    co_return base::result<void>();
}

void conversation::hear_events() {
    monitor::announcement heard;
    while (connection_.take_event(heard)) {
        if (may_change_run_state(heard.event)) run_state_due_ = {};
        if (heard.event == "SHUTDOWN") shut_down_ = true;
        out_.event_heard({base::printable(heard.event), std::move(heard.data), base::now()});
    }
}

bool conversation::drives_changed() const {
    return !std::equal(known_drives_.begin(), known_drives_.end(), sample_.drives.begin(), sample_.drives.end(),
                       [](const sample::drive_identity& known, const sample::drive_sample& seen) {
                           return known == seen.identity;
                       }) ||
           !inventory_read_;
}

void conversation::read_process() {
    sample_.process.reset();
    if (!process_ || steady_clock::now() < process_due_) return;
    process_due_ = steady_clock::now() + settings_.process;
    if (const auto usage = base::read_process(*process_); usage.has_value()) sample_.process = *usage;
}

}  // namespace qmpwatch::client
