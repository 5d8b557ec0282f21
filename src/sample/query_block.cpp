#include "sample/query_block.hpp"

#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace qmpwatch::sample {

namespace {

using nlohmann::json;

/// QEMU's own limit of nesting. A chain of qcow2 overlays takes one level each.
constexpr int most_depth = 1024;

const json* member(const json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::string text_of(const json& object, std::string_view name) {
    const json* value = member(object, name);
    const auto* text = value == nullptr ? nullptr : value->get_ptr<const json::string_t*>();
    return text == nullptr ? std::string() : *text;
}

bool is_true(const json& object, std::string_view name, bool otherwise = false) {
    const json* value = member(object, name);
    const auto* flag = value == nullptr ? nullptr : value->get_ptr<const json::boolean_t*>();
    return flag != nullptr ? *flag : otherwise;
}

std::optional<cache_mode> cache_of(const json& inserted) {
    const json* cache = member(inserted, "cache");
    if (cache == nullptr || !cache->is_object()) return std::nullopt;
    return cache_mode{is_true(*cache, "direct"), is_true(*cache, "no-flush"), is_true(*cache, "writeback", true)};
}

std::optional<std::uint64_t> size_of(const json& inserted) {
    const json* image = member(inserted, "image");
    const json* size = image == nullptr ? nullptr : member(*image, "virtual-size");
    if (size == nullptr || !size->is_number_unsigned()) return std::nullopt;
    return size->get<std::uint64_t>();
}

/// QEMU describes a node that no plain name can describe as json:{...}, which nobody recognizes.
bool is_readable(std::string_view file) { return !file.empty() && !file.starts_with("json:"); }

/// The name to show for the file: the node's own, else that of the first image below it that has a readable one.
std::string readable_file(const json& inserted) {
    std::string file = text_of(inserted, "file");
    if (is_readable(file)) return file;
    const json* image = member(inserted, "image");
    while (image != nullptr) {
        std::string name = text_of(*image, "filename");
        if (is_readable(name)) return name;
        image = member(*image, "backing-image");
    }
    std::string backing = text_of(inserted, "backing_file");
    return is_readable(backing) ? backing : file;
}

drive_info read_drive(const json& entry) {
    drive_info drive;
    drive.identity.device = text_of(entry, "device");
    drive.identity.qdev = text_of(entry, "qdev");
    drive.media.removable = is_true(entry, "removable");
    const json* inserted = member(entry, "inserted");
    if (inserted != nullptr && inserted->is_object()) {
        drive.identity.node_name = text_of(*inserted, "node-name");
        drive.media.inserted = true;
        drive.media.file = readable_file(*inserted);
        drive.media.format = text_of(*inserted, "drv");
        drive.media.read_only = is_true(*inserted, "ro");
        drive.media.size_bytes = size_of(*inserted);
        drive.media.cache = cache_of(*inserted);
    }
    return drive;
}

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// Reads `file (raw, read-only)`. The file may hold parentheses, the part in the last ones cannot.
bool read_medium(std::string_view text, drive_media& media) {
    if (!text.ends_with(')')) return false;
    const std::size_t open = text.rfind(" (");
    if (open == std::string_view::npos) return false;
    std::string_view flags = text.substr(open + 2, text.size() - open - 3);
    media.file = text.substr(0, open);
    media.format = flags.substr(0, flags.find(", "));
    media.read_only = flags.find(", read-only") != std::string_view::npos;
    media.inserted = true;
    return true;
}

/// Reads the first line of an entry; false when it is none.
bool read_header(std::string_view line, drive_info& drive) {
    // Names of drives and nodes have no blanks in them, so this is the end of them whatever the file is called.
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0) return false;
    std::string_view names = line.substr(0, colon);
    const std::string_view medium = line.substr(colon + 2);
    if (medium != "[not inserted]" && !read_medium(medium, drive.media)) return false;

    const std::size_t open = names.find(" (");
    if (open != std::string_view::npos && names.ends_with(')')) {
        drive.identity.device = names.substr(0, open);
        drive.identity.node_name = names.substr(open + 2, names.size() - open - 3);
    } else if (names.find(' ') != std::string_view::npos) {
        return false;
    } else if (drive.media.inserted) {
        drive.identity.node_name = names;
    } else {
        drive.identity.device = names;
    }
    return true;
}

/// `writeback, direct, ignore flushes`
cache_mode cache_from_hmp(std::string_view text) {
    return {text.find("direct") != std::string_view::npos, text.find("ignore flushes") != std::string_view::npos,
            text.find("writeback") != std::string_view::npos};
}

/// Reads a line inside an entry.
void read_detail(std::string_view line, drive_info& drive) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));

    if (name == "Attached to") {
        drive.identity.qdev = value;
        // An empty drive without a name of its own is headed by its qdev.
        if (drive.identity.device == value) drive.identity.device.clear();
    } else if (name == "Removable device") {
        drive.media.removable = true;
    } else if (name == "Cache mode" && drive.media.inserted) {
        drive.media.cache = cache_from_hmp(value);
    } else if (name == "Backing file" && drive.media.inserted && !is_readable(drive.media.file)) {
        const std::string_view backing = value.substr(0, value.rfind(" (chain depth: "));
        if (is_readable(backing)) drive.media.file = backing;
    }
}

}  // namespace

base::result<inventory> decode_query_block(std::string_view text) {
    const json reply = base::parse_json(text, most_depth);
    if (!reply.is_array()) {
        return base::fail(base::errc::data, "the reply to query-block is not a JSON array");
    }
    inventory drives;
    for (const json& entry : reply) {
        if (entry.is_object()) drives.push_back(read_drive(entry));
    }
    return drives;
}

inventory decode_hmp_info_block(std::string_view text) {
    inventory drives;
    // An empty line ends an entry. What follows it is the next one, or, in the verbose form, a part about images whose
    // lines look much the same.
    enum class part { none, entry, foreign };
    part current = part::none;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        if (indent == line.size()) {
            current = part::none;
        } else if (current == part::none) {
            drive_info drive;
            const bool is_entry = indent == 0 && read_header(line, drive);
            if (is_entry) drives.push_back(std::move(drive));
            current = is_entry ? part::entry : part::foreign;
        } else if (current == part::entry && indent > 0) {
            read_detail(line.substr(indent), drives.back());
        }
    }
    return drives;
}

}  // namespace qmpwatch::sample
