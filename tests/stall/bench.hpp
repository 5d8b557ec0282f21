// A drive worked by hand: streams, stands still, and is polled meanwhile.
#pragma once

#include "stall/detector.hpp"
#include "stall/recording.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace qmpwatch::stall_test {

struct bench {
    explicit bench(double poll_seconds = 0.5, const std::string& device = "usb-storage",
                   stall::detector_settings settings = {})
        : poll(poll_seconds), detector(with_poll(settings, poll_seconds)) {
        counters.drives.resize(1);
        counters.drives[0].identity = {"install_media", "usbcd", "#block1"};
        detector.inventory(attached(counters, device));
        look();
    }

    static stall::detector_settings with_poll(stall::detector_settings settings, double poll_seconds) {
        settings.poll = base::nanoseconds(static_cast<std::int64_t>(poll_seconds * 1e9));
        return settings;
    }

    sample::operation_counters& reads() { return counters.drives[0].counters[sample::operation::read]; }

    /// One poll now.
    void look() {
        counters.at = at(now);
        counters.rtt = base::nanoseconds(static_cast<std::int64_t>(rtt * 1e9));
        counters.drives[0].counters.idle.reset();
        if (reads().completed > 0) {
            counters.drives[0].counters.idle = base::nanoseconds(static_cast<std::int64_t>((now - last) * 1e9));
        }
        detector.step(counters, said);
    }

    void complete(double seconds, double first_latency = 1e-4) {
        const auto operations = static_cast<std::uint64_t>(std::max(1.0, seconds * rate));
        reads().completed += operations;
        reads().bytes += operations * bytes_each;
        reads().time_ns +=
            static_cast<std::uint64_t>(1e9 * (first_latency + 1e-4 * static_cast<double>(operations - 1)));
        last = now - 0.0005;
    }

    /// Reads without a pause.
    void stream(double seconds) {
        for (const double end = now + seconds; now + poll <= end + 1e-9;) {
            now += poll;
            complete(poll);
            look();
        }
    }

    /// Nothing completes for so long; the poll after that is left to who goes on.
    void quiet(double seconds) {
        for (const double end = last + seconds; now + poll < end;) {
            now += poll;
            look();
        }
    }

    /// Nothing completes for so long after the last completion, then the stream goes on for `after`.
    void gap(double seconds, double after = 2, double first_latency = 1e-4) {
        const double resume = last + seconds;
        quiet(seconds);
        now += poll;
        complete(now - resume, first_latency);
        look();
        stream(after);
    }

    std::vector<stall::transition> heard(stall::change what) const {
        std::vector<stall::transition> found;
        for (const stall::transition& one : said) {
            if (one.what == what) found.push_back(one);
        }
        return found;
    }
    std::uint64_t count(stall::cause which) const { return (*detector.view(0).totals)[stall::index_of(which)].count; }
    void event(const std::string& name, const std::string& data = "") { detector.event({name, data, at(now)}, said); }

    double poll, rtt = 0.0005, now = 100, last = 100, rate = 300;
    std::uint64_t bytes_each = 65536;
    sample::sample counters;
    stall::vm_detector detector;
    std::vector<stall::transition> said;
};

}  // namespace qmpwatch::stall_test
