#include "app/gate_inputs.hpp"

#include "app/baseline_folder.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "run/digest.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace qmpwatch::app {

namespace {

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

base::result<gate::input> read_run(const std::string& path) {
    if (path == "-") {
        return base::fail(base::errc::usage, "the gate takes run files, not standard input: it tells their SHA-256");
    }
    base::result<std::string> sum = base::sha256_of_file(path);
    if (sum.has_error()) return sum.error();
    base::result<run::digest> digest = run::read_digest(path);
    if (digest.has_error()) return digest.error();
    return gate::input{std::move(*digest), std::move(*sum)};
}

}  // namespace

}  // namespace qmpwatch::app
