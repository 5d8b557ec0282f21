// Metric families: a snapshot as Prometheus wants to read it. Built fresh each time, so that what is gone is gone.
#pragma once

#include "metrics/own_health.hpp"
#include "pipeline/snapshot.hpp"

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace qmpwatch::metrics {

/// All families that have a series, in the order of the names table. Never two series with the same labels: names that
/// would collide (also after being made printable) get a suffix: a, a#2, a#3.
std::vector<prometheus::MetricFamily> families(const pipeline::snapshot& state, const own_health& self);

/// The same in the text exposition format, version 0.0.4.
std::string exposition(const pipeline::snapshot& state, const own_health& self);

}  // namespace qmpwatch::metrics
