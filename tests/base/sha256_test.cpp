// The sums of the first cases are those of FIPS 180-4's examples (NIST).
#include "base/sha256.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <fstream>
#include <string>

using namespace qmpwatch;
using base::sha256_hex;

namespace {

constexpr const char* of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* of_a_million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

}  // namespace

TEST_CASE("the known sums") {
    CHECK(sha256_hex("") == of_nothing);
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                     "mnopqrstnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    CHECK(sha256_hex(std::string(1'000'000, 'a')) == of_a_million);
    CHECK(sha256_hex(std::string("\0\0\0", 3)) == "709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c");
}

TEST_CASE("parts make the same sum as the whole") {
    base::sha256 sum;
    for (int i = 0; i < 1000; ++i) sum.add(std::string(1000, 'a'));
    sum.add("");
    CHECK(sum.finish() == of_a_million);
    CHECK(base::sha256().finish() == of_nothing);
}

TEST_CASE("files, and what is none") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "run.jsonl").string();
    std::ofstream(path) << std::string(1'000'000, 'a');
    CHECK(base::sha256_of_file(path).value() == of_a_million);
    std::ofstream(path, std::ios::trunc).close();
    CHECK(base::sha256_of_file(path).value() == of_nothing);

    const auto absent = base::sha256_of_file(path + "x");
    REQUIRE(absent.has_error());
    CHECK(absent.error().code == base::errc::absent);
    CHECK(absent.error().message.find(path + "x") != std::string::npos);
    CHECK(base::sha256_of_file(path + "/y").error().code == base::errc::absent);
    CHECK(base::sha256_of_file(folder.path().string()).error().code == base::errc::usage);
    CHECK(base::sha256_of_file("/dev/null").error().code == base::errc::usage);
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(base::sha256_of_file(pipe).error().code == base::errc::usage);  // and does not wait for a writer
}
