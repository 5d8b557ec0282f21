#include "sample/attachment.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace qmpwatch::sample {

namespace {

constexpr int most_questions = 12;

/// The path without its last component; empty when there is none left.
std::string parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

/// Where devices are kept; these are no devices themselves.
bool is_container(std::string_view path) {
    return path.empty() || path == "/machine" || path == "/machine/peripheral" || path == "/machine/peripheral-anon" ||
           path == "/machine/unattached";
}

/// True for a device that makes the frontend inside it on its own, so that a guest sees only this one. A controller
/// may have drives as children too (-drive if=scsi), but does not replace them.
bool wraps(std::string_view owner) { return owner == "usb-storage" || owner.starts_with("virtio-blk-"); }

/// The guest's view of a controller.
std::string bus_name(std::string_view controller) {
    // What QOM calls the parent of the system bus.
    if (controller == "container") return {};
    if (controller == "virtio-scsi-device") return "virtio-scsi";
    static constexpr std::array<std::string_view, 6> pci_endings{"-pcihost",        "pcie-root-port", "pci-bridge",
                                                                 "pci-host-bridge", "-pcie-host",     "-downstream"};
    const bool is_pci = std::any_of(pci_endings.begin(), pci_endings.end(),
                                    [controller](std::string_view ending) { return controller.ends_with(ending); });
    return is_pci ? "pci" : std::string(controller);
}

}  // namespace

std::string attachment_name(std::string_view frontend, std::string_view owner) {
    if (owner == "usb-storage") return "usb-storage";
    if (frontend.starts_with("virtio-blk")) return "virtio-blk";
    if (frontend.starts_with("cfi.pflash")) return "pflash";
    return std::string(frontend);
}

attachment attachment_from_path(std::string_view qdev) {
    attachment guess;
    if (qdev.ends_with("/virtio-backend")) {
        guess.device = "virtio-blk";
    } else if (qdev.ends_with(".0/legacy[0]") || (qdev.ends_with("/legacy[0]") && qdev.find("/scsi.") != qdev.npos)) {
        // Only usb-storage makes its SCSI disk itself; the disks of a SCSI controller are devices of their own.
        guess.device = "usb-storage";
    } else if (const std::size_t flash = qdev.rfind(".flash"); flash != std::string_view::npos) {
        const std::string_view number = qdev.substr(flash + 6);
        if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos)
            guess.device = "pflash";
    }
    return guess;
}

attachment_walk::attachment_walk(std::string qdev) : qdev_(std::move(qdev)) {
    if (qdev_.empty()) return;
    if (qdev_.find('/') == std::string::npos) qdev_ = "/machine/peripheral/" + qdev_;
    path_ = qdev_;
    step_ = step::type_of_frontend;
    question_ = qom_question{path_, "type"};
}

const qom_question* attachment_walk::next() const { return question_ ? &*question_ : nullptr; }

attachment attachment_walk::result() const { return found_; }

void attachment_walk::answer(std::optional<std::string> value) {
    if (!question_) return;
    ++asked_;
    const std::string text = std::move(value).value_or("");
    switch (step_) {
        case step::type_of_frontend:
            found_.device = attachment_name(text, "");
            // Without the frontend's type, nothing above it would mean anything.
            step_ = text.empty() ? step::done : step::type_of_owner;
            break;
        case step::type_of_owner:
            if (wraps(text)) {
                found_.device = attachment_name(found_.device, text);
                step_ = step::bus_of_device;
            }
            break;
        case step::bus_of_device:
            path_ = text;
            step_ = text.empty() ? step::done : step::type_of_controller;
            break;
        case step::type_of_controller:
            found_.bus = bus_name(text);
            step_ = step::done;
            break;
        case step::done: break;
    }
    advance();
}

/// Decides on the next question.
void attachment_walk::advance() {
    question_.reset();
    if (asked_ >= most_questions) step_ = step::done;
    if (step_ == step::type_of_owner) {
        path_ = parent_of(path_);
        if (is_container(path_)) {
            // Nothing wraps the frontend: its own bus counts.
            path_ = qdev_;
            step_ = step::bus_of_device;
        }
    }
    if (step_ == step::type_of_controller) path_ = parent_of(path_);
    switch (step_) {
        case step::type_of_frontend:
        case step::type_of_owner: question_ = qom_question{path_, "type"}; break;
        case step::bus_of_device: question_ = qom_question{path_, "parent_bus"}; break;
        case step::type_of_controller:
            if (!path_.empty()) question_ = qom_question{path_, "type"};
            break;
        case step::done: break;
    }
}

std::vector<qtree_drive> decode_hmp_qtree(std::string_view text) {
    struct device {
        std::size_t indent = 0;
        std::string_view type;
    };
    std::vector<device> above;
    std::vector<qtree_drive> drives;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(indent);

        constexpr std::string_view device_mark = "dev: ";
        constexpr std::string_view drive_mark = "drive = \"";
        const bool is_device = line.starts_with(device_mark);
        const bool is_drive =
            line.starts_with(drive_mark) && line.ends_with('"') && line.size() > drive_mark.size() + 1;
        if (!is_device && !is_drive) continue;
        // A line belongs to the nearest device above it that is indented less.
        while (!above.empty() && above.back().indent >= indent) above.pop_back();
        if (is_device) {
            line.remove_prefix(device_mark.size());
            above.push_back({indent, line.substr(0, line.find(','))});
            continue;
        }
        if (above.empty()) continue;
        line.remove_prefix(drive_mark.size());
        line.remove_suffix(1);
        auto level = above.rbegin();
        const std::string_view frontend = level->type;
        ++level;
        std::string_view owner;
        if (level != above.rend() && wraps(level->type)) owner = (level++)->type;
        const std::string bus = level == above.rend() ? std::string() : bus_name(level->type);
        drives.push_back({std::string(line), {attachment_name(frontend, owner), bus}});
    }
    return drives;
}

}  // namespace qmpwatch::sample
