#include "gate/baseline.hpp"

#include <doctest/doctest.h>

#include <string>

namespace qmpwatch::gate {
namespace {

accepted_run some(std::string file, std::string fingerprint) {
    accepted_run made;
    made.file = std::move(file);
    made.sha256 = "ab";
    made.fingerprint = std::move(fingerprint);
    made.accepted = "2026-11-30T00:00:00.000Z";
    return made;
}

TEST_CASE("an index reads as it was written, one run a line") {
    baseline_index index{some("a.run", "f"), some("b \"x\".run.gz", "g")};
    index[0].id = "1234";
    index[0].fingerprint_text = "bus=nvme";
    index[0].recorded = "2026-11-29T00:00:00.000Z";
    index[1].retired = "2026-12-01T00:00:00.000Z";
    index[1].note = "slow host";
    const std::string text = write_baseline_index(index);
    const auto read = read_baseline_index(text);
    REQUIRE(read.has_value());
    CHECK(*read == index);
    CHECK(std::count(text.begin(), text.end(), '\n') == 7);
    CHECK(read_baseline_index(write_baseline_index({}))->empty());
}

TEST_CASE("the last that were accepted and not retired count") {
    baseline_index index;
    for (int i = 0; i < 15; ++i) index.push_back(some(std::to_string(i), i % 3 == 0 ? "other" : "f"));
    index[14].retired = "2026-12-01T00:00:00.000Z";
    const auto made = current_baselines(index, "f", 4);
    REQUIRE(made.size() == 4);
    CHECK(made[0].file == "8");
    CHECK(made[3].file == "13");
    CHECK(current_baselines(index, "nobody").empty());
}

TEST_CASE("the latest is the last that is not retired") {
    baseline_index index;
    CHECK(latest_baseline(index) == nullptr);
    for (const char* file : {"a", "b", "c"}) index.push_back(some(file, "f"));
    CHECK(latest_baseline(index)->file == "c");
    index[2].retired = "2026-12-01T00:00:00.000Z";
    CHECK(latest_baseline(index)->file == "b");
    index[0].retired = index[1].retired = index[2].retired;
    CHECK(latest_baseline(index) == nullptr);
}

TEST_CASE("what is no index is refused") {
    const std::string good = write_baseline_index({some("a.run", "f")});
    CHECK(read_baseline_index(good).has_value());
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return read_baseline_index(text);
    };
    for (const std::string text : {"", "{}", "[]", "null", "{\"schema\": 1}",
                                   "{\"schema\": {\"name\": \"qmpwatch-run\", \"version\": 1}, \"runs\": []}"}) {
        CAPTURE(text);
        CHECK(read_baseline_index(text).has_error());
    }
    CHECK(with("\"version\": 1", "\"version\": 2").error().message.find("use a newer one") != std::string::npos);
    CHECK(with("\"version\": 1", "\"version\": 1e999").has_error());
    CHECK(with("a.run", "../a.run").error().message.find("not in the folder") != std::string::npos);
    CHECK(with("a.run", "").has_error());
    CHECK(with("a.run", "..").has_error());
    CHECK(with("\"file\"", "\"path\"").error().message == "run 1 of the index has no 'file'");
    CHECK(with("\"a.run\"", "7").error().message == "run 1 of the index has a 'file' that is no text");
}

}  // namespace
}  // namespace qmpwatch::gate
