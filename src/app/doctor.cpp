#include "app/doctor.hpp"

#include "app/console.hpp"
#include "base/asio.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "client/diagnosis.hpp"
#include "client/examination.hpp"
#include "client/link.hpp"
#include "client/proof.hpp"
#include "report/findings.hpp"
#include "stall/advice.hpp"
#include "stall/trace_log.hpp"
#include "view/table.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qmpwatch::app {

namespace {

using std::chrono::steady_clock;

constexpr base::nanoseconds first_byte = base::seconds(2);
constexpr base::nanoseconds whole_look = base::seconds(10);
constexpr base::nanoseconds between_reads = base::milliseconds(100);
constexpr base::nanoseconds patience = base::seconds(60);  // with a VM that does not let itself be put back
constexpr std::size_t enough_proof = 2;

void tell(const std::string& sentence) { fmt::print(stderr, "qmpwatch doctor: {}\n", sentence); }

/// As whom a process opens files.
struct process_user {
    uid_t user = 0;
    gid_t group = 0;
};

/// Not the owner of /proc/PID: that is root for a process that has changed its user (-runas).
std::optional<process_user> user_of(int process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    std::optional<uid_t> user;
    std::optional<gid_t> group;
    std::string word;
    while (status >> word) {
        if (word != "Uid:" && word != "Gid:") continue;
        unsigned real = 0, effective = 0, saved = 0, for_files = 0;
        if (!(status >> real >> effective >> saved >> for_files)) break;
        if (word == "Uid:") user = for_files;
        if (word == "Gid:") group = for_files;
    }
    if (!user || !group) return std::nullopt;
    return process_user{*user, *group};
}

/// Whether that user may write to the file, by its owner and mode. Groups beyond the first are left out: the answer is
/// no too often rather than too seldom.
bool may_write(const process_user& who, const std::string& path) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) return false;
    if (who.user == 0) return true;
    if (file.st_uid == who.user) return (file.st_mode & S_IWUSR) != 0;
    if (file.st_gid == who.group) return (file.st_mode & S_IWGRP) != 0;
    return (file.st_mode & S_IWOTH) != 0;
}

/// A file in a private folder that QEMU writes its log to and we read. Both are gone at the end.
class private_log {
public:
    private_log() = default;
    ~private_log() {
        if (file_ >= 0) ::close(file_);
        if (!path_.empty()) ::unlink(path_.c_str());
        if (!folder_.empty()) ::rmdir(folder_.c_str());
    }
    private_log(const private_log&) = delete;
    private_log& operator=(const private_log&) = delete;

    /// Makes both, readable for nobody but us and the user of process `qemu`.
    base::result<void> make(int qemu) {
        const char* place = std::getenv("TMPDIR");
        std::string name = fmt::format("{}/qmpwatch-proof-XXXXXX", place != nullptr && *place == '/' ? place : "/tmp");
        if (::mkdtemp(name.data()) == nullptr) return failed(name);
        folder_ = name;
        const std::string path = folder_ + "/qemu.log";
        file_ = ::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file_ < 0) return failed(path);
        path_ = path;
        // QEMU may run as another user, which only root can let in.
        const std::optional<process_user> owner = user_of(qemu);
        if (::geteuid() == 0 && owner && owner->user != 0) {
            if (::fchown(file_, owner->user, owner->group) != 0) return failed(path_);
            if (::chown(folder_.c_str(), owner->user, owner->group) != 0) return failed(folder_);
        }
        return {};
    }

    const std::string& path() const { return path_; }

    /// What has been written since the last call goes to `log`.
    void read_into(stall::trace_log& log) {
        std::array<char, 65536> buffer;
        for (;;) {
            const ssize_t count = ::read(file_, buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return;
            log.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)), steady_clock::now());
        }
    }

private:
    static base::error failed(const std::string& path) {
        return base::fail(base::errc::io, fmt::format("cannot make {}: {}", path, std::strerror(errno)));
    }

    std::string folder_, path_;
    int file_ = -1;
};

/// Where QEMU logs now; QEMU itself does not tell. An error when it could not be put back: a QEMU that fails to open
/// the file loses its log, so this has to be known before anything is changed.
base::result<std::string> place_of_log(const client::examination& look, int qemu) {
    const auto refused = [](const std::string& why) {
        constexpr std::string_view way_out =
            "start QEMU with -D FILE, a file that it may write to, to make the proof possible";
        return base::fail(base::errc::refused, fmt::format("{}, so it could not be put back: {}", why, way_out));
    };
    const std::optional<process_user> who = user_of(qemu);
    if (!who) return refused(fmt::format("cannot see as whom QEMU (process {}) writes its log", qemu));

    const std::string given = sample::read_options(look.command_line()).log_file;
    if (!given.empty()) {
        std::string path = given;
        if (const std::size_t number = path.find("%d"); number != std::string::npos) {
            path.replace(number, 2, fmt::format("{}", qemu));  // as QEMU does
        }
        const std::string_view start = path.starts_with('/') ? "root" : "cwd/";
        if (may_write(*who, fmt::format("/proc/{}/{}{}", qemu, start, path))) return given;
        return refused(fmt::format("QEMU may not open its log file {} again", base::printable(given)));
    }
    const std::string standard_error = fmt::format("/proc/{}/fd/2", qemu);
    std::string target(4096, '\0');
    const ssize_t size = ::readlink(standard_error.c_str(), target.data(), target.size());
    if (size < 0) return refused(fmt::format("cannot see where QEMU (process {}) writes its log", qemu));
    target.resize(static_cast<std::size_t>(size));
    // A socket cannot be opened a second time, not even by its owner.
    if (target.starts_with("socket:")) return refused("QEMU's log goes to a socket (the journal, as for a service)");
    if (target == "/dev/null") return target;
    if (may_write(*who, standard_error)) return std::string("/dev/stderr");
    return refused("QEMU's log goes to a file that another user has opened for it and that it may not open again");
}

class examiner {
public:
    examiner(asio::io_context& loop, const doctor_options& options)
        : loop_(loop),
          options_(options),
          connection_(std::in_place, loop.get_executor()),
          signals_(loop),
          timer_(loop) {}

    asio::awaitable<void> run() {
        const base::result<void> done = co_await look();
        if (done.has_error()) {
            tell(done.error().message);
            exit_code_ = exit_could_not_look;
        }
        signals_.cancel();
    }

    int exit_code() const { return exit_code_; }

private:
    asio::awaitable<base::result<void>> connect(client::link& connection);
    asio::awaitable<base::result<void>> look();
    asio::awaitable<base::result<void>> prove(const client::examination& examined);
    asio::awaitable<base::result<void>> follow(private_log& file, stall::trace_log& log);
    asio::awaitable<base::result<void>> put_back(client::proof& changes, std::string old_log);
    void wait_for_signal();

    asio::io_context& loop_;
    const doctor_options& options_;
    std::optional<client::link> connection_;
    asio::signal_set signals_;
    asio::steady_timer timer_;
    report::diagnosis found_;
    bool is_ended_ = false;  ///< by a signal
    int exit_code_ = exit_could_not_look;
};

asio::awaitable<base::result<void>> examiner::connect(client::link& connection) {
    const base::result<void> connected =
        co_await connection.connect(options_.target.where, steady_clock::now() + first_byte);
    if (connected.has_error()) co_return connected.error();
    const base::result<void> ready = co_await connection.become_ready(steady_clock::now() + first_byte);
    if (ready.has_value()) co_return base::result<void>();
    if (ready.error().code != base::errc::timed_out) co_return ready.error();
    const bool is_greeted = connection.session().current() != monitor::session::phase::listening;
    const std::string why =
        is_greeted ? "QEMU greets but does not answer: its main loop is blocked, or the monitor shares its "
                     "socket with a serial port (mux=on)"
                   : client::explain_silence(client::socket_use::unknown);
    co_return base::fail(base::errc::busy, why);
}

asio::awaitable<base::result<void>> examiner::look() {
    base::result<void> done = co_await connect(*connection_);
    if (done.has_error()) co_return done.error();
    client::examination examination(*connection_, options_.target.where);
    const base::result<sample::vm_facts> facts = co_await examination.look(steady_clock::now() + whole_look);
    if (facts.has_error()) co_return facts.error();
    found_.vm = *facts;
    if (!options_.target.name.empty()) found_.vm.identity.vm = options_.target.name;

    if (options_.prove) {
        done = co_await prove(examination);
        if (done.has_error()) co_return done.error();
    }
    found_.findings = stall::advise(found_.vm);
    const bool is_something =
        std::any_of(found_.findings.begin(), found_.findings.end(),
                    [](const stall::finding& one) { return one.severity >= stall::severity::warning; });
    const std::size_t width = std::min<std::size_t>(settings_for_standard_output().columns, 100);
    const std::string text = options_.as_json ? report::findings_json(found_) : report::findings_text(found_, width);
    const base::result<void> written = write_to_standard_output(text);
    // A reader that has gone has seen what it wanted.
    if (written.has_error() && written.error().code != base::errc::closed) co_return written.error();
    exit_code_ = is_something ? exit_something_found : exit_nothing_found;
    co_return base::result<void>();
}

void examiner::wait_for_signal() {
    signals_.async_wait([this](boost::system::error_code failure, int) {
        if (failure) return;
        is_ended_ = true;
        timer_.cancel();
        wait_for_signal();  // further ones must not end us before all is put back
    });
}

asio::awaitable<base::result<void>> examiner::prove(const client::examination& examined) {
    if (connection_->session().speaks() != monitor::protocol::qmp) {
        co_return base::fail(base::errc::usage,
                             "--prove needs a QMP monitor (-qmp unix:PATH,server=on,wait=off); this one is HMP");
    }
    const int qemu = found_.vm.identity.pid;
    if (qemu == 0) {
        co_return base::fail(base::errc::usage,
                             "--prove needs QEMU on this host, where its process and its log can be seen");
    }
    const auto devices =
        std::count_if(found_.vm.drives.begin(), found_.vm.drives.end(),
                      [](const sample::drive_facts& drive) { return drive.info.attachment.device == "usb-storage"; });
    if (devices == 0)
        co_return base::fail(base::errc::usage, "--prove has nothing to look at: the VM has no usb-storage drive");
    const base::result<std::string> old_log = place_of_log(examined, qemu);
    if (old_log.has_error()) co_return old_log.error();
    private_log file;
    const base::result<void> made = file.make(qemu);
    if (made.has_error()) co_return made.error();

    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.add(SIGHUP);
    signals_.add(SIGQUIT);
    wait_for_signal();
    tell(fmt::format(
        "changing this VM's logging for at most {}: trace events usb_msd_* on, log to {} (now {}); both are put back "
        "at the end, also on Ctrl-C",
        base::format_duration(*options_.prove), file.path(), *old_log));
    client::proof changes;
    stall::trace_log log(static_cast<std::size_t>(devices));
    const base::steady_time begun = steady_clock::now();
    base::result<void> looked = co_await changes.begin(*connection_, file.path());
    if (looked.has_value()) looked = co_await follow(file, log);
    const base::steady_time ended = steady_clock::now();
    const base::result<void> restored = co_await put_back(changes, *old_log);
    if (restored.has_error()) co_return restored.error();
    if (looked.has_error()) co_return looked.error();
    tell("the VM's logging is as it was");

    file.read_into(log);
    found_.proof = report::proof_result{ended - begun, log.completed(), log.lines(), log.lost()};
    if (!log.lost().empty()) {
        for (sample::drive_facts& drive : found_.vm.drives) {
            // Where there are several such drives the log does not say which one it was.
            drive.has_lost_completions = drive.info.attachment.device == "usb-storage";
            drive.are_losses_shared = devices > 1;
        }
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> examiner::follow(private_log& file, stall::trace_log& log) {
    const base::steady_time end = steady_clock::now() + *options_.prove;
    while (!is_ended_ && log.lost().size() < enough_proof && steady_clock::now() < end) {
        // Listening too: a VM that ends must not be waited for.
        timer_.expires_after(std::min<base::nanoseconds>(between_reads, end - steady_clock::now()));
        co_await timer_.async_wait(as_result);
        file.read_into(log);
        const base::result<void> listened = co_await connection_->listen(steady_clock::now() + base::milliseconds(1));
        if (listened.has_error()) co_return listened.error();
    }
    co_return base::result<void>();
}

/// Does not give up at the first failure: a VM must not stay changed because a connection broke.
asio::awaitable<base::result<void>> examiner::put_back(client::proof& changes, std::string old_log) {
    base::result<void> done = co_await changes.put_back(*connection_, old_log);
    if (done.has_value()) co_return done;
    tell(fmt::format("cannot put back the VM's logging yet ({}): trying for {}", done.error().message,
                     base::format_duration(patience)));
    const base::steady_time end = steady_clock::now() + patience;
    while (steady_clock::now() < end) {
        // QEMU takes one client at a time: the old connection has to go first.
        connection_.emplace(loop_.get_executor());
        const base::result<void> connected = co_await connect(*connection_);
        if (connected.has_value()) {
            // Another QEMU behind the same path has never been changed.
            if (connection_->peer_process() != found_.vm.identity.pid) co_return base::result<void>();
            done = co_await changes.put_back(*connection_, old_log);
            if (done.has_value()) co_return done;
        } else if (connected.error().code == base::errc::absent) {
            co_return base::result<void>();  // the VM has ended, and its logging with it
        }
        timer_.expires_after(base::seconds(1));
        co_await timer_.async_wait(as_result);
    }
    std::string lines;
    for (const std::string& line : changes.left_to_do(old_log)) lines += "\n    " + line;
    co_return base::fail(done.error().code,
                         fmt::format("could not put back the VM's logging ({}). Type this into its human monitor:{}",
                                     done.error().message, lines));
}

}  // namespace

int doctor(const doctor_options& options) {
    asio::io_context loop{1};
    examiner doctor(loop, options);
    asio::co_spawn(loop, doctor.run(), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
    loop.run();
    return doctor.exit_code();
}

}  // namespace qmpwatch::app
