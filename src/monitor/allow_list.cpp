#include "monitor/allow_list.hpp"

#include <algorithm>
#include <array>

namespace qmpwatch::monitor {

namespace {

constexpr std::array<std::string_view, 17> qmp_commands{"qmp_capabilities", "qom-get",
                                                        "qom-list",         "query-accelerators",
                                                        "query-block",      "query-blockstats",
                                                        "query-cpus-fast",  "query-current-machine",
                                                        "query-kvm",        "query-memory-size-summary",
                                                        "query-name",       "query-status",
                                                        "query-target",     "query-uuid",
                                                        "query-yank",       "x-query-jit",
                                                        "x-query-usb"};

constexpr std::array<std::string_view, 13> hmp_topics{
    "accelerators", "block", "blockstats", "cpus", "jit",  "kvm",    "memory_size_summary",
    "name",         "qtree", "status",     "usb",  "uuid", "version"};

}  // namespace

bool is_allowed_qmp(std::string_view command) {
    return std::find(qmp_commands.begin(), qmp_commands.end(), command) != qmp_commands.end();
}

bool is_allowed_hmp(std::string_view line) {
    constexpr std::string_view info = "info ";
    if (!line.starts_with(info)) return false;
    line.remove_prefix(info.size());
    return std::find(hmp_topics.begin(), hmp_topics.end(), line) != hmp_topics.end();
}

}  // namespace qmpwatch::monitor
