// Replay: a run through the same pipeline as live, in its own time.
#pragma once

#include "base/clock.hpp"
#include "pipeline/notice.hpp"
#include "pipeline/vm_pipeline.hpp"
#include "pipeline/window.hpp"
#include "run/run.hpp"

#include <optional>
#include <vector>

namespace qmpwatch::run {

struct replay_settings {
    std::optional<base::nanoseconds> poll;      ///< samples are thinned to this distance; none: all of them
    std::optional<base::nanoseconds> interval;  ///< the window of rates; none: as it was recorded
};

/// Feeds a pipeline with what happened. Without settings it says just what was said live.
class replay {
public:
    replay(const header& about, const replay_settings& how);

    /// Takes one thing that happened, in order, and appends what there is to say about it to `out`.
    void hear(const happening& one, std::vector<pipeline::notice>& out);

    /// What was the last word, as pipeline's summary().
    std::optional<pipeline::notice> summary() const { return pipeline_.summary(); }

    pipeline::vm_pipeline& pipeline() { return pipeline_; }
    const pipeline::window_settings& windows() const { return windows_; }

private:
    bool is_left_out(const sample::sample& counters);

    pipeline::window_settings windows_;
    std::optional<base::nanoseconds> thin_;
    pipeline::vm_pipeline pipeline_;
    std::optional<base::steady_time> due_;
    bool was_left_out_ = false;
};

}  // namespace qmpwatch::run
