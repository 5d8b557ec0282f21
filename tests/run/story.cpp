#include "run/story.hpp"

namespace qmpwatch::run_test {

using namespace std::chrono_literals;
using sample::operation;

base::instant moment(const run::header& about, base::nanoseconds since, base::nanoseconds skew) {
    return {about.start.steady + since,
            about.start.wall + std::chrono::duration_cast<base::wall_time::duration>(since + skew)};
}

run::header some_header() {
    run::header about;
    about.id = "0123456789abcdef";
    about.qmpwatch = "0.1.0";
    about.start.wall = base::wall_time(std::chrono::duration_cast<base::wall_time::duration>(1764555269123456789ns));
    about.poll = 500ms;
    about.interval = 15s;
    about.host = {"Linux 6.1.0-28-amd64 x86_64", "Some CPU @ 3 GHz", 8};
    about.git_commit = "6512b76";
    about.ci_job = "https://ci.example/job/7";
    about.labels = {{"medium", "usb-storage"}, {"a \"b\"", "c\nd"}};
    return about;
}

std::vector<run::happening> some_story(const run::header& about) {
    std::vector<run::happening> story;
    story.push_back(sample::monitor_change{sample::monitor_state::absent, "no such socket: /run/vm.sock",
                                           moment(about, 1ms), base::errc::absent});
    story.push_back(sample::monitor_change{sample::monitor_state::connecting, "", moment(about, 900ms), {}});
    sample::vm_identity vm;
    vm.vm = "installer";
    vm.name = "installer";
    vm.uuid = "11111111-2222-3333-4444-555555555555";
    vm.socket = "/run/vm.sock";
    vm.protocol = "qmp";
    vm.version = "7.2.22";
    vm.package = "Debian 1:7.2+dfsg-7";
    vm.machine = "pc-q35-7.2";
    vm.accelerator = "tcg";
    vm.arch = "x86_64";
    vm.cpus = 4;
    vm.memory_bytes = 8589934592;
    vm.pid = 4711;
    story.push_back(vm);
    story.push_back(sample::monitor_change{sample::monitor_state::ready, "", moment(about, 1s), {}});
    story.push_back(sample::run_state_change{"running", moment(about, 1001ms)});
    sample::drive_info medium;
    medium.identity = {"install_media", "/machine/peripheral/cd", "#block1"};
    medium.attachment = {"usb-storage", "qemu-xhci"};
    medium.media = {
        "/iso/Win11 \xc3\xa9.iso", "raw", true, true, true, 7000000000, sample::cache_mode{true, false, true}};
    medium.media.content = "sampled-sha256:" + std::string(64, '7');
    sample::drive_info empty;
    empty.identity = {"emptycd", "", ""};
    empty.media.removable = true;
    story.push_back(sample::inventory{medium, empty});
    sample::sample counters;
    counters.at = moment(about, 1100000001ns, -77ns);
    counters.rtt = 351234ns;
    counters.drives = {{medium.identity, {}}, {empty.identity, {}}};
    counters.process = base::process_usage{12.34, 1000000, 2000000, 1764555000.25, 'S'};
    story.push_back(counters);
    story.push_back(sample::poll_result{sample::poll_outcome::succeeded, 360us, 12us});
    counters.at = moment(about, 1600000001ns, 5ms);
    counters.process.reset();
    sample::drive_counters& reading = counters.drives[0].counters;
    reading[operation::read] = {6554112, 201, 25682664, 3, 1, 2};
    reading[operation::flush] = {0, 4, 18446744073709551615U, 0, 0, 0};
    reading.idle = 3823071877ns;
    reading.highest_write_offset_bytes = 0;
    counters.drives[1].counters.detailed = false;
    story.push_back(counters);
    story.push_back(sample::poll_result{sample::poll_outcome::failed, 2s, -3ms});
    story.push_back(sample::poll_result{sample::poll_outcome::timed_out, 2s, 3ms});
    story.push_back(sample::qmp_event{"STOP", "", moment(about, 1700ms)});
    story.push_back(
        sample::qmp_event{"BLOCK_IO_ERROR", R"({"device":"install_media","nospace":false})", moment(about, 1701ms)});
    story.push_back(sample::qmp_event{"ODD", "{not json", moment(about, 1702ms)});
    // A drive comes, a counter falls, what was known is not known any more.
    counters.at = moment(about, 2100ms);
    counters.drives.push_back({{"", "/machine/peripheral/hot", "#block9"}, {}});
    counters.drives[0].counters[operation::read].bytes = 5;
    counters.drives[0].counters.idle.reset();
    counters.drives[0].counters.highest_write_offset_bytes.reset();
    story.push_back(counters);
    story.push_back(run::marker{"copying \"files\"", moment(about, 2200ms)});
    return story;
}

std::vector<run::happening> losing_story(const run::header& about, int losses) {
    std::vector<run::happening> story;
    sample::vm_identity vm;
    vm.vm = vm.name = "installer";
    vm.protocol = "qmp";
    story.push_back(vm);
    story.push_back(sample::monitor_change{sample::monitor_state::ready, "", about.start, {}});
    story.push_back(sample::run_state_change{"running", about.start});
    sample::drive_info medium;
    medium.identity = {"install_media", "/machine/peripheral/cd", "#block1"};
    medium.attachment = {"usb-storage", "qemu-xhci"};
    medium.media = {"install.iso", "raw", true, true, true, {}, {}};
    story.push_back(sample::inventory{medium});
    // One operation of 64 KiB in 6.5536 ms, one burst of 1 + n / 8 s every so often; what counts is when they complete.
    const base::nanoseconds operation_time = 6553600ns;
    std::uint64_t done = 0;
    base::nanoseconds last{}, next = 100ms;
    int burst = 0;
    std::uint64_t burst_left = 150;
    for (base::nanoseconds at{}; burst <= losses; at += 250ms) {
        while (next <= at && burst <= losses) {
            ++done;
            last = next;
            if (--burst_left == 0) {
                ++burst;
                burst_left = 150 + static_cast<std::uint64_t>(burst % 5) * 19;
                next += 10050ms;
            } else {
                next += operation_time;
            }
        }
        sample::sample counters;
        counters.at = moment(about, at);
        counters.rtt = 400us;
        sample::drive_sample drive{medium.identity, {}};
        drive.counters[operation::read] = {done * 65536, done, done * 60000, 0, 0, 0};
        if (done > 0) drive.counters.idle = at - last;
        counters.drives.push_back(drive);
        story.push_back(counters);
        story.push_back(sample::poll_result{sample::poll_outcome::succeeded, 400us, 0ns});
    }
    return story;
}

std::string file_of(const run::header& about, const std::vector<run::happening>& story,
                    const std::optional<run::end>& how) {
    run::line_writer lines(about);
    std::string text = lines.first_line();
    for (const run::happening& one : story) text += lines.write(one);
    if (how) text += lines.last_line(*how);
    return text;
}

}  // namespace qmpwatch::run_test
