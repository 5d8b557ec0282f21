// The sums that stand here in full were made with another program.
#include "app/medium_content.hpp"

#include "base/sha256.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

using namespace qmpwatch;
using app::sampled_content;

namespace {

constexpr std::size_t block = 65536;

/// Bytes that differ from place to place.
std::string bytes(std::size_t size) {
    std::string text(size, '\0');
    std::uint32_t state = 1;
    for (char& each : text) {
        state = state * 1664525 + 1013904223;
        each = static_cast<char>(state >> 24);
    }
    return text;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

void write_at(const std::string& path, std::size_t where, char what) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(where));
    file.put(what);
}

sample::drive_info medium(const std::string& file) {
    sample::drive_info drive;
    drive.identity.device = "install_media";
    drive.attachment.device = "usb-storage";
    drive.media.inserted = true;
    drive.media.file = file;
    return drive;
}

sample::vm_identity here() {
    sample::vm_identity vm;
    vm.pid = ::getpid();
    return vm;
}

}  // namespace

TEST_CASE("small files whole, large ones in 64 places") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "medium.iso").string();
    write(path, "");
    CHECK(sampled_content(path) == "sampled-sha256:9a271f2a916b0b6ee6cecb2426f0b3206ef074578be55d9bc94f6f3fe3ab86aa");
    for (const std::size_t size : {std::size_t(1), block, block + 1, 64 * block - 1, 64 * block}) {
        CAPTURE(size);
        const std::string text = bytes(size);
        write(path, text);
        CHECK(sampled_content(path) == "sampled-sha256:" + base::sha256_hex(std::to_string(size) + "\n" + text));
    }
    // 10,000,003 bytes: the blocks begin at i * (size - 65536) / 63.
    const std::string text = bytes(10'000'003);
    std::string sampled = "10000003\n";
    for (std::size_t i = 0; i < 64; ++i) sampled += text.substr(i * (text.size() - block) / 63, block);
    write(path, text);
    const std::string content = sampled_content(path);
    CHECK(content == "sampled-sha256:" + base::sha256_hex(sampled));
    CHECK(content == "sampled-sha256:455b718beeb18852572eab5904b1a31820c077556416e8b0d38565694ce60c97");

    write_at(path, text.size() - 1, static_cast<char>(text.back() + 1));  // in the last block
    CHECK(sampled_content(path) != content);
    write_at(path, text.size() - 1, text.back());
    CHECK(sampled_content(path) == content);
    write_at(path, 100'000, '!');  // between the first two
    CHECK(sampled_content(path) == content);
    std::filesystem::resize_file(path, text.size() + 1);
    CHECK(sampled_content(path) != content);
}

TEST_CASE("a very large file takes no longer") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "medium.iso").string();
    write(path, "x");
    std::filesystem::resize_file(path, std::uintmax_t(1) << 42);  // a hole
    const std::string content = sampled_content(path);
    CHECK(content.size() == 15 + 64);
    write_at(path, (std::size_t(1) << 42) - 1, 'y');
    CHECK(sampled_content(path).size() == content.size());
    CHECK(sampled_content(path) != content);
}

TEST_CASE("what cannot be read has no content") {
    const support::temporary_folder folder;
    CHECK(sampled_content((folder.path() / "missing").string()).empty());
    CHECK(sampled_content(folder.path().string()).empty());
    CHECK(sampled_content("").empty());
    CHECK(sampled_content("/dev/zero").empty());
    CHECK(sampled_content("nbd://127.0.0.1/x").empty());
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(sampled_content(pipe).empty());
}

TEST_CASE("only media of a QEMU on this host are looked at") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "medium.iso").string();
    write(path, bytes(1000));
    const std::string content = sampled_content(path);
    app::medium_contents contents;

    sample::inventory drives{medium(path), medium(path), medium(path), medium(""), medium(path), medium(path)};
    drives[1].attachment.device = "nvme";
    drives[2].attachment.device = "nvme";
    drives[2].media.read_only = true;
    drives[4].media.inserted = false;
    drives[5].media.file = std::filesystem::relative(path).string();
    const sample::inventory before = drives;
    contents.fill(drives, {});
    CHECK(drives == before);
    contents.fill(drives, here());
    CHECK(drives[0].media.content == content);
    CHECK(drives[1].media.content.empty());
    CHECK(drives[2].media.content == content);
    CHECK(drives[3].media.content.empty());
    CHECK(drives[4].media.content.empty());
    CHECK(drives[5].media.content == content);
    drives[0].media.content.clear();
    CHECK(drives[0] == before[0]);  // nothing else has changed

    sample::vm_identity gone = here();
    gone.pid = 0x7ffffffe;
    sample::inventory others = before;
    contents.fill(others, gone);
    CHECK(others == before);
}

TEST_CASE("a file is read again when it has changed") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "medium.iso").string();
    write(path, "one");
    app::medium_contents contents;
    sample::inventory drives{medium(path)};
    contents.fill(drives, here());
    const std::string first = drives[0].media.content;
    CHECK(first == sampled_content(path));

    // Its time is what tells: put back, the change is not seen.
    const auto changed = std::filesystem::last_write_time(path);
    write(path, "two");
    std::filesystem::last_write_time(path, changed);
    contents.fill(drives, here());
    CHECK(drives[0].media.content == first);
    std::filesystem::last_write_time(path, changed + std::chrono::seconds(2));
    contents.fill(drives, here());
    CHECK(drives[0].media.content == sampled_content(path));
    CHECK(drives[0].media.content != first);
}
