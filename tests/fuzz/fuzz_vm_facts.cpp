// Any bytes as what a VM says of its size, its drives' settings, its USB ports and its devices, and as QEMU's command
// line.
#include "sample/vm_facts.hpp"

#include "fuzz/check.hpp"
#include "sample/query_block.hpp"
#include "sample/vm_size.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    // The settings belong to the drives that the inventory has, one by one.
    const auto drives = sample::decode_query_block(text);
    FUZZ_CHECK(sample::decode_drive_settings(text).size() == (drives.has_value() ? drives->size() : 0));
    const auto entries = sample::decode_hmp_info_block(text);
    const auto settings = sample::decode_hmp_drive_settings(text);
    FUZZ_CHECK(settings.size() == entries.size());
    for (const sample::drive_info& entry : entries) FUZZ_CHECK(entry.media.inserted || !entry.media.cache);

    const auto ports = sample::decode_usb_list(text);
    for (const sample::usb_storage_port& port : ports) {
        FUZZ_CHECK(!port.port.empty());
        FUZZ_CHECK(port.megabits_per_second > 0);
    }
    FUZZ_CHECK(sample::controller_in_qtree(text).find('\n') == std::string::npos);

    std::vector<std::string> words;
    std::string_view rest = text;
    while (!rest.empty()) {
        words.emplace_back(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(words.back().size() + 1, rest.size()));
    }
    const auto options = sample::read_options(words);
    for (const sample::drive_option& drive : options.drives) FUZZ_CHECK(!drive.name.empty());

    sample::vm_facts vm;
    for (const sample::drive_info& entry : entries) {
        vm.drives.emplace_back().info = entry;
        vm.drives.back().info.attachment.device = "usb-storage";
    }
    sample::apply_usb_list(vm, ports);
    sample::apply_command_line(vm, options);
    sample::conclude_from_controller(vm);
    FUZZ_CHECK(vm.unmatched_full_speed >= 0);
    FUZZ_CHECK(static_cast<std::size_t>(vm.unmatched_full_speed) <= ports.size());

    FUZZ_CHECK(sample::decode_cpus(text) <= size);
    FUZZ_CHECK(sample::decode_hmp_cpus(text) <= size);
    // One text is not both replies.
    FUZZ_CHECK(sample::decode_memory_size(text) == 0 || sample::decode_hmp_memory_size(text) == 0);

    if (const auto version = sample::parse_version(text)) FUZZ_CHECK(version->major >= 0 && version->minor >= 0);
    return 0;
}
