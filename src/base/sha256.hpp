// SHA-256, for texts, for streams and for files.
#pragma once

#include "base/error.hpp"

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's; its headers stay in sha256.cpp

namespace qmpwatch::base {

/// Takes a stream part by part. All of it throws std::runtime_error where the system's OpenSSL has no SHA-256.
class sha256 {
public:
    sha256();

    void add(std::string_view bytes);
    /// The sum of all that was added, as 64 hexadecimal digits in lower case. To be called once, last.
    std::string finish();

private:
    struct free_context {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

/// The sum of the bytes, as finish() gives it.
std::string sha256_hex(std::string_view bytes);

/// The sum of a file's content, read block by block. `absent` when there is none, `not_permitted`, `usage` when it is
/// no ordinary file, `io` when reading fails; the sentence names the file.
result<std::string> sha256_of_file(const std::string& path);

}  // namespace qmpwatch::base
