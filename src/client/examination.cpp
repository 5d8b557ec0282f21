#include "client/examination.hpp"

#include "base/process.hpp"
#include "client/diagnosis.hpp"
#include "client/identify.hpp"
#include "client/questions.hpp"
#include "sample/attachment.hpp"
#include "sample/query_block.hpp"
#include "sample/vm_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace qmpwatch::client {

using sample::interrupt_controller;
using std::chrono::steady_clock;

namespace {

constexpr base::nanoseconds reply_time = base::seconds(2);

}  // namespace

examination::examination(link& connection, const address& where) : connection_(connection), where_(where) {}

asio::awaitable<base::result<sample::vm_facts>> examination::look(base::steady_time deadline) {
    deadline_ = deadline;
    found_ = sample::vm_facts();
    sample::vm_identity& vm = found_.identity;
    vm.vm = name_from_address(where_);
    vm.socket = where_.text();
    vm.version = connection_.session().version();
    vm.package = connection_.session().package();
    vm.protocol = speaks_qmp() ? "qmp" : "hmp";
    if (const std::optional<int> peer = connection_.peer_process()) {
        auto words = base::read_command_line(*peer);
        if (words.has_value() && is_qemu(*words)) {
            vm.pid = *peer;
            command_line_ = std::move(*words);
        }
    }
    base::result<void> done;
    if (speaks_qmp()) {
        done = co_await look_qmp();
    } else {
        done = co_await look_hmp();
    }
    if (done.has_error()) co_return done.error();
    if (!vm.name.empty()) vm.vm = vm.name;
    if (!command_line_.empty()) sample::apply_command_line(found_, sample::read_options(command_line_));
    sample::conclude_from_controller(found_);
    co_return found_;
}

asio::awaitable<base::result<std::optional<std::string>>> examination::ask(std::string_view command,
                                                                           std::string_view arguments) {
    const base::steady_time until = std::min(deadline_, steady_clock::now() + reply_time);
    base::result<monitor::ticket> question = base::fail(base::errc::io, "not asked");
    if (speaks_qmp()) {
        question = co_await connection_.ask_qmp(command, arguments, until);
    } else {
        question = co_await connection_.ask_hmp(command, until);
    }
    if (question.has_error()) co_return question.error();
    base::result<std::string> text = co_await connection_.answer_to(*question, until);
    monitor::announcement heard;
    while (connection_.take_event(heard)) {
    }
    if (text.has_value()) co_return std::optional<std::string>(std::move(*text));
    if (text.error().code == base::errc::refused) co_return std::optional<std::string>();
    if (text.error().code == base::errc::timed_out) {
        co_return base::fail(
            base::errc::timed_out,
            fmt::format("QEMU does not answer {}: its main loop is blocked, or the process is stopped", command));
    }
    co_return text.error();
}

asio::awaitable<base::result<std::string>> examination::ask_text(std::string_view command, std::string_view arguments) {
    base::result<std::optional<std::string>> answered = co_await ask(command, arguments);
    if (answered.has_error()) co_return answered.error();
    co_return std::move(*answered).value_or(std::string());
}

asio::awaitable<base::result<std::string>> examination::property(std::string_view path, std::string_view name) {
    const std::string arguments = qom_get_arguments(path, name);
    const base::result<std::string> answered = co_await ask_text("qom-get", arguments);
    if (answered.has_error()) co_return answered.error();
    co_return text_value(*answered).value_or(std::string());
}

asio::awaitable<base::result<void>> examination::look_qmp() {
    base::result<std::string> answered = co_await ask_text("query-name");
    if (answered.has_error()) co_return answered.error();
    found_.identity.name = text_member(*answered, "name");

    answered = co_await ask_text("query-target");
    if (answered.has_error()) co_return answered.error();
    found_.identity.arch = text_member(*answered, "arch");

    answered = co_await property("/machine", "type");
    if (answered.has_error()) co_return answered.error();
    found_.identity.machine = machine_from_type(*answered);

    answered = co_await ask_text("query-cpus-fast");
    if (answered.has_error()) co_return answered.error();
    found_.identity.cpus = sample::decode_cpus(*answered);
    first_processor_ = first_processor(*answered);

    answered = co_await ask_text("query-memory-size-summary");
    if (answered.has_error()) co_return answered.error();
    found_.identity.memory_bytes = sample::decode_memory_size(*answered);

    base::result<void> done = co_await read_accelerator();
    if (done.has_error()) co_return done.error();
    done = co_await read_controller();
    if (done.has_error()) co_return done.error();
    done = co_await read_drives();
    if (done.has_error()) co_return done.error();

    answered = co_await ask_text("x-query-usb");
    if (answered.has_error()) co_return answered.error();
    sample::apply_usb_list(found_, sample::decode_usb_list(raw_text_member(*answered, "human-readable-text")));
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_accelerator() {
    std::string& accelerator = found_.identity.accelerator;
    const base::result<std::optional<std::string>> named = co_await ask("query-accelerators");  // since 10.2
    if (named.has_error()) co_return named.error();
    if (*named) {
        accelerator = text_member(**named, "enabled");
        co_return base::result<void>();
    }
    const base::result<std::string> kvm = co_await ask_text("query-kvm");
    if (kvm.has_error()) co_return kvm.error();
    if (kvm_enabled(*kvm)) {
        accelerator = "kvm";
        co_return base::result<void>();
    }
    const base::result<std::optional<std::string>> jit = co_await ask("x-query-jit");  // only TCG has one
    if (jit.has_error()) co_return jit.error();
    if (*jit) accelerator = "tcg";
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_controller() {
    const std::string& arch = found_.identity.arch;
    if (arch == "aarch64" || arch == "arm") co_return co_await read_arm_controller();
    if (arch == "x86_64" || arch == "i386") co_return co_await read_x86_controller();
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_arm_controller() {
    const base::result<std::string> version = co_await property("/machine", "gic-version");
    if (version.has_error()) co_return version.error();
    found_.gic_version = *version;

    const std::string container = qom_list_arguments("/machine/unattached");
    const base::result<std::string> children = co_await ask_text("qom-list", container);
    if (children.has_error()) co_return children.error();
    for (const std::string& type : child_types(*children)) {
        const interrupt_controller where = sample::controller_of_type(type);
        if (where == interrupt_controller::unknown || type.find("gic") == std::string::npos) continue;
        // Beside the GIC there may be in-kernel helpers of it, such as its ITS.
        if (type.find("its") != std::string::npos) continue;
        found_.controller = where;
        found_.controller_type = type;
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_x86_controller() {
    if (first_processor_.empty()) co_return base::result<void>();
    // The local APIC decides: with kernel-irqchip=split the I/O APIC is QEMU's, and what PCI devices send is not.
    const std::string apic = first_processor_ + "/lapic";
    const base::result<std::string> type = co_await property(apic, "type");
    if (type.has_error()) co_return type.error();
    found_.controller = sample::controller_of_type(*type);
    found_.controller_type = *type;
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_drives() {
    const base::result<std::string> blocks = co_await ask_text("query-block");
    if (blocks.has_error()) co_return blocks.error();
    base::result<sample::inventory> drives = sample::decode_query_block(*blocks);
    if (drives.has_error()) co_return base::result<void>();
    for (sample::drive_info& drive : *drives) {
        sample::attachment_walk walk(drive.identity.qdev);
        while (const sample::qom_question* question = walk.next()) {
            const std::string path = question->path;
            const std::string name = question->property;
            const std::string arguments = qom_get_arguments(path, name);
            const base::result<std::optional<std::string>> answered = co_await ask("qom-get", arguments);
            if (answered.has_error()) co_return answered.error();
            std::optional<std::string> value;
            if (*answered) value = text_value(**answered);
            walk.answer(std::move(value));
        }
        drive.attachment = walk.result();
    }
    take_drives(std::move(*drives), sample::decode_drive_settings(*blocks));
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::look_hmp() {
    base::result<std::string> answered = co_await ask_text("info name");
    if (answered.has_error()) co_return answered.error();
    found_.identity.name = line_from_hmp(*answered);

    answered = co_await ask_text("info version");
    if (answered.has_error()) co_return answered.error();
    found_.identity.package = package_from_hmp(*answered, found_.identity.version);

    answered = co_await ask_text("info cpus");
    if (answered.has_error()) co_return answered.error();
    found_.identity.cpus = sample::decode_hmp_cpus(*answered);

    answered = co_await ask_text("info memory_size_summary");
    if (answered.has_error()) co_return answered.error();
    found_.identity.memory_bytes = sample::decode_hmp_memory_size(*answered);

    const base::result<void> done = co_await read_accelerator_hmp();
    if (done.has_error()) co_return done.error();

    const base::result<std::string> blocks = co_await ask_text("info block");
    if (blocks.has_error()) co_return blocks.error();
    const base::result<std::string> tree = co_await ask_text("info qtree");
    if (tree.has_error()) co_return tree.error();
    sample::inventory drives = sample::decode_hmp_info_block(*blocks);
    attach_by_tree(drives, sample::decode_hmp_qtree(*tree));
    take_drives(std::move(drives), sample::decode_hmp_drive_settings(*blocks));
    found_.controller_type = sample::controller_in_qtree(*tree);
    // An emulated I/O APIC leaves open where the local APICs are: the tree does not show them.
    found_.controller = sample::controller_of_type(found_.controller_type);

    answered = co_await ask_text("info usb");
    if (answered.has_error()) co_return answered.error();
    sample::apply_usb_list(found_, sample::decode_usb_list(*answered));
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examination::read_accelerator_hmp() {
    std::string& accelerator = found_.identity.accelerator;
    base::result<std::string> answered = co_await ask_text("info accelerators");  // since 10.2
    if (answered.has_error()) co_return answered.error();
    accelerator = accelerator_from_hmp(*answered);
    if (!accelerator.empty()) co_return base::result<void>();

    answered = co_await ask_text("info kvm");
    if (answered.has_error()) co_return answered.error();
    if (kvm_enabled_from_hmp(*answered)) {
        accelerator = "kvm";
        co_return base::result<void>();
    }
    answered = co_await ask_text("info jit");  // only TCG has one
    if (answered.has_error()) co_return answered.error();
    if (answered->find("Translation buffer state") != std::string::npos) accelerator = "tcg";
    co_return base::result<void>();
}

void examination::take_drives(sample::inventory drives, std::vector<sample::drive_settings> settings) {
    for (std::size_t i = 0; i < drives.size(); ++i) {
        sample::drive_facts drive;
        drive.info = std::move(drives[i]);
        if (i < settings.size()) drive.settings = settings[i];
        found_.drives.push_back(std::move(drive));
    }
}

}  // namespace qmpwatch::client
