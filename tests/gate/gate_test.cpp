#include "gate/gate.hpp"

#include "base/json.hpp"
#include "gate/golden_rows.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace qmpwatch::gate {
namespace {

using gate_test::made_run;
using namespace std::chrono_literals;

constexpr std::uint64_t gigabyte = 1000000000;
/// A month after all that is recorded here has begun, less an hour: nothing is old.
const base::wall_time now{std::chrono::sys_days(std::chrono::year(2026) / 11 / 2).time_since_epoch()};

/// Run files in a folder, each recorded a minute after the one before.
class runs {
public:
    input make(made_run what) {
        what.start_minute = next_;
        return gate_test::read_made(folder_.path() / fmt::format("{}.run", next_++), what);
    }
    std::vector<input> make_all(const std::vector<double>& seconds, const made_run& like = {}) {
        std::vector<input> made;
        for (const double each : seconds) {
            made_run what = like;
            what.seconds = each;
            made.push_back(make(what));
        }
        return made;
    }

private:
    support::temporary_folder folder_;
    int next_ = 0;
};

std::string refusal(const base::result<outcome>& of) { return of.has_error() ? of.error().message : "no error"; }

bool has(const std::vector<std::string>& sentences, std::string_view part) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& each) { return each.find(part) != std::string::npos; });
}

TEST_CASE("all worked examples, from run files") {
    const nlohmann::json golden = base::parse_json(support::fixture("gate/golden.json"));
    runs made;
    std::map<std::string, input> known;  // one file for each time, and for each time that is cut
    for (const golden_row& row : golden_rows()) {
        if (row.key.find("+inf") != std::string::npos) continue;  // the other reading of the row before
        CAPTURE(row.key);
        // Rates of runs that are long enough for samples a second apart.
        const std::uint64_t bytes = row.are_times ? gigabyte : 10 * gigabyte;
        const bool is_cut_row = row.key.find("censored") != std::string::npos;
        const auto inputs = [&](const std::vector<double>& values, bool is_candidate) {
            std::vector<input> all;
            for (const double value : values) {
                made_run what;
                what.bytes = bytes;
                what.seconds = row.are_times ? value : static_cast<double>(bytes) / (value * 1e6);
                // In the censored rows the runs at 400 s and 200 s were cut.
                const bool is_cut = is_cut_row && is_candidate && (value == 400 || value == 200);
                if (is_cut) {
                    what.cut_after = value;
                    what.seconds = value * 1.5;
                }
                // The same time twice in a row is two runs.
                std::string key = fmt::format("{} {} {}", value, is_cut, row.are_times);
                while (std::any_of(all.begin(), all.end(), [&](const input& each) {
                    return known.contains(key) && each.sha256 == known.at(key).sha256;
                }))
                    key += "'";
                if (!known.contains(key)) known.emplace(key, made.make(what));
                all.push_back(known.at(key));
            }
            return all;
        };
        settings how;
        how.tolerance.margin = row.margin;
        const std::vector<input> candidates = inputs(row.candidates, true), baselines = inputs(row.baselines, false);
        const auto its = decide(candidates, baselines, how, now);
        REQUIRE(its.has_value());
        const metric_outcome& of = its->metrics.at(0);
        REQUIRE(of.change);
        const nlohmann::json& wanted = golden.at(row.key);
        CHECK(of.at.share == 1.0);
        CHECK(of.at.bytes == static_cast<double>(bytes));
        CHECK(std::exp(of.change->shift) == doctest::Approx(wanted.at("R").get<double>()).epsilon(3e-6));
        CHECK(std::abs(std::exp(of.change->lower) - wanted.at("L").get<double>()) < 1e-4);
        CHECK(std::abs(std::exp(of.change->upper) - wanted.at("U").get<double>()) < 1e-4);
        CHECK(of.change->count == wanted.at("mw_U").get<double>());
        std::string verdict(name(its->its));
        for (char& each : verdict) each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
        CHECK(verdict == wanted.at("verdict").get<std::string>());
        CHECK(of.harshest.has_value() == is_cut_row);
    }
}

TEST_CASE("what the field report has seen") {
    runs made;
    const std::vector<input> slow = made.make_all({1230}), usual = made.make_all({165, 160, 135});
    CHECK(decide(slow, usual, {}, now)->its == verdict::fail);
    CHECK(decide(usual, slow, {}, now)->its == verdict::pass);
    const std::vector<input> nvme = made.make_all({gigabyte / 74.4e6}), usb = made.make_all({gigabyte / 4.1e6});
    CHECK(decide(nvme, usb, {}, now)->its == verdict::pass);
    CHECK(decide(usb, nvme, {}, now)->its == verdict::fail);
}

TEST_CASE("a run that was cut counts both ways") {
    runs made;
    const std::vector<input> baselines = made.make_all({165, 160, 135});
    made_run cut;
    cut.seconds = 300;
    cut.cut_after = 165;
    SUBCASE("where the readings differ there is no answer") {
        std::vector<input> candidates = made.make_all({150, 155});
        candidates.push_back(made.make(cut));
        const auto its = decide(candidates, baselines, {}, now);
        REQUIRE(its.has_value());
        CHECK(its->its == verdict::inconclusive);
        CHECK(its->metrics[0].why == reason::censored);
        CHECK(its->metrics[0].candidates[2].at_checkpoint->is_cut);
        CHECK(explain(its->metrics[0], {}).find("let them end") != std::string::npos);
    }
    SUBCASE("where nobody got there, a lower checkpoint is taken") {
        cut.seconds = 200;  // 165 s of it: 82.5 % of the bytes
        const std::vector<input> candidates{made.make(cut)};
        const auto its = decide(candidates, baselines, {}, now);
        REQUIRE(its.has_value());
        CHECK(its->metrics[0].at.share == 0.75);
        CHECK(base::in_seconds(its->metrics[0].candidates[0].at_checkpoint->time) ==
              doctest::Approx(150).epsilon(1e-3));
        CHECK(its->its == verdict::inconclusive);
        CHECK(its->metrics[0].why == reason::few_runs);
    }
    SUBCASE("less than half of the bytes decide nothing") {
        cut.seconds = 500;
        const std::vector<input> candidates{made.make(cut)};
        const auto its = decide(candidates, baselines, {}, now);
        REQUIRE(its.has_value());
        CHECK(its->metrics[0].at.share == 0.25);
        CHECK(its->its == verdict::inconclusive);
        CHECK(its->metrics[0].why == reason::too_short);
        cut.seconds = 3000;
        const std::vector<input> hardly{made.make(cut)};
        const auto nothing = decide(hardly, baselines, {}, now);
        REQUIRE(nothing.has_value());
        CHECK(nothing->metrics[0].at.share == 0);
        CHECK(nothing->metrics[0].why == reason::too_short);
        CHECK(!explain(nothing->metrics[0], {}).empty());
    }
    SUBCASE("a cut baseline can only have been slower") {
        std::vector<input> cut_baselines = made.make_all({165, 160});
        cut_baselines.push_back(made.make(cut));
        const std::vector<input> candidates = made.make_all({150, 158, 140});
        const auto its = decide(candidates, cut_baselines, {}, now);
        REQUIRE(its.has_value());
        CHECK(its->its == verdict::pass);
        CHECK(its->metrics[0].baselines[2].at_checkpoint->is_cut);
    }
}

TEST_CASE("a monitor that closed after all bytes is as good as an end") {
    runs made;
    made_run lost;
    lost.ended_by = run::end_reason::monitor_lost;
    const std::vector<input> candidates = made.make_all({158, 161, 150}, lost);
    lost.bytes = gigabyte * 99 / 100;
    const std::vector<input> baselines = made.make_all({165, 160, 155}, lost);
    settings how;
    how.allowed_mismatches = {"media"};  // the size differs
    const auto its = decide(candidates, baselines, how, now);
    REQUIRE(its.has_value());
    CHECK(its->its == verdict::pass);
    CHECK(!its->metrics[0].at.has_cut());
    CHECK(its->metrics[0].at.share == 1.0);
    CHECK(!its->candidates[0].is_complete);
}

TEST_CASE("complete runs of other work are not compared") {
    runs made;
    made_run less;
    less.bytes = gigabyte * 9 / 10;
    less.content = "";
    const std::vector<input> candidates = made.make_all({150, 158, 140}, less);
    made_run usual;
    usual.content = "";
    const std::vector<input> baselines = made.make_all({165, 160, 135}, usual);
    const auto its = decide(candidates, baselines, {}, now);
    CHECK(refusal(its).find("3.run moved 900 MB, the baselines 1.00 GB") == std::string::npos);
    CHECK(refusal(its).find("0.run moved 900 MB, the baselines 1.00 GB") != std::string::npos);
    settings how;
    how.allowed_mismatches = {"bytes", "media"};
    const auto allowed = decide(candidates, baselines, how, now);
    REQUIRE(allowed.has_value());
    CHECK(allowed->metrics[0].at.share == 0.9);
}

TEST_CASE("runs of other VMs are not compared") {
    struct row {
        std::string key, part;
        void (*change)(made_run&);
    };
    const std::vector<row> rows{
        {"bus", "how the medium is attached differs: usb-storage on qemu-xhci in",
         [](made_run& of) { of.bus = "nvme"; }},
        {"media", "the medium's content differs", [](made_run& of) { of.content = "sampled-sha256:9"; }},
        {"vcpus", "the number of vCPUs differs: 2 in", [](made_run& of) { of.vcpus = 4; }},
        {"accelerator", "the accelerator differs: tcg in", [](made_run& of) { of.accelerator = "kvm"; }},
        {"guest", "the label guest differs", [](made_run& of) { of.guest = "debian 13"; }},
    };
    for (const row& each : rows) {
        CAPTURE(each.key);
        runs made;
        made_run usual, other;
        usual.guest = "debian 12";
        other.guest = usual.guest;
        each.change(other);
        const std::vector<input> candidates = made.make_all({160}, other), baselines = made.make_all({160}, usual);
        const std::string sentence = refusal(decide(candidates, baselines, {}, now));
        CHECK(sentence.find(each.part) != std::string::npos);
        CHECK(sentence.find("0.run") != std::string::npos);
        CHECK(sentence.find("--allow-mismatch " + each.key) != std::string::npos);
        settings how;
        how.allowed_mismatches = {each.key};
        const auto allowed = decide(candidates, baselines, how, now);
        REQUIRE(allowed.has_value());
        CHECK(has(allowed->warnings, each.part));
    }
}

TEST_CASE("what may differ is told") {
    runs made;
    made_run newer;
    newer.version = "10.0.2";
    const std::vector<input> baselines = made.make_all({160, 161, 162}),
                             candidates = made.make_all({160, 161, 162}, newer);
    const auto its = decide(candidates, baselines, {}, now);
    REQUIRE(its.has_value());
    CHECK(its->its == verdict::pass);
    CHECK(has(its->warnings, "QEMU's version differs: 7.2.22 in"));
    CHECK(has(its->warnings, "all baselines were recorded before all candidates"));
    CHECK(its->warnings.size() == 2);
    const auto turned = decide(baselines, candidates, {}, now);
    CHECK(!has(turned->warnings, "before all candidates"));
    const auto later = decide(candidates, baselines, {}, now + std::chrono::hours(24 * 40));
    CHECK(has(later->warnings, "3 of 3 baselines are older than 720h (--max-age)"));
}

TEST_CASE("what is not known is told once, and nothing is refused") {
    runs made;
    made_run unknown;
    unknown.bus.clear();
    unknown.accelerator.clear();
    unknown.vcpus = 0;
    const std::vector<input> candidates = made.make_all({150}, unknown), baselines = made.make_all({165, 160, 135});
    const auto its = decide(candidates, baselines, {}, now);
    REQUIRE(its.has_value());
    CHECK(has(its->warnings, "not every run says it (imported runs and HMP know less): bus, vcpus, accelerator"));
}

TEST_CASE("runs that cannot be judged are named") {
    runs made;
    const std::vector<input> usual = made.make_all({165, 160, 135});
    made_run what;
    SUBCASE("no end") {
        what.ended_by = std::nullopt;
        const std::vector<input> unfinished{made.make(what)};
        CHECK(refusal(decide(unfinished, usual, {}, now)).find("3.run has no end") != std::string::npos);
        CHECK(refusal(decide(usual, unfinished, {}, now)).find("3.run has no end") != std::string::npos);
    }
    SUBCASE("nothing was read") {
        what.bytes = 0;
        const std::vector<input> nothing{made.make(what)};
        CHECK(
            refusal(decide(nothing, usual, {}, now)).find("3.run cannot be compared by copy: there is no copy in it") !=
            std::string::npos);
    }
    SUBCASE("one sample") {
        what.cut_after = 0;
        const std::vector<input> single{made.make(what)};
        CHECK(refusal(decide(single, usual, {}, now)).find("3.run cannot be compared by copy") != std::string::npos);
        settings whole;
        whole.metrics = {*parse_metric("run")};
        CHECK(refusal(decide(single, usual, whole, now)).find("a single sample has no length") != std::string::npos);
    }
    SUBCASE("a metric that is not there") {
        settings how;
        how.metrics = {*parse_metric("vda:write")};
        CHECK(refusal(decide(usual, usual, how, now)).find("are the same run, on both sides") != std::string::npos);
        const std::vector<input> others = made.make_all({150});
        CHECK(refusal(decide(others, usual, how, now))
                  .find("3.run cannot be compared by vda:write: it has no drive 'vda'; its drives: install_media") !=
              std::string::npos);
        how.metrics = {*parse_metric("install_media:write")};
        CHECK(refusal(decide(others, usual, how, now)).find("never wrote") != std::string::npos);
    }
    SUBCASE("the same run twice") {
        const std::vector<input> twice{usual[0], usual[0]};
        const std::vector<input> others = made.make_all({150});
        CHECK(refusal(decide(others, twice, {}, now)).find("0.run are the same run: leave one of them out") !=
              std::string::npos);
    }
    SUBCASE("nothing at all") {
        CHECK(decide({}, usual, {}, now).error().code == base::errc::usage);
        CHECK(decide(usual, {}, {}, now).error().code == base::errc::usage);
    }
}

TEST_CASE("limits stand by themselves") {
    runs made;
    made_run stalling;
    stalling.seconds = 180;
    stalling.stalls_at = {20.3, 60.7, 100.1};
    const std::vector<input> candidates{made.make({}), made.make(stalling)};
    settings how;
    how.limits.max_stalls = 3;
    how.limits.max_stalled = 40s;
    how.limits.no_cause = {stall::cause::slow_backend};
    how.limits.min_bytes_per_second = 5e6;
    auto its = decide(candidates, {}, how, now);
    REQUIRE(its.has_value());
    REQUIRE(its->limits.size() == 4);
    CHECK(its->its == verdict::pass);
    CHECK(its->metrics.empty());
    CHECK(its->limits[0].seen_value == 3);
    CHECK(its->limits[0].seen.find("1.run") != std::string::npos);
    CHECK(its->limits[1].seen_value == doctest::Approx(30).epsilon(0.03));
    CHECK(its->limits[3].seen_value == doctest::Approx(1e9 / 180).epsilon(1e-3));
    how.limits.max_stalls = 2;
    how.limits.no_cause = {stall::cause::lost_completion};
    how.limits.min_bytes_per_second = 6e6;
    its = decide(candidates, {}, how, now);
    REQUIRE(its.has_value());
    CHECK(its->its == verdict::fail);
    CHECK(its->limits[0].its == verdict::fail);
    CHECK(its->limits[1].its == verdict::pass);
    CHECK(its->limits[2].its == verdict::fail);
    CHECK(its->limits[3].its == verdict::fail);
    // Together with baselines, a broken limit fails what the times let pass.
    const std::vector<input> good = made.make_all({100, 101, 99}), baselines = made.make_all({100, 101, 99});
    how.limits = {};
    how.limits.min_bytes_per_second = 20e6;
    its = decide(good, baselines, how, now);
    REQUIRE(its.has_value());
    CHECK(its->metrics[0].its == verdict::pass);
    CHECK(its->its == verdict::fail);
}

TEST_CASE("samples that are too far apart decide nothing") {
    runs made;
    made_run coarse;
    coarse.poll = 15s;
    const std::vector<input> candidates = made.make_all({100, 101, 99}, coarse),
                             baselines = made.make_all({100, 101, 99}, coarse);
    const auto its = decide(candidates, baselines, {}, now);
    REQUIRE(its.has_value());
    CHECK(its->its == verdict::inconclusive);
    CHECK(its->metrics[0].why == reason::resolution);
    // The last sample is at 90 s. Nine tenths of what the median run had by then, the fastest had after 80.19 s.
    CHECK(its->metrics[0].at.share == 0.9);
    CHECK(its->metrics[0].at.resolution == doctest::Approx(15 / (std::sqrt(6.0) * 80.19)));
    settings wide;
    wide.tolerance.margin = 0.40;
    CHECK(decide(candidates, baselines, wide, now)->its == verdict::pass);
}

TEST_CASE("the whole run, several metrics, and those that are only shown") {
    runs made;
    const std::vector<input> candidates = made.make_all({210, 225, 198, 206}),
                             baselines = made.make_all({165, 160, 135, 150});
    settings how;
    how.metrics = {*parse_metric("run"), *parse_metric("install_media:read")};
    how.informational = {*parse_metric("copy")};
    const auto its = decide(candidates, baselines, how, now);
    REQUIRE(its.has_value());
    REQUIRE(its->metrics.size() == 3);
    CHECK(its->its == verdict::fail);
    CHECK(its->metrics[0].at.bytes == 0);
    CHECK(its->metrics[0].its == verdict::fail);
    CHECK(its->metrics[1].its == verdict::fail);
    CHECK(!its->metrics[2].decides);
    CHECK(its->metrics[2].its == verdict::fail);
    // What is only shown decides nothing.
    how.metrics = {*parse_metric("copy")};
    how.tolerance.margin = 0.4;
    const auto shown = decide(candidates, baselines, how, now);
    CHECK(shown->its == verdict::pass);
}

TEST_CASE("the whole run of one that was cut is longer than what was seen") {
    runs made;
    made_run cut;
    cut.cut_after = 400;
    cut.seconds = 1000;
    const std::vector<input> candidates{made.make(cut)}, baselines = made.make_all({165, 160, 135});
    settings how;
    how.metrics = {*parse_metric("run")};
    const auto its = decide(candidates, baselines, how, now);
    REQUIRE(its.has_value());
    // No candidate ended: nothing can be timed.
    CHECK(its->metrics[0].why == reason::too_short);
}

TEST_CASE("equal runs pass, and how many runs would settle what does not") {
    runs made;
    const std::vector<input> candidates = made.make_all({100, 100, 100}), baselines = made.make_all({100, 100, 100});
    const auto its = decide(candidates, baselines, {}, now);
    REQUIRE(its.has_value());
    CHECK(its->its == verdict::pass);
    CHECK(its->metrics[0].change->shift == doctest::Approx(0).epsilon(1e-6));
    const std::vector<input> one = made.make_all({100}), other = made.make_all({104});
    const auto single = decide(one, other, {}, now);
    CHECK(single->metrics[0].why == reason::few_runs);
    CHECK(single->metrics[0].runs_needed == 3);
    const std::vector<input> noisy = made.make_all({172, 181, 169}), quiet = made.make_all({165, 160, 135});
    const auto unclear = decide(noisy, quiet, {}, now);
    CHECK(unclear->metrics[0].why == reason::noise);
    REQUIRE(unclear->metrics[0].runs_needed);
    CHECK(*unclear->metrics[0].runs_needed >= 4);
    CHECK(explain(unclear->metrics[0], {}).find("runs a side would settle it") != std::string::npos);
}

}  // namespace
}  // namespace qmpwatch::gate
