#include "run/recorder.hpp"

#include <utility>

namespace qmpwatch::run {

namespace {

/// True when a text may hold a path of the host. QOM paths say how a drive is attached and nothing of the host.
bool may_hold_path(const std::string& text) {
    std::size_t at = 0;
    while ((at = text.find('/', at)) != std::string::npos) {
        if (text.compare(at, 8, "/machine") != 0) return true;
        at = text.find_first_of("\" ,", at);
        if (at == std::string::npos) break;
    }
    return false;
}

}  // namespace

happening redacted(const happening& one) {
    happening other = one;
    if (auto* vm = std::get_if<sample::vm_identity>(&other)) {
        vm->uuid.clear();
        vm->socket.clear();
        if (may_hold_path(vm->vm)) vm->vm = "vm";  // a VM without a name goes by its socket
    } else if (auto* drives = std::get_if<sample::inventory>(&other)) {
        for (sample::drive_info& drive : *drives) drive.media.file.clear();
    } else if (auto* change = std::get_if<sample::monitor_change>(&other)) {
        if (may_hold_path(change->detail)) change->detail.clear();
    } else if (auto* event = std::get_if<sample::qmp_event>(&other)) {
        if (may_hold_path(event->data)) event->data.clear();
    }
    return other;
}

base::result<recorder> recorder::create(const std::string& path, bool overwrite, const header& about) {
    base::result<std::unique_ptr<output>> to = output::create(path, overwrite);
    if (to.has_error()) return to.error();
    recorder made(std::move(*to), about);
    if (const base::result<void> written = made.to_->append(made.lines_.first_line()); written.has_error()) {
        return written.error();
    }
    return made;
}

base::result<void> recorder::hear(const happening& one) {
    const std::string lines = about_.is_redacted ? lines_.write(redacted(one)) : lines_.write(one);
    return to_->append(lines);
}

base::result<void> recorder::finish(const end& how) {
    const base::result<void> written = to_->append(lines_.last_line(how));
    const base::result<void> closed = to_->close();
    return written.has_error() ? written : closed;
}

}  // namespace qmpwatch::run
