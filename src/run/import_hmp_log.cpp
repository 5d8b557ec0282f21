// Text logs: each line is first made what a terminal would show of it, then recognized by itself. A block of lines with
// statistics is a sample; it gets its time from its own lines, else from the line before it, or, in logs that begin
// with a block and end with a time, from the line after it.
#include "run/import.hpp"

#include "run/import_parts.hpp"
#include "run/stamp.hpp"
#include "sample/attachment.hpp"
#include "sample/blockstats.hpp"
#include "sample/query_block.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace qmpwatch::run {
namespace {

using base::nanoseconds;

constexpr std::string_view prompt = "(qemu)";
constexpr std::size_t longest_line = 65536;  // no monitor prints such a line; the echo of a command has some hundred
constexpr std::size_t longest_answer = 1 << 20;  // of `info block`
constexpr nanoseconds day = std::chrono::hours(24);

constexpr std::string_view how_to_log =
    "write the time before each output, as in: while sleep 15; do date +%s; echo info blockstats | socat - "
    "unix-connect:qemu-monitor.sock; done > log.txt";

/// What a terminal shows of a line with the escape codes of QEMU's line editor: cursor left and right, erase.
void show(std::string_view line, std::string& shown) {
    shown.clear();
    std::size_t cursor = 0;
    for (std::size_t place = 0; place < line.size(); ++place) {
        const char c = line[place];
        if (c == '\x1b' && place + 1 < line.size() && line[place + 1] == '[') {
            std::size_t count = 0;
            for (place += 2; place < line.size() && ((line[place] >= '0' && line[place] <= '?')); ++place) {
                if (line[place] >= '0' && line[place] <= '9' && count < longest_line) {
                    count = count * 10 + static_cast<std::size_t>(line[place] - '0');
                }
            }
            if (place == line.size()) break;
            count = std::max(count, std::size_t(1));
            if (line[place] == 'D') cursor -= std::min(cursor, count);
            if (line[place] == 'C') cursor = std::min(cursor + count, shown.size());
            if (line[place] == 'K') shown.resize(cursor);
        } else if (c == '\b') {
            cursor -= std::min(cursor, std::size_t(1));
        } else if (c == '\r') {
            cursor = 0;
        } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') {
            shown.resize(std::max(shown.size(), cursor + 1));
            shown[cursor++] = c;
        }
    }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// A line of `info blockstats`, and what was put before it.
struct statistics {
    std::string_view prefix;  ///< of the log's writer
    std::string_view line;  ///< QEMU's
    std::string_view drive;  ///< its name where the line begins one
    bool is_row = false;  ///< of a table
    std::size_t values = 0;
    bool is_whole = true;
};

/// `name: rd_bytes=1 ...` or `name: idle_time_ns=1`. Neither blanks nor colons are in the name, which may be empty.
std::optional<statistics> find_pairs(std::string_view line) {
    const std::size_t sign = std::min(line.find(": rd_bytes="), line.find(": idle_time_ns="));
    if (sign == std::string_view::npos) return std::nullopt;
    const std::size_t blank = line.substr(0, sign).find_last_of(" \t");
    const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
    statistics found;
    found.prefix = line.substr(0, begin);
    found.line = line.substr(begin);
    found.drive = line.substr(begin, sign - begin);
    std::string_view rest = line.substr(sign + 2);
    while (!(rest = trimmed(rest)).empty()) {
        const std::string_view pair = rest.substr(0, rest.find(' '));
        const std::size_t equals = pair.find('=');
        const std::string_view digits = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
        found.is_whole = found.is_whole && !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
        ++found.values;
        rest.remove_prefix(pair.size());
    }
    return found;
}

/// A row of the table that QEMU prints since version 11.
std::optional<statistics> find_row(std::string_view line) {
    for (const std::string_view title : {"Read: ", "Write: ", "Flush: "}) {
        const std::size_t begin = line.find(title);
        if (begin == std::string_view::npos || (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t'))
            continue;
        statistics found;
        found.prefix = line.substr(0, begin);
        found.line = line.substr(begin);
        found.is_row = true;
        std::string_view rest = line.substr(begin + title.size());
        if (rest.find_first_not_of(" 0123456789") != std::string_view::npos) continue;
        while (!(rest = trimmed(rest)).empty()) {
            rest.remove_prefix(std::min(rest.find(' '), rest.size()));
            ++found.values;
        }
        found.is_whole = found.values == (title == "Flush: " ? 2U : 4U);
        return found;
    }
    return std::nullopt;
}

/// Makes the times of a log one series that does not go back.
class log_clock {
public:
    enum class outcome { taken, foreign, backwards };

    /// `foreign` when it is not of the kind that the log began with.
    outcome take(const stamp& seen) {
        const bool is_dated = seen.what == stamp::kind::wall_clock || seen.what == stamp::kind::local_clock;
        const bool was_dated = kind_ == stamp::kind::wall_clock || kind_ == stamp::kind::local_clock;
        if (kind_ && seen.what != *kind_ && !(is_dated && was_dated)) return outcome::foreign;
        nanoseconds value = seen.value + days_;
        if (kind_ && seen.what == stamp::kind::time_of_day && value < last_ - day / 2) value += day;
        if (kind_ && value < last_) return outcome::backwards;
        if (!kind_) first_ = value;
        kind_ = kind_.value_or(seen.what);
        days_ = value - seen.value;
        last_ = value;
        is_known_ = is_known_ && seen.what == stamp::kind::wall_clock;
        is_fine_ = seen.has_fraction;
        return outcome::taken;
    }

    bool has_time() const { return kind_.has_value(); }
    /// Of the last that was taken, since the first one.
    nanoseconds elapsed() const { return last_ - first_; }
    /// True when the last one is known better than to the second.
    bool is_fine() const { return is_fine_; }
    /// The first one on the wall clock, if every zone was known.
    std::optional<base::wall_time> wall() const {
        if (!kind_ || !is_known_) return std::nullopt;
        return base::wall_time(std::chrono::duration_cast<base::wall_time::duration>(first_));
    }

private:
    std::optional<stamp::kind> kind_;
    nanoseconds first_{}, last_{}, days_{};
    bool is_known_ = true;
    bool is_fine_ = false;
};

class log_import {
public:
    /// `times_follow`: a time stands behind its block.
    explicit log_import(bool times_follow) : times_follow_(times_follow) {}

    void take(std::string_view line);
    /// True when the log began with a block and ended with a time.
    bool is_shifted() const { return began_with_block_ && !is_used_; }
    base::result<imported> finish(bool is_last_line_whole);

private:
    struct time {
        base::instant at;
        nanoseconds uncertainty{};
    };

    void take_piece(std::string_view text);
    void take_statistics(const statistics& found);
    bool take_stamp(std::string_view text, bool is_own_line);
    void take_answer(std::string_view text);
    void end_answer();
    void close_block();
    void name_drives();
    bool is_another_answer() const;

    imported run_;
    log_clock clock_;
    sample::vm_identity vm_;
    std::string shown_;

    // The answer that is being read.
    std::string command_;  ///< as it was echoed; empty when it was not
    std::string answer_;  ///< what may be the one to `info block`

    // The block that is being read.
    std::string block_;
    std::vector<std::string> names_;
    std::size_t rows_ = 0;
    bool is_table_ = false, is_cut_ = false;
    std::optional<time> block_time_;
    bool block_went_back_ = false;  ///< that is why it has none
    bool was_statistics_ = false;  ///< the last line that was not empty

    // The time on a line of its own.
    std::optional<time> time_;
    bool went_back_ = false;  ///< that is why there is none
    bool is_used_ = false;  ///< by a block
    bool began_with_block_ = false;
    const bool times_follow_;

    std::size_t values_ = 0;  ///< in a line that is all of a drive
    std::vector<std::string> names_before_;  ///< of the last sample
    std::size_t blocks_ = 0, samples_ = 0, cut_ = 0, timeless_ = 0, backwards_ = 0;
};

void log_import::take(std::string_view line) {
    if (line.size() > longest_line) {
        was_statistics_ = false;
        return;
    }
    show(line, shown_);
    std::string_view rest = shown_;
    if (trimmed(rest).empty()) {
        if (!answer_.empty()) take_answer(rest);
        return;
    }
    was_statistics_ = false;
    while (true) {
        const std::size_t place = rest.find(prompt);
        if (place == std::string_view::npos) break;
        if (!trimmed(rest.substr(0, place)).empty()) take_piece(rest.substr(0, place));
        rest.remove_prefix(place + prompt.size());
        end_answer();
        if (!times_follow_) close_block();
        if (const std::string_view typed = trimmed(rest); typed.starts_with("info ")) {
            command_ = typed;
            return;
        }
    }
    if (!trimmed(rest).empty()) take_piece(rest);
}

/// True when another command than those that are read here is being answered: what looks like a time is something else.
bool log_import::is_another_answer() const {
    return !command_.empty() && command_ != "info blockstats" && command_ != "info status";
}

void log_import::take_piece(std::string_view text) {
    constexpr std::string_view banner = " monitor - type ";
    constexpr std::string_view status = "VM status: ";
    if (const std::size_t end = text.find(banner); end != std::string_view::npos) {
        const std::size_t begin = text.substr(0, end).rfind("QEMU ");
        if (begin == std::string_view::npos) return;
        end_answer();
        take_stamp(text.substr(0, begin), true);
        if (!times_follow_) close_block();
        vm_.version = text.substr(begin + 5, end - begin - 5);
        return;
    }
    std::optional<statistics> found = find_pairs(text);
    if (!found && is_table_ && !names_.empty()) found = find_row(text);
    if (found) {
        end_answer();
        take_statistics(*found);
        return;
    }
    if (const std::size_t begin = text.find(status); begin != std::string_view::npos) {
        take_stamp(text.substr(0, begin), true);
        std::string_view state = trimmed(text.substr(begin + status.size()));
        // QMP's word for `paused (io-error)` is io-error, and for `running (single step mode)` it is running.
        const std::size_t open = state.find(" (");
        if (open != std::string_view::npos && state.ends_with(')') && state.starts_with("paused")) {
            state = state.substr(open + 2, state.size() - open - 3);
        } else {
            state = state.substr(0, open);
        }
        if (time_ && !state.empty()) {
            if (!times_follow_) close_block();
            run_.story.push_back(sample::run_state_change{std::string(state), time_->at});
        }
        return;
    }
    if (command_ == "info name") {
        vm_.vm = vm_.name = trimmed(text);
        command_.clear();
    } else if (command_ == "info version") {
        // 7.2.22Debian 1:7.2+dfsg-7: there is nothing between version and package.
        const std::string_view whole = trimmed(text);
        const std::size_t end = std::min(whole.find_first_not_of("0123456789."), whole.size());
        vm_.version = whole.substr(0, end);
        vm_.package = trimmed(whole.substr(end));
        command_.clear();
    } else if (is_another_answer() || !take_stamp(text, true)) {
        take_answer(text);
    }
}

/// True when there is a time in the text; if it stands on a line of its own it goes to the block before or after it.
bool log_import::take_stamp(std::string_view text, bool is_own_line) {
    const std::optional<stamp> seen = find_stamp(text);
    if (!seen) return false;
    const log_clock::outcome outcome = clock_.take(*seen);
    if (outcome == log_clock::outcome::foreign) return true;
    std::optional<time> now;
    if (outcome == log_clock::outcome::taken) {
        now.emplace(time{moment(clock_.elapsed()), {}});
        // Two times that are cut off to the second are right within a second, from each other as well.
        if (!clock_.is_fine()) now->uncertainty = base::seconds(1);
    }
    if (!is_own_line) {
        block_time_ = time_ = now;
        block_went_back_ = went_back_ = !now;
        is_used_ = true;
        return true;
    }
    end_answer();
    if (times_follow_ && !names_.empty() && !block_time_) {
        block_time_ = now;
        block_went_back_ = !now;
    }
    close_block();
    time_ = now;
    went_back_ = !now;
    is_used_ = false;
    return true;
}

void log_import::take_statistics(const statistics& found) {
    const bool begins_drive = !found.is_row;
    if (begins_drive && !found.drive.empty() && std::find(names_.begin(), names_.end(), found.drive) != names_.end()) {
        close_block();
    }
    if (names_.empty()) {
        ++blocks_;
        block_time_.reset();
        block_went_back_ = false;
        if (!take_stamp(found.prefix, false)) {
            began_with_block_ = began_with_block_ || !clock_.has_time();
            if (!times_follow_ && !is_used_) {
                block_time_ = time_;
                block_went_back_ = went_back_;
                is_used_ = true;
            }
        }
    }
    if (begins_drive) {
        is_table_ = found.values == 1;
        if (!is_table_) values_ = std::max(values_, found.values);
        is_cut_ = is_cut_ || !found.is_whole || (!is_table_ && found.values < values_);
        names_.emplace_back(found.drive);
    } else {
        is_cut_ = is_cut_ || !found.is_whole;
        ++rows_;
    }
    block_ += found.line;
    block_ += '\n';
    was_statistics_ = true;
}

void log_import::close_block() {
    if (names_.empty()) return;
    sample::sample counters;
    is_cut_ = is_cut_ || (is_table_ && rows_ < 3 * names_.size());
    if (is_cut_ || !sample::decode_hmp_blockstats(block_, counters.drives)) {
        ++cut_;
    } else if (!block_time_) {
        ++(block_went_back_ ? backwards_ : timeless_);
    } else {
        counters.at = block_time_->at;
        counters.rtt = block_time_->uncertainty;
        run_.story.push_back(std::move(counters));
        ++samples_;
        std::swap(names_before_, names_);
    }
    block_.clear();
    names_.clear();
    rows_ = 0;
    is_table_ = is_cut_ = false;
    block_time_.reset();
}

/// Keeps a line that may belong to the answer to `info block`.
void log_import::take_answer(std::string_view text) {
    if (!command_.empty() && command_ != "info block" && !command_.starts_with("info block -")) return;
    if (answer_.size() + text.size() > longest_answer) return;
    answer_ += text;
    answer_ += '\n';
}

void log_import::end_answer() {
    command_.clear();
    const std::string answer = std::exchange(answer_, {});
    if (answer.find("    Attached to: ") == answer.npos && answer.find("    Cache mode: ") == answer.npos) return;
    sample::inventory drives = sample::decode_hmp_info_block(answer);
    if (drives.empty()) return;
    for (sample::drive_info& drive : drives) {
        drive.attachment = sample::attachment_from_path(drive.identity.qdev);
    }
    if (!times_follow_) close_block();
    run_.story.push_back(std::move(drives));
}

/// Gives the drives of all samples the names that `info block` has, the first one also to those before it, and removes
/// what was said twice.
void log_import::name_drives() {
    sample::inventory known;
    const auto first = std::find_if(run_.story.begin(), run_.story.end(), [](const happening& one) {
        return std::holds_alternative<sample::inventory>(one);
    });
    if (first != run_.story.end()) std::rotate(run_.story.begin(), first, first + 1);

    bool is_unnamed = false;
    std::vector<happening> story;
    story.reserve(run_.story.size() + 1);
    for (happening& one : run_.story) {
        if (const auto* drives = std::get_if<sample::inventory>(&one)) {
            if (*drives == known) continue;
            known = *drives;
        }
        if (auto* counters = std::get_if<sample::sample>(&one)) {
            if (!sample::identify_by_inventory(counters->drives, known)) {
                std::size_t number = 0;
                for (sample::drive_sample& drive : counters->drives) {
                    const auto same = std::find_if(known.begin(), known.end(), [&](const sample::drive_info& info) {
                        return info.identity.device == drive.identity.device && !info.identity.device.empty();
                    });
                    if (same != known.end()) drive.identity = same->identity;
                    if (!drive.identity.device.empty()) continue;
                    drive.identity.node_name = fmt::format("unnamed-{}", ++number);
                    is_unnamed = true;
                }
            }
        }
        story.push_back(std::move(one));
    }
    run_.story = std::move(story);
    if (is_unnamed) {
        run_.notes.emplace_back("some drives have no name in 'info blockstats' and are called unnamed-1 and so on: let "
                                "the log have the output of 'info block' too");
    }
}

base::result<imported> log_import::finish(bool is_last_line_whole) {
    end_answer();
    if (!names_.empty()) {
        const bool is_shorter =
            names_.size() < names_before_.size() && std::equal(names_.begin(), names_.end(), names_before_.begin());
        is_cut_ = is_cut_ || (was_statistics_ && !is_last_line_whole) || is_shorter;
        close_block();
    }
    const auto fail = [](std::string why) { return base::fail(base::errc::data, std::move(why)); };
    if (blocks_ == 0) {
        return fail(fmt::format("the log holds no output of 'info blockstats': {}", how_to_log));
    }
    if (samples_ == 0 && timeless_ > 0) {
        return fail(fmt::format("the log holds outputs of 'info blockstats' and no times: {}", how_to_log));
    }
    if (samples_ == 0) return fail(fmt::format("no output of 'info blockstats' in the log is whole: {}", how_to_log));
    const auto note = [this](std::size_t count, std::string_view one, std::string_view many) {
        if (count > 0) run_.notes.push_back(count == 1 ? std::string(one) : fmt::format(fmt::runtime(many), count));
    };
    note(cut_, "one output is cut short and was left out", "{} outputs are cut short and were left out");
    note(timeless_, "one output has no time of its own and was left out",
         "{} outputs have no time of their own and were left out");
    note(backwards_, "the clock goes back at one output, which was left out",
         "the clock goes back at {} outputs, which were left out");
    name_drives();
    run_.about.has_wall_clock = false;
    if (const auto wall = clock_.wall()) set_wall_clock(run_, *wall);
    vm_.protocol = "hmp";
    complete(run_, vm_);
    return std::move(run_);
}

}  // namespace

base::result<imported> import_hmp_log(std::string_view text) {
    const bool is_last_line_whole = text.ends_with('\n');
    const auto read = [text](log_import& into) {
        std::string_view rest = text;
        while (!rest.empty()) into.take(take_line(rest));
    };
    log_import with_times_before(false);
    read(with_times_before);
    if (!with_times_before.is_shifted()) return with_times_before.finish(is_last_line_whole);
    log_import with_times_after(true);
    read(with_times_after);
    return with_times_after.finish(is_last_line_whole);
}

}  // namespace qmpwatch::run
