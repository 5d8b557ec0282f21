#include "base/sha256.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace qmpwatch::base {

namespace {

constexpr std::size_t block_bytes = std::size_t(256) * 1024;

void require(bool is_done) {
    if (!is_done) throw std::runtime_error("OpenSSL gives no SHA-256");
}

error unreadable(const std::string& path, int number) {
    errc code = errc::io;
    if (number == ENOENT || number == ENOTDIR) code = errc::absent;
    if (number == EACCES || number == EPERM) code = errc::not_permitted;
    return fail(code, fmt::format("cannot read {}: {}", printable(path), std::strerror(number)));
}

/// 0, or the errno of what failed.
int add_all_of(int file, sha256& sum) {
    std::vector<char> block(block_bytes);
    for (;;) {
        const ssize_t count = ::read(file, block.data(), block.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : 0;
        sum.add({block.data(), static_cast<std::size_t>(count)});
    }
}

}  // namespace

void sha256::free_context::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

sha256::sha256() : context_(EVP_MD_CTX_new()) {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void sha256::add(std::string_view bytes) { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

std::string sha256::finish() {
    std::array<unsigned char, 32> sum{};
    require(EVP_DigestFinal_ex(context_.get(), sum.data(), nullptr) == 1);
    std::string digits;
    for (const unsigned char byte : sum) digits += fmt::format("{:02x}", byte);
    return digits;
}

std::string sha256_hex(std::string_view bytes) {
    sha256 sum;
    sum.add(bytes);
    return sum.finish();
}

result<std::string> sha256_of_file(const std::string& path) {
    // A pipe without a writer must not hold us before it is seen that it is one.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return unreadable(path, errno);
    struct ::stat facts{};
    int problem = ::fstat(file, &facts) == 0 ? 0 : errno;
    const bool is_ordinary = problem == 0 && S_ISREG(facts.st_mode);
    sha256 sum;
    if (is_ordinary) problem = add_all_of(file, sum);
    ::close(file);
    if (problem != 0) return unreadable(path, problem);
    if (!is_ordinary) return fail(errc::usage, fmt::format("{} is no ordinary file", printable(path)));
    return sum.finish();
}

}  // namespace qmpwatch::base
