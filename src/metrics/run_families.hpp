// The metrics of a run that is over: what a CI job leaves behind at a Pushgateway.
#pragma once

#include "run/digest.hpp"
#include "run/summary.hpp"

#include <prometheus/metric_family.h>

#include <vector>

namespace qmpwatch::metrics {

/// All gauges, named qmpwatch_run_*, with the label vm; in base units. What is not known has no series.
std::vector<prometheus::MetricFamily> run_families(const run::digest& of, const run::summary& summary);

}  // namespace qmpwatch::metrics
