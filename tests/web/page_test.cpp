#include "web/page.hpp"

#include "support/markup.hpp"
#include "support/vms.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

namespace qmpwatch::web {

namespace {

using namespace std::chrono_literals;

constexpr const char* attack = "<script>alert('1')</script>&\"\x1b[31m\xff";

pipeline::snapshot hostile_state() {
    auto vm = std::make_shared<pipeline::vm_snapshot>();
    for (std::string* text :
         {&vm->identity.vm, &vm->identity.name, &vm->identity.uuid, &vm->identity.socket, &vm->identity.protocol,
          &vm->identity.version, &vm->identity.package, &vm->identity.machine, &vm->identity.accelerator,
          &vm->identity.arch, &vm->monitor_detail, &vm->run_state}) {
        *text = attack;
    }
    vm->monitor = sample::monitor_state::ready;
    pipeline::drive_snapshot drive;
    for (std::string* text : {&drive.drive, &drive.info.identity.device, &drive.info.identity.qdev,
                              &drive.info.identity.node_name, &drive.info.attachment.device, &drive.info.attachment.bus,
                              &drive.info.media.file, &drive.info.media.format}) {
        *text = attack;
    }
    vm->drives = {drive};
    pipeline::snapshot state;
    state.interval = 15s;
    state.vms = {vm};
    return state;
}

using support::count;
using support::has;
using support::markup_error;

std::string page(const pipeline::snapshot* state, std::string_view version, base::instant now,
                 const history* past = nullptr) {
    return web::page({.state = state, .past = past, .version = version, .now = now});
}

/// FIPS 180-4, in base64: what a Content-Security-Policy wants to know of a script.
std::string sha256_base64(std::string text) {
    static constexpr std::array<std::uint32_t, 64> k{
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    std::array<std::uint32_t, 8> h{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const std::uint64_t bits = text.size() * 8;
    text += '\x80';
    while (text.size() % 64 != 56) text += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift & 0xff);
    for (std::size_t block = 0; block < text.size(); block += 64) {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(text[block + i]);
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
            const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        auto v = h;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
            const std::uint32_t first = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            const std::uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
            const std::uint32_t second = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v = {first + second, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
        }
        for (std::size_t i = 0; i < 8; ++i) h[i] += v[i];
    }
    std::string bytes;
    for (const std::uint32_t each : h) {
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(each >> shift & 0xff);
    }
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : digits[three >> (18 - 6 * j) & 63];
    }
    return out;
}

/// A history of reads at a megabyte a second, one snapshot a second.
void fill(history& past, pipeline::vm_snapshot vm, int seconds, base::instant end) {
    for (int before = seconds; before >= 0; --before) {
        const base::seconds back(before);
        vm.last_sample = base::instant{end.steady - back, end.wall - back};
        for (pipeline::drive_snapshot& drive : vm.drives) {
            auto& read = drive.counters[sample::operation::read];
            read.bytes = static_cast<std::uint64_t>(seconds - before) * 1'000'000;
            read.completed = static_cast<std::uint64_t>(seconds - before) * 16;
        }
        pipeline::snapshot state = support::state_of({vm});
        state.at = *vm.last_sample;
        past.take(state);
    }
}

}  // namespace

TEST_CASE("no text of a monitor reaches the page as markup") {
    const pipeline::snapshot state = hostile_state();
    const std::string html = page(&state, attack, {});
    CHECK(count(html, "<script") == 1);  // our own
    CHECK_FALSE(has(html, "alert('1')"));
    CHECK_FALSE(has(html, "\x1b"));
    CHECK(has(html, "&lt;script&gt;"));
    CHECK(markup_error(html) == "");
}

TEST_CASE("rates stand in the table, and a dash where there is none") {
    pipeline::snapshot state = hostile_state();
    auto vm = std::make_shared<pipeline::vm_snapshot>();
    vm->identity.vm = "win11";
    vm->monitor = sample::monitor_state::ready;
    vm->run_state = "running";
    pipeline::drive_snapshot media;
    media.drive = "install_media";
    media.info.attachment = {"usb-storage", "qemu-xhci"};
    media.rate = sample::drive_rate{};
    media.rate->read = {54'300'000.0, 828.0, {}, 0.00123};
    pipeline::drive_snapshot fresh;
    fresh.drive = "fresh";
    vm->drives = {media, fresh};
    state.vms = {vm};
    const std::string html = page(&state, "1.2.3", {});
    CHECK(has(html, "<span class=\"state good\">running</span>"));
    CHECK(has(html, "install_media<small>usb-storage on qemu-xhci</small>"));
    CHECK(has(html, "<td class=\"rate\">54.3</td><td class=\"iops\">828</td><td class=\"latency\">1.23 ms</td>"));
    CHECK(has(html, "<td class=\"rate zero\">0</td><td class=\"iops zero\">0</td><td class=\"latency zero\">-</td>"));
    CHECK(count(html, "<td class=\"rate zero\">-</td>") == 2);
    CHECK(has(html, "qmpwatch 1.2.3"));
    CHECK(has(html, "href=\"/metrics\""));
    CHECK(has(html, "href=\"/healthz\""));
    CHECK(has(html, "href=\"/api/v1/snapshot\""));
    CHECK(has(html, "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"));
}

TEST_CASE("a stalled drive has a badge with age, level and cause, and says what stalls have cost") {
    base::instant now = support::some_instant();
    now.steady += 2s;
    const auto drive_html = [&](const pipeline::drive_snapshot& drive) {
        pipeline::vm_snapshot vm = support::running_vm();
        vm.drives = {drive};
        const pipeline::snapshot state = support::state_of({vm});
        return page(&state, "1", now);
    };
    const std::string stalled = drive_html(support::stalled_media());
    CHECK(has(stalled, "<span class=\"state bad\">stalled for 10s, confirmed lost_completion</span>"));
    CHECK(has(stalled, "<small>Windows&#39; 10 s CD time-out on usb-storage</small>"));
    CHECK(has(stalled, "<small>4 stalls, 35.4s lost</small>"));

    pipeline::drive_snapshot between = support::stalled_media();
    between.stall.is_suspected = false;
    CHECK(has(drive_html(between), "<span class=\"state bad\">confirmed lost_completion</span>"));

    const std::string suspected = drive_html(support::suspected_media());
    CHECK(has(suspected, "<span class=\"state wait\">stalled for 10s, suspected lost_completion</span>"));
    CHECK_FALSE(has(suspected, " lost</small>"));

    const std::string recovered = drive_html(support::recovered_drive());
    CHECK(has(recovered, "<small>2 stalls, 20.1s lost</small>"));
    CHECK_FALSE(has(recovered, "state bad"));
    CHECK_FALSE(has(drive_html(support::system_drive()), "stall"));
}

TEST_CASE("a monitor that does not answer shows since when and why") {
    auto vm = std::make_shared<pipeline::vm_snapshot>();
    vm->identity.vm = "a";
    vm->monitor = sample::monitor_state::blocked;
    vm->monitor_detail = "QEMU does not answer";
    vm->run_state = "running";
    base::instant now;
    now.steady += 100s;
    vm->last_sample = base::instant{now.steady - 12s, {}};
    pipeline::snapshot state;
    state.vms = {vm};
    const std::string html = page(&state, "1", now);
    CHECK(has(html, "<span class=\"state bad\">monitor blocked</span>"));
    CHECK(has(html, "QEMU does not answer"));
    CHECK(has(html, "last answer 12s ago"));
    CHECK_FALSE(has(html, "<table"));
}

TEST_CASE("without a VM the page says what to do") {
    CHECK(has(page(nullptr, "1", {}), "--socket"));
    const pipeline::snapshot empty;
    CHECK(has(page(&empty, "1", {}), "--socket"));
    CHECK(page(&empty, "1", {}).ends_with("</html>\n"));
}

TEST_CASE("the policy allows the page's own script and no other") {
    CHECK(sha256_base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    CHECK(page_script_source() == "'sha256-" + sha256_base64(std::string(page_script())) + "'");
    CHECK(has(page(nullptr, "1", {}), "<script>" + std::string(page_script()) + "</script>"));
    CHECK(has(page_script(), "fetch(\"/api/v1/snapshot?format=html\""));
}

TEST_CASE("drives that do something have charts of the last minutes") {
    const base::instant now = support::some_instant();
    pipeline::vm_snapshot vm = support::running_vm();
    vm.drives = {support::stalled_media(), support::system_drive()};
    history past;
    fill(past, vm, 90, now);
    const pipeline::snapshot state = support::state_of({vm});
    const std::string html = page(&state, "1", now, &past);
    CHECK(markup_error(html) == "");
    CHECK(count(html, "<figure class=\"chart\">") == 4);
    CHECK(has(html, "<figcaption>install_media: MB/s, reads</figcaption>"));
    CHECK(has(html, "Reads: 1 MB/s on average, at most 1. Marked: 1 stall<"));
    CHECK(has(html, "<title>lost completion suspected: 8.4s</title>"));
    CHECK(has(html, ">-1:45</text>"));
    CHECK(has(html, ">now</text>"));
    CHECK(has(html, web::page_content({.state = &state, .past = &past, .version = "1", .now = now})));
    CHECK_FALSE(has(page(&state, "1", now), "<figure"));
}

TEST_CASE("drives that do nothing have none, and many have not all") {
    const base::instant now = support::some_instant();
    pipeline::vm_snapshot vm = support::running_vm();
    history idle;
    vm.drives = {support::system_drive()};
    for (int second = 0; second < 9; ++second) {
        vm.last_sample = base::instant{now.steady - base::seconds(9 - second), {}};
        pipeline::snapshot state = support::state_of({vm});
        idle.take(state);
    }
    const pipeline::snapshot still = support::state_of({vm});
    CHECK_FALSE(has(page(&still, "1", now, &idle), "<figure"));

    vm.drives.clear();
    for (int number = 0; number < 40; ++number) {
        vm.drives.push_back(support::system_drive());
        vm.drives.back().drive = "drive" + std::to_string(number);
    }
    history busy;
    fill(busy, vm, 600, now);
    const pipeline::snapshot state = support::state_of({vm});
    const std::string html = page(&state, "1", now, &busy);
    CHECK(markup_error(html) == "");
    CHECK(count(html, "<figure class=\"chart\">") == 2 * 16);
    CHECK(html.size() < 1'000'000);
}

}  // namespace qmpwatch::web
