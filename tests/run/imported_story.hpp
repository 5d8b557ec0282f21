// What tests ask of an imported run.
#pragma once

#include "run/import.hpp"
#include "run/replay.hpp"

#include <variant>
#include <vector>

namespace qmpwatch::run_test {

template <class What>
std::vector<const What*> all_of(const run::imported& run) {
    std::vector<const What*> found;
    for (const run::happening& one : run.story) {
        if (const auto* what = std::get_if<What>(&one)) found.push_back(what);
    }
    return found;
}

inline std::vector<const sample::sample*> samples_of(const run::imported& run) { return all_of<sample::sample>(run); }

/// Seconds since the zero of the run's clock.
inline double elapsed(const run::imported& run, const base::instant& at) {
    return base::in_seconds(at.steady - run.about.start.steady);
}

/// The stalls that are counted in it.
inline std::vector<stall::transition> stalls_of(const run::imported& run) {
    run::replay again(run.about, {});
    std::vector<pipeline::notice> said;
    for (const run::happening& one : run.story) again.hear(one, said);
    std::vector<stall::transition> closed;
    for (const pipeline::notice& one : said) {
        const auto* what = std::get_if<pipeline::stall_notice>(&one.what);
        if (what != nullptr && what->happened.what == stall::change::closed) closed.push_back(what->happened);
    }
    return closed;
}

}  // namespace qmpwatch::run_test
