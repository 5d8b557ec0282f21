#include "run/run_file.hpp"

#include "run/story.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

bool same(base::instant a, base::instant b) { return a.steady == b.steady && a.wall == b.wall; }

struct compare {
    const happening& other;
    template <class What>
    void operator()(const What& one) const {
        REQUIRE(std::holds_alternative<What>(other));
        check(one, std::get<What>(other));
    }
    static void check(const sample::monitor_change& a, const sample::monitor_change& b) {
        CHECK(a.state == b.state);
        CHECK(a.detail == b.detail);
        CHECK(a.problem == b.problem);
        CHECK(same(a.at, b.at));
    }
    static void check(const sample::vm_identity& a, const sample::vm_identity& b) { CHECK(a == b); }
    static void check(const sample::run_state_change& a, const sample::run_state_change& b) {
        CHECK(a.state == b.state);
        CHECK(same(a.at, b.at));
    }
    static void check(const sample::inventory& a, const sample::inventory& b) { CHECK(a == b); }
    static void check(const sample::sample& a, const sample::sample& b) {
        CHECK(same(a.at, b.at));
        CHECK(a.rtt == b.rtt);
        CHECK(a.process == b.process);
        REQUIRE(a.drives.size() == b.drives.size());
        for (std::size_t i = 0; i < a.drives.size(); ++i) {
            CAPTURE(i);
            CHECK(a.drives[i].identity == b.drives[i].identity);
            CHECK(a.drives[i].counters == b.drives[i].counters);
        }
    }
    static void check(const sample::qmp_event& a, const sample::qmp_event& b) {
        CHECK(a.name == b.name);
        CHECK(a.data == b.data);
        CHECK(same(a.at, b.at));
    }
    static void check(const sample::poll_result& a, const sample::poll_result& b) {
        CHECK(a.outcome == b.outcome);
        CHECK(a.duration == b.duration);
        CHECK(a.lateness == b.lateness);
    }
    static void check(const marker& a, const marker& b) {
        CHECK(a.text == b.text);
        CHECK(same(a.at, b.at));
    }
};

/// The fault that reading the line finds, after a header and the given lines.
std::string fault_of(const std::string& line, const std::vector<std::string>& before = {}) {
    line_reader reader(some_header());
    for (const std::string& each : before) REQUIRE(reader.read(each).has_value());
    const auto read = reader.read(line);
    return read.has_error() ? read.error().message : "";
}

}  // namespace

TEST_CASE("what is written is read back, to the nanosecond") {
    header about = some_header();
    end how;
    how.reason = end_reason::command_exit;
    how.exit_code = 3;
    how.at = moment(about, 3s);
    const std::vector<happening> story = some_story(about);
    const std::vector<std::string> lines = lines_of(file_of(about, story, how));

    const auto read = line_reader::read_header(lines.front());
    REQUIRE(read.has_value());
    CHECK(read->major == 1);
    CHECK(read->minor == 1);
    CHECK(read->id == about.id);
    CHECK(read->qmpwatch == about.qmpwatch);
    CHECK(read->start.wall == about.start.wall);
    CHECK(read->poll == about.poll);
    CHECK(read->interval == about.interval);
    CHECK(read->host == about.host);
    CHECK(read->git_commit == about.git_commit);
    CHECK(read->ci_job == about.ci_job);
    CHECK(read->labels == about.labels);
    CHECK_FALSE(read->is_redacted);

    line_reader reader(*read);
    std::vector<happening> heard;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        CAPTURE(lines[i]);
        const auto one = reader.read(lines[i]);
        REQUIRE(one.has_value());
        if (*one) heard.push_back(**one);
    }
    REQUIRE(heard.size() == story.size());
    for (std::size_t i = 0; i < story.size(); ++i) {
        CAPTURE(i);
        std::visit(compare{heard[i]}, story[i]);
    }
    REQUIRE(reader.ended().has_value());
    CHECK(reader.ended()->reason == end_reason::command_exit);
    CHECK(reader.ended()->exit_code == 3);
    CHECK(same(reader.ended()->at, how.at));
}

TEST_CASE("an hour of four busy drives is below 3 MB") {
    const header about = some_header();
    line_writer lines(about);
    std::size_t bytes = lines.first_line().size();
    sample::sample counters;
    for (const char* name : {"install_media", "system", "data", "seed"})
        counters.drives.push_back({{name, "", ""}, {}});
    for (int second = 0; second < 3600; ++second) {
        counters.at = moment(about, std::chrono::seconds(second) + 1234567ns, base::nanoseconds(second * 37 % 900));
        counters.rtt = base::nanoseconds(351234 + second);
        for (std::size_t i = 0; i < counters.drives.size(); ++i) {
            auto& drive = counters.drives[i].counters;
            const auto done = std::uint64_t(second + 1) * 1200;
            drive[sample::operation::read] = {done * 65536, done, done * 85000, 0, 0, 0};
            drive[sample::operation::write] = {done * 65536, done, done * 85000, 0, 0, 0};
            drive[sample::operation::flush] = {0, done / 100, done * 8000, 0, 0, 0};
            drive.idle = base::nanoseconds(1000000 + second);
            drive.highest_write_offset_bytes = done * 65536;
        }
        bytes += lines.write(counters).size();
        bytes += lines.write(sample::poll_result{sample::poll_outcome::succeeded, 351234ns, 123456ns}).size();
    }
    CHECK(bytes < 3000000);
    CHECK(bytes > 1000000);  // it does hold them
}

TEST_CASE("counters that have not changed are not written again") {
    const header about = some_header();
    line_writer lines(about);
    sample::sample counters;
    counters.at = moment(about, 1s);
    counters.drives = {{{"a", "", ""}, {}}};
    counters.drives[0].counters[sample::operation::read] = {1, 2, 3, 0, 0, 0};
    const std::string first = lines.write(counters);
    CHECK(std::count(first.begin(), first.end(), '\n') == 2);
    CHECK(first.find(R"("changed":{"0":{"read":[1,2,3]}})") != std::string::npos);
    counters.at = moment(about, 2s);
    CHECK(lines.write(counters) == "{\"type\":\"sample\",\"at_ns\":2000000000,\"rtt_ns\":0,\"changed\":{}}\n");
}

TEST_CASE("headers that are refused") {
    const auto fault = [](const std::string& line) {
        const auto read = line_reader::read_header(line);
        return read.has_error() ? read.error().message : "";
    };
    const std::string good = line_writer(some_header()).first_line();
    CHECK(fault(good) == "");
    CHECK(fault("") == "it is not a JSON object");
    CHECK(fault("[]") == "it is not a JSON object");
    CHECK(fault("{}") == "it does not begin with the header of a run");
    CHECK(fault(R"({"schema":7})") == "it does not begin with the header of a run");
    CHECK(fault(R"({"schema":{"name":"qmpwatch-doctor","version":1}})") ==
          "it does not begin with the header of a run");
    CHECK(fault(R"({"schema":{"name":"qmpwatch-run","version":2,"minor":0},"start":{"new":"form"}})") ==
          "it is a run of version 2, and this qmpwatch reads up to version 1: use a newer qmpwatch");
    CHECK(fault(R"({"schema":{"name":"qmpwatch-run"}})") == "its header names no version of the format");
    for (const char* start :
         {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
          "1812-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2026-01-01 00:00:00Z"}) {
        CAPTURE(start);
        CHECK(fault(R"({"schema":{"name":"qmpwatch-run","version":1},"start":")" + std::string(start) + "\"}") ==
              "its header has no start time that can be read");
    }
    CHECK(fault(R"({"schema":{"name":"qmpwatch-run","version":1},"start":"2026-01-01T00:00:00Z","poll_ns":0})") ==
          "'poll_ns' is out of range");
}

TEST_CASE("a later minor version may say more") {
    const auto read = line_reader::read_header(
        R"({"schema":{"name":"qmpwatch-run","version":1,"minor":7},"start":"2026-01-01T00:00:00.5Z","new":[1,2]})");
    REQUIRE(read.has_value());
    CHECK(read->minor == 7);
    line_reader reader(*read);
    const auto unknown_kind = reader.read(R"({"type":"weather","at_ns":5,"sky":"blue"})");
    REQUIRE(unknown_kind.has_value());
    CHECK_FALSE(unknown_kind->has_value());
    const auto unknown_field = reader.read(R"({"type":"state","at_ns":5,"state":"running","mood":{}})");
    REQUIRE(unknown_field.has_value());
    REQUIRE(unknown_field->has_value());
    CHECK(std::get<sample::run_state_change>(**unknown_field).state == "running");
}

TEST_CASE("minor version 0 says nothing of vCPUs, memory and content") {
    const auto read = line_reader::read_header(
        R"({"schema":{"name":"qmpwatch-run","version":1,"minor":0},"start":"2026-01-01T00:00:00Z"})");
    REQUIRE(read.has_value());
    CHECK(read->minor == 0);
    line_reader reader(*read);
    const auto vm = reader.read(R"({"type":"vm","vm":"a","name":"a","arch":"x86_64","pid":4711})");
    REQUIRE(vm.has_value());
    REQUIRE(vm->has_value());
    CHECK(std::get<sample::vm_identity>(**vm).arch == "x86_64");
    CHECK(std::get<sample::vm_identity>(**vm).cpus == 0);
    CHECK(std::get<sample::vm_identity>(**vm).memory_bytes == 0);
    const auto drives =
        reader.read(R"({"type":"inventory","drives":[{"device":"cd","inserted":true,"file":"a.iso"}]})");
    REQUIRE(drives.has_value());
    REQUIRE(drives->has_value());
    CHECK(std::get<sample::inventory>(**drives).at(0).media.file == "a.iso");
    CHECK(std::get<sample::inventory>(**drives).at(0).media.content.empty());
}

TEST_CASE("a content that nobody computed is not written") {
    line_writer lines(some_header());
    sample::drive_info drive;
    drive.media.inserted = true;
    CHECK(lines.write(sample::inventory{drive}).find("content") == std::string::npos);
    drive.media.content = "sampled-sha256:0";
    CHECK(lines.write(sample::inventory{drive}).find(R"("content":"sampled-sha256:0")") != std::string::npos);
}

TEST_CASE("lines that are refused") {
    const std::string drives = R"({"type":"drives","drives":[{"device":"a"}]})";
    CHECK(fault_of("{") == "it is not a JSON object");
    CHECK(fault_of("\xff") == "it is not a JSON object");
    CHECK(fault_of(std::string(100000, '[')) == "it is not a JSON object");
    CHECK(fault_of("{\"type\":\"x\",\"y\":" + std::string(1000, '[') + std::string(1000, ']') + "}") ==
          "it is not a JSON object");
    CHECK(fault_of("{}") == "it has no 'type'");
    CHECK(fault_of(R"({"type":7})") == "'type' is not a text");
    CHECK(fault_of(line_writer(some_header()).first_line()) == "it is a second header: another run begins here");
    CHECK(fault_of(R"({"type":"sample"})") == "it has no 'at_ns'");
    CHECK(fault_of(R"({"type":"sample","at_ns":1.5})") ==
          "'at_ns' is not a whole number of nanoseconds within ten years");
    CHECK(fault_of(R"({"type":"sample","at_ns":18446744073709551615})") ==
          "'at_ns' is not a whole number of nanoseconds within ten years");
    CHECK(fault_of(R"({"type":"sample","at_ns":1,"changed":{"0":{}}})") ==
          "something has changed of a drive that is not there");
    CHECK(fault_of(R"({"type":"sample","at_ns":1,"changed":{"0":{"read":[1,2,3,4,5,6,7]}}})", {drives}) ==
          "the counters of an operation are not a list of up to six");
    CHECK(fault_of(R"({"type":"sample","at_ns":1,"changed":{"0":{"read":[-1]}}})", {drives}) ==
          "'read' is not a whole number");
    CHECK(fault_of(R"({"type":"sample","at_ns":1,"changed":{"0":{"idle_ns":-1}}})", {drives}) ==
          "'idle_ns' is below zero");
    CHECK(fault_of(R"({"type":"sample","at_ns":1,"changed":[]})", {drives}) == "something in it is not an object");
    CHECK(fault_of(R"({"type":"drives"})") == "it has no list of drives, or too long a one");
    CHECK(fault_of(R"({"type":"drives","drives":[7]})") == "something in it is not an object");
    CHECK(fault_of(R"({"type":"monitor","at_ns":1,"state":"merry"})") == "it has no monitor state that is known");
    CHECK(fault_of(R"({"type":"vm","cpus":65536})").empty());
    CHECK(fault_of(R"({"type":"vm","cpus":65537})") == "'cpus' is out of range");
    CHECK(fault_of(R"({"type":"vm","cpus":-1})") == "'cpus' is not a whole number");
    CHECK(fault_of(R"({"type":"vm","memory_bytes":"8G"})") == "'memory_bytes' is not a whole number");
    CHECK(fault_of(R"({"type":"inventory","drives":[{"content":7}]})") == "'content' is not a text");
    CHECK(fault_of(R"({"type":"poll","result":"merry"})") == "it has no result that is known");
    CHECK(fault_of(R"({"type":"event","at_ns":1})") == "it has no 'event'");
    CHECK(fault_of(R"({"type":"end","at_ns":1,"reason":"boredom"})") == "it ends for a reason that is not known");
    CHECK(fault_of(R"({"type":"end","at_ns":1,"reason":"command-exit","exit_code":256})") ==
          "'exit_code' is out of range");
}

TEST_CASE("a clock that goes back, and a line that was refused, leave the counters as they were") {
    line_reader reader(some_header());
    REQUIRE(reader.read(R"({"type":"drives","drives":[{"device":"a"}]})").has_value());
    REQUIRE(reader.read(R"({"type":"sample","at_ns":100,"changed":{"0":{"read":[10,1,5]}}})").has_value());
    const auto back = reader.read(R"({"type":"sample","at_ns":99,"changed":{"0":{"read":[77,7,7]}}})");
    REQUIRE(back.has_error());
    CHECK(back.error().message == "it is older than the sample before it");
    REQUIRE(
        reader.read(R"({"type":"sample","at_ns":200,"changed":{"0":{"read":[88,8,8],"idle_ns":"x"}}})").has_error());
    const auto after = reader.read(R"({"type":"sample","at_ns":300,"changed":{}})");
    REQUIRE(after.has_value());
    CHECK(std::get<sample::sample>(**after).drives[0].counters[sample::operation::read].bytes == 10);
    // The same moment twice is odd but harmless.
    CHECK(reader.read(R"({"type":"sample","at_ns":300,"changed":{}})").has_value());
}
