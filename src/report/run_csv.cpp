#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/drive_fields.hpp"
#include "report/interval_stalls.hpp"
#include "report/run_report.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

namespace {

std::vector<field> fields_of(const pipeline::rate_notice& rate, const interval_stalls& stalls) {
    std::vector<field> fields = drive_fields(rate);
    fields.push_back({"", "stalls_ended", stalls.ended});
    fields.push_back({"", "stall_seconds", base::in_seconds(stalls.lost)});
    return fields;
}

std::string header(std::string_view first) {
    std::string line(first);
    line += "time,elapsed,vm";
    return line + csv_names(fields_of({}, {})) + '\n';
}

void append_rows(std::string& out, const run::digest& of, std::string_view first) {
    const std::vector<interval_stalls> stalls = stalls_by_interval(of);
    const std::string vm = csv_cell(base::printable(of.vm.vm));
    for (std::size_t i = 0; i < of.intervals.size(); ++i) {
        const run::interval_digest& each = of.intervals[i];
        out += first;
        if (of.info.about.has_wall_clock) out += base::rfc3339(each.time);
        out += csv_cells({{"", "elapsed", base::in_seconds(each.elapsed)}});
        out += ',' + vm + csv_cells(fields_of(each.rate, stalls[i])) + '\n';
    }
}

}  // namespace

std::string run_csv(const run::digest& of) {
    std::string out = header("");
    append_rows(out, of, "");
    return out;
}

std::string run_csv(const run::digest& first, const run::digest& second) {
    std::string out = header("run,");
    append_rows(out, first, "1,");
    append_rows(out, second, "2,");
    return out;
}

}  // namespace qmpwatch::report
