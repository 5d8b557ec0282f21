#include "stall/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace qmpwatch::stall {

namespace {

/// Lengths are known no better than this, whatever the polls say: keeps the ratio of probabilities finite.
constexpr double finest_seconds = 0.05;
/// The odds stop here above `confirmed`, so that a drive which idles again is cleared after a few gaps.
constexpr double ceiling_above_confirmed = 3;

}  // namespace

evidence::evidence(const detector_settings& settings) : settings_(&settings) { attach(""); }

void evidence::attach(std::string_view device) {
    const auto patterns = signatures_of(device);
    for (std::size_t which = 0; which < band_count; ++which) {
        hypothesis& belief = hypotheses_[which];
        if (belief.pattern == patterns[which]) continue;
        const double before = belief.pattern != nullptr ? belief.pattern->prior : 0;
        const double now = patterns[which] != nullptr ? patterns[which]->prior : 0;
        belief.odds += now - before;
        belief.pattern = patterns[which];
    }
}

void evidence::reset() {
    for (hypothesis& belief : hypotheses_) {
        belief.odds = belief.pattern != nullptr ? belief.pattern->prior : 0;
        belief.before.reset();
    }
    last_.reset();
    spacing_.reset();
    same_in_a_row_ = 0;
}

evidence::interval evidence::common(interval one, interval other) {
    return {std::max(one.low, other.low), std::min(one.high, other.high)};
}

/// Natural idling, as the share of its gaps per e-fold of length, of those long enough to be evidence: of a guest that
/// idles exponentially for as long as the time-out on average. Of the likely ways to idle it is most easily mistaken.
double evidence::natural_density(const band_limits& limits) const {
    return std::exp(settings_->least_evidence / std::chrono::duration<double>(limits.nominal) - 1);
}

/// How probable a length in this interval is for a time-out of this band.
double evidence::time_out_probability(const band_limits& limits, const hypothesis& belief, interval length) const {
    const auto share = [&](base::nanoseconds low, base::nanoseconds high) {
        const interval span{base::in_seconds(low), base::in_seconds(high)};
        return common(span, length).length() / span.length();
    };
    const double first = settings_->core_share * share(limits.core_low, limits.core_high) +
                         settings_->band_share * share(limits.low, limits.high);
    if (!belief.before) return first;
    const double slack = base::in_seconds(settings_->repeat_within);
    const interval same{belief.before->low - slack, belief.before->high + slack};
    return settings_->repeat_share * common(same, length).length() / same.length() +
           (1 - settings_->repeat_share) * first;
}

/// A job with a timer does the same work every time; or nearly the same, and starts as far apart
/// as before, if there was a time before.
bool evidence::is_same_work(const guest_gap& gap) {
    const std::optional<guest_gap> last = last_;
    const std::optional<base::nanoseconds> spacing_before = spacing_;
    last_ = gap;
    spacing_.reset();
    if (!last) return false;
    spacing_ = gap.start - last->start;
    const double now = static_cast<double>(gap.operations_before),
                 before = static_cast<double>(last->operations_before);
    const double difference = std::abs(now - before), most = std::max(now, before);
    if (difference <= std::max(1.0, settings_->same_work_share * most)) return true;
    return difference <= settings_->regular_share * most &&
           (!spacing_before || std::chrono::abs(*spacing_ - *spacing_before) <= settings_->regular_within);
}

bool evidence::overlaps(const hypothesis& belief, const guest_gap& gap) {
    if (belief.pattern == nullptr) return false;
    const band_limits& limits = limits_of(belief.pattern->band);
    return gap.likely_max > limits.low && gap.likely_min < limits.high;
}

doubt evidence::look(const guest_gap& gap) {
    same_in_a_row_ = is_same_work(gap) ? same_in_a_row_ + 1 : 0;
    const bool is_in_band = std::any_of(hypotheses_.begin(), hypotheses_.end(),
                                        [&](const hypothesis& belief) { return overlaps(belief, gap); });
    if (!is_in_band || gap.after == aftermath::trickle) return doubt::none;
    if (same_in_a_row_ >= settings_->same_work_times) return doubt::job;
    if (same_in_a_row_ > 0) return doubt::same_work;
    return gap.after == aftermath::too_little_to_tell ? doubt::too_little : doubt::none;
}

std::optional<band> evidence::confirmed_for(const guest_gap& gap) const {
    for (std::size_t which = 0; which < band_count; ++which) {
        const hypothesis& belief = hypotheses_[which];
        if (belief.odds >= settings_->confirmed && overlaps(belief, gap)) return static_cast<band>(which);
    }
    return std::nullopt;
}

std::optional<band> evidence::weigh(const guest_gap& gap) {
    interval length{base::in_seconds(gap.likely_min), base::in_seconds(gap.likely_max)};
    if (length.length() < finest_seconds) {
        const double middle = (length.low + length.high) / 2;
        length = {middle - finest_seconds / 2, middle + finest_seconds / 2};
    }
    const double folds = std::log(length.high / std::max(length.low, 0.1));
    const double outside = 1 - settings_->core_share - settings_->band_share;

    std::optional<band> found;
    for (std::size_t which = 0; which < band_count; ++which) {
        hypothesis& belief = hypotheses_[which];
        if (belief.pattern == nullptr) continue;
        const band_limits& limits = limits_of(static_cast<band>(which));
        if (length.length() > settings_->widest_share * base::in_seconds(limits.nominal)) continue;
        const bool is_inside = overlaps(belief, gap) && gap.after != aftermath::trickle;
        double ratio = std::log(outside);
        if (is_inside) {
            const double probability = time_out_probability(limits, belief, length);
            const double idling = natural_density(limits) * folds;
            ratio = std::max(ratio, std::log(std::max(1e-9, probability / idling)));
            if (ratio > 0) ratio *= gap.weight;
        }
        belief.odds = std::clamp(belief.odds + ratio, settings_->floor, settings_->confirmed + ceiling_above_confirmed);
        if (!is_inside) continue;
        belief.before = length;
        if (ratio > 0 && (!found || belief.odds > odds(*found))) found = static_cast<band>(which);
    }
    return found;
}

}  // namespace qmpwatch::stall
