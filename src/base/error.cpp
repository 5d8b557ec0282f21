#include "base/error.hpp"

#include <stdexcept>

namespace qmpwatch::base {

std::string_view name(errc code) {
    switch (code) {
        case errc::usage: return "usage";
        case errc::absent: return "absent";
        case errc::not_permitted: return "not_permitted";
        case errc::busy: return "busy";
        case errc::not_a_monitor: return "not_a_monitor";
        case errc::timed_out: return "timed_out";
        case errc::closed: return "closed";
        case errc::protocol: return "protocol";
        case errc::too_large: return "too_large";
        case errc::refused: return "refused";
        case errc::io: return "io";
        case errc::data: return "data";
    }
    return "unknown";
}

void throw_exception_from_error(const error& failure, const boost::source_location&) {
    throw std::runtime_error(failure.message);
}

}  // namespace qmpwatch::base
