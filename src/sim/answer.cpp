// Dispatch of the commands that a read-only client may send; everything else is not found, as QEMU says it.
#include "sim/answer.hpp"

#include "base/format.hpp"
#include "base/json.hpp"
#include "sim/encode_hmp.hpp"
#include "sim/encode_qmp.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qmpwatch::sim {
namespace {

using document = nlohmann::ordered_json;

constexpr unsigned first_cpu_thread = 4242;

struct failure {
    std::string_view error_class = "GenericError";
    std::string description;
};

failure not_found(std::string_view command) {
    return {"CommandNotFound", fmt::format("The command {} has not been found", command)};
}

/// The arguments a command takes; the check of QEMU's generated code.
std::optional<failure> check_arguments(const document& arguments, std::initializer_list<std::string_view> mandatory,
                                       std::string_view optional_flag = {}) {
    for (const std::string_view name : mandatory) {
        const auto found = arguments.find(name);
        if (found == arguments.end()) return failure{"GenericError", fmt::format("Parameter '{}' is missing", name)};
        if (!found->is_string()) {
            return failure{"GenericError", fmt::format("Invalid parameter type for '{}', expected: string", name)};
        }
    }
    for (const auto& [name, value] : arguments.items()) {
        if (!optional_flag.empty() && name == optional_flag) {
            if (!value.is_boolean()) {
                return failure{"GenericError", fmt::format("Invalid parameter type for '{}', expected: boolean", name)};
            }
        } else if (std::find(mandatory.begin(), mandatory.end(), name) == mandatory.end()) {
            return failure{"GenericError", fmt::format("Parameter '{}' is unexpected", name)};
        }
    }
    return std::nullopt;
}

/// What `info usb` prints: each usb-storage device on a fast port of its own.
std::string usb_list(const std::vector<drive_spec>& drives) {
    std::string text;
    int port = 0;
    for (const drive_spec& drive : drives) {
        if (drive.kind != guest_device::usb_storage) continue;
        constexpr std::string_view named = "/machine/peripheral/";
        std::string id;
        if (drive.qdev.starts_with(named)) {
            id = ", ID: " + drive.qdev.substr(named.size(), drive.qdev.find('/', named.size()) - named.size());
        }
        text += fmt::format("  Device 0.0, Port {}, Speed 5000 Mb/s, Product QEMU USB MSD{}\n", ++port, id);
    }
    return text;
}

const qom_node* find_node(const std::vector<qom_node>& tree, std::string path) {
    if (!path.empty() && path.front() != '/') path.insert(0, "/machine/peripheral/");
    for (const qom_node& node : tree) {
        if (node.path == path) return &node;
    }
    return nullptr;
}

class qmp_answer {
public:
    qmp_answer(machine& vm, const qmp_request& request, nanoseconds now, std::string& out)
        : vm_(vm), request_(request), now_(now), out_(out), id_(request.id) {
        if (vm.fault().wrong_id) id_ = "\"nobody-sent-this\"";
    }

    void negotiate(qmp_conversation& where);
    void run();
    void fail(const failure& what) { encode_error(out_, what.error_class, what.description, id_, pretty()); }

private:
    bool pretty() const { return vm_.what().fault.pretty; }
    document arguments() const {
        return request_.arguments.empty() ? document::object() : base::parse_ordered_json(request_.arguments);
    }

    template <class Write>
    void reply(Write write) {
        const misbehaviour& fault = vm_.what().fault;
        if (fault.nesting > 0) {
            encode_return(out_, id_, pretty(), [&](json_writer& json) {
                for (unsigned depth = 0; depth < fault.nesting; ++depth) json.begin_array();
                for (unsigned depth = 0; depth < fault.nesting; ++depth) json.end_array();
            });
        } else if (fault.huge_message_bytes > 0) {
            const std::string filler(fault.huge_message_bytes, 'x');
            encode_return(out_, id_, pretty(), [&](json_writer& json) { json.string(filler); });
        } else {
            encode_return(out_, id_, pretty(), write);
        }
    }

    void query_blockstats();
    void query_cpus();
    void qom_get();
    void qom_list();

    machine& vm_;
    const qmp_request& request_;
    nanoseconds now_;
    std::string& out_;
    std::string id_;
};

void qmp_answer::negotiate(qmp_conversation& where) {
    bool out_of_band = false;
    if (const document given = arguments(); given.contains("enable") && given["enable"].is_array()) {
        for (const document& capability : given["enable"]) {
            if (capability != "oob" || !vm_.what().version.at_least(3, 0)) {
                fail({"GenericError", fmt::format("Parameter 'null' does not accept value '{}'",
                                                  capability.is_string() ? capability.get<std::string>()
                                                                         : base::json_text(capability))});
                return;
            }
            out_of_band = true;
        }
    }
    where = {true, out_of_band};
    encode_return(out_, id_, pretty(), [](json_writer& json) {
        json.begin_object();
        json.end_object();
    });
}

void qmp_answer::query_blockstats() {
    if (const auto wrong = check_arguments(arguments(), {}, "query-nodes")) return fail(*wrong);
    reply([&](json_writer& json) {
        json.begin_array();
        const auto& drives = vm_.what().drives;
        for (std::size_t index = 0; index < drives.size(); ++index) {
            encode_blockstats(json, drives[index], vm_.counted(index, now_), vm_.what().version);
        }
        json.end_array();
    });
}

void qmp_answer::query_cpus() {
    reply([&](json_writer& json) {
        json.begin_array();
        for (unsigned index = 0; index < vm_.what().cpus; ++index) {
            json.begin_object();
            json.number_member("thread-id", first_cpu_thread + index);
            json.key("props");
            json.begin_object();
            json.number_member("core-id", index);
            json.number_member("thread-id", 0);
            json.number_member("socket-id", 0);
            json.end_object();
            json.string_member("qom-path", cpu_path(index));
            json.number_member("cpu-index", index);
            json.string_member("target", vm_.what().arch);
            json.end_object();
        }
        json.end_array();
    });
}

void qmp_answer::qom_get() {
    const document given = arguments();
    if (const auto wrong = check_arguments(given, {"path", "property"})) return fail(*wrong);
    const std::string path = given["path"].get<std::string>();
    const std::string property = given["property"].get<std::string>();
    const std::vector<qom_node> tree = vm_.qom_tree();
    const qom_node* node = find_node(tree, path);
    if (node == nullptr) return fail({"DeviceNotFound", fmt::format("Device '{}' not found", path)});
    if (property == "type") return reply([&](json_writer& json) { json.string(node->type); });
    for (const auto& [name, value] : node->properties) {
        if (name == property) return reply([&text = value](json_writer& json) { json.value(text); });
    }
    fail({"GenericError", fmt::format("Property '{}.{}' not found", node->type, property)});
}

void qmp_answer::qom_list() {
    const document given = arguments();
    if (const auto wrong = check_arguments(given, {"path"})) return fail(*wrong);
    const std::string path = given["path"].get<std::string>();
    const std::vector<qom_node> tree = vm_.qom_tree();
    const qom_node* node = find_node(tree, path);
    if (node == nullptr) return fail({"DeviceNotFound", fmt::format("Device '{}' not found", path)});
    reply([&](json_writer& json) {
        const auto entry = [&json](std::string_view name, std::string_view type) {
            json.begin_object();
            json.string_member("name", name);
            json.string_member("type", type);
            json.end_object();
        };
        json.begin_array();
        entry("type", "string");
        for (const auto& [name, value] : node->properties) entry(name, name == "parent_bus" ? "link<bus>" : "string");
        const std::string below = node->path + "/";
        for (const qom_node& child : tree) {
            const std::string_view name = child.path;
            if (name.substr(0, below.size()) != below || name.find('/', below.size()) != std::string_view::npos)
                continue;
            entry(name.substr(below.size()), fmt::format("child<{}>", child.type));
        }
        json.end_array();
    });
}

void qmp_answer::run() {
    const scenario& vm = vm_.what();
    const std::string& command = request_.command;
    if (command == "query-blockstats") return query_blockstats();
    if (command == "qom-get") return qom_get();
    if (command == "qom-list") return qom_list();

    const auto simple = [&](auto write) {
        if (const auto wrong = check_arguments(arguments(), {})) return fail(*wrong);
        reply(write);
    };
    const auto object = [&simple](auto write) {
        simple([&write](json_writer& json) {
            json.begin_object();
            write(json);
            json.end_object();
        });
    };
    if (command == "query-status") {
        return object([&](json_writer& json) {
            json.string_member("status", vm.status);
            if (!vm.version.at_least(9, 0)) json.boolean_member("singlestep", false);
            json.boolean_member("running", vm_.running());
        });
    }
    if (command == "query-name") {
        return object([&](json_writer& json) {
            if (!vm.vm_name.empty()) json.string_member("name", vm.vm_name);
        });
    }
    if (command == "query-uuid") return object([&](json_writer& json) { json.string_member("UUID", vm.uuid); });
    if (command == "query-version") return simple([&](json_writer& json) { encode_version(json, vm.version); });
    if (command == "query-target") return object([&](json_writer& json) { json.string_member("arch", vm.arch); });
    if (command == "query-kvm") {
        return object([&](json_writer& json) {
            json.boolean_member("enabled", vm.accelerator == "kvm");
            json.boolean_member("present", vm.accelerator != "hvf");
        });
    }
    if (command == "query-accelerators" && vm.version.at_least(10, 2)) {
        return object([&](json_writer& json) {
            json.string_member("enabled", vm.accelerator);
            json.key("present");
            json.begin_array();
            if (vm.accelerator != "tcg") json.string(vm.accelerator);
            json.string("tcg");
            json.end_array();
        });
    }
    if (command == "query-current-machine") {
        return object([](json_writer& json) { json.boolean_member("wakeup-suspend-support", true); });
    }
    if (command == "x-query-jit") {
        if (vm.accelerator != "tcg") return fail({"GenericError", "JIT information is only available with accel=tcg"});
        return object([](json_writer& json) {
            json.string_member("human-readable-text", "Translation buffer state:\ngen code size       0/1073736704\n");
        });
    }
    if (command == "query-block") {
        return simple([&](json_writer& json) {
            json.begin_array();
            for (const drive_spec& drive : vm.drives) encode_block(json, drive);
            json.end_array();
        });
    }
    if (command == "x-query-usb") {
        return object([&](json_writer& json) { json.string_member("human-readable-text", usb_list(vm.drives)); });
    }
    if (command == "query-cpus-fast" && vm.cpus > 0) return query_cpus();
    if (command == "query-memory-size-summary" && vm.memory_bytes > 0) {
        return object([&](json_writer& json) {
            json.number_member("base-memory", vm.memory_bytes);
            json.number_member("plugged-memory", 0);
        });
    }
    if (command == "query-yank") {
        return simple([](json_writer& json) {
            json.begin_array();
            json.begin_object();
            json.string_member("type", "chardev");
            json.string_member("id", "compat_monitor0");
            json.end_object();
            json.end_array();
        });
    }
    fail(not_found(command));
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string_view::npos) return words;
        line.remove_prefix(start);
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

}  // namespace

bool is_out_of_band(const qmp_request& request, const qmp_conversation& where) {
    return request.out_of_band && where.negotiated && where.out_of_band && request.error.empty();
}

void answer_qmp(machine& vm, qmp_conversation& where, const qmp_request& request, nanoseconds now, std::string& out) {
    qmp_answer answer(vm, request, now, out);
    if (!request.error.empty()) {
        encode_error(out, "GenericError", request.error, request.id, vm.fault().pretty);
        return;
    }
    if (vm.fault().error_without_id && where.negotiated) {
        encode_error(out, "GenericError", "JSON parse error, expecting value", {}, vm.fault().pretty);
        return;
    }
    if (request.out_of_band && !where.out_of_band) {
        answer.fail({"GenericError", "QMP input member 'exec-oob' is unexpected"});
    } else if (request.out_of_band && request.command != "query-yank") {
        answer.fail({"GenericError", fmt::format("The command {} does not support OOB", request.command)});
    } else if (!where.negotiated && request.command == "qmp_capabilities") {
        answer.negotiate(where);
    } else if (!where.negotiated) {
        answer.fail({"CommandNotFound", "Expecting capabilities negotiation with 'qmp_capabilities'"});
    } else if (request.command == "qmp_capabilities") {
        answer.fail({"CommandNotFound", "Capabilities negotiation is already complete, command ignored"});
    } else {
        answer.run();
    }
}

void answer_hmp(machine& vm, std::string_view line, nanoseconds now, std::string& out) {
    const scenario& what = vm.what();
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    if (what.fault.huge_message_bytes > 0) {
        out.append(what.fault.huge_message_bytes, 'x');
        out += "\r\n";
        return;
    }
    if (words[0] != "info" || words.size() < 2) {
        base::append(out, "unknown command: '{}'\r\n", words[0]);
        return;
    }
    const std::string_view topic = words[1];
    if (topic == "blockstats") {
        for (std::size_t index = 0; index < what.drives.size(); ++index) {
            if (index > 0 && what.version.at_least(11, 0)) out += "\r\n";
            encode_hmp_blockstats(out, what.drives[index], vm.counted(index, now), what.version);
        }
    } else if (topic == "block") {
        for (std::size_t index = 0; index < what.drives.size(); ++index) {
            if (index > 0) out += "\r\n";
            encode_hmp_block(out, what.drives[index]);
        }
    } else if (topic == "status") {
        encode_hmp_status(out, what.status);
    } else if (topic == "version") {
        base::append(out, "{}.{}.{}{}\r\n", what.version.major, what.version.minor, what.version.micro,
                     what.version.package);
    } else if (topic == "name") {
        if (!what.vm_name.empty()) base::append(out, "{}\r\n", what.vm_name);
    } else if (topic == "uuid") {
        base::append(out, "{}\r\n", what.uuid);
    } else if (topic == "kvm") {
        const std::string_view support = what.accelerator == "kvm" ? "enabled" : "disabled";
        base::append(out, "kvm support: {}\r\n", what.accelerator == "hvf" ? "not compiled" : support);
    } else if (topic == "jit" && what.accelerator == "tcg") {
        out += "Translation buffer state:\r\ngen code size       0/1073736704\r\n";
    } else if (topic == "jit") {
        out += "Error: JIT information is only available with accel=tcg\r\n";
    } else if (topic == "cpus" && what.cpus > 0) {
        for (unsigned index = 0; index < what.cpus; ++index) {
            base::append(out, "{} CPU #{}: thread_id={}\r\n", index == 0 ? '*' : ' ', index, first_cpu_thread + index);
        }
    } else if (topic == "memory_size_summary" && what.memory_bytes > 0) {
        base::append(out, "base memory: {}\r\nplugged memory: 0\r\n", what.memory_bytes);
    } else if (topic == "usb") {
        for (const char c : usb_list(what.drives)) out += c == '\n' ? "\r\n" : std::string(1, c);
    } else if (topic == "qtree") {
        encode_hmp_qtree(out, what);
    } else {
        base::append(out, "unknown command: 'info {}'\r\n", topic);
    }
}

}  // namespace qmpwatch::sim
