#include "app/spawn.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace qmpwatch::app {

void close_other_descriptors(posix_spawn_file_actions_t& actions, short& flags) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#elif defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
    flags = static_cast<short>(flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
    for (const int handle : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addinherit_np(&actions, handle);
    }
#endif
    static_cast<void>(actions);
    static_cast<void>(flags);
}

void restore_signals(posix_spawnattr_t& attributes, short& flags) {
    sigset_t usual;
    sigemptyset(&usual);
    for (const int which : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGUSR1}) sigaddset(&usual, which);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    flags = static_cast<short>(flags | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace qmpwatch::app
