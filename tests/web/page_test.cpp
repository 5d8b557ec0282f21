#include "web/page.hpp"

#include "support/vms.hpp"

#include <doctest/doctest.h>

#include <memory>

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

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

}  // namespace

TEST_CASE("text is made harmless in HTML") {
    CHECK(escape_html("a<b>&\"'c") == "a&lt;b&gt;&amp;&quot;&#39;c");
    CHECK(escape_html("\x1b\n\xff") == "???");
    CHECK(escape_html("Größe") == "Größe");
    CHECK(escape_html("") == "");
}

TEST_CASE("no text of a monitor reaches the page as markup") {
    const pipeline::snapshot state = hostile_state();
    const std::string html = page(&state, attack, {});
    CHECK_FALSE(has(html, "<script"));
    CHECK_FALSE(has(html, "alert('1')"));
    CHECK_FALSE(has(html, "\x1b"));
    CHECK(has(html, "&lt;script&gt;"));
    for (const char* tag : {"section", "table", "div", "main", "html", "body", "td", "tr", "span", "p"}) {
        CAPTURE(tag);
        CHECK(count(html, std::string("<") + tag + ">") + count(html, std::string("<") + tag + " ") ==
              count(html, std::string("</") + tag + ">"));
    }
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
    CHECK(has(html, "http-equiv=\"refresh\" content=\"5\""));
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

}  // namespace qmpwatch::web
