// JSON values in the messages of failed checks, without the library's own way to a stream in each file.
#pragma once

#include "base/json.hpp"

#include <doctest/doctest.h>

namespace doctest {

template <>
struct StringMaker<nlohmann::json> {
    static String convert(const nlohmann::json& value) { return qmpwatch::base::json_text(value).c_str(); }
};

template <>
struct StringMaker<nlohmann::ordered_json> {
    static String convert(const nlohmann::ordered_json& value) { return qmpwatch::base::json_text(value).c_str(); }
};

}  // namespace doctest
