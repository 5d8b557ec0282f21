// The command `watch`: composes poll loops, pipelines, outputs and the web server into the program that people run.
#pragma once

#include "base/clock.hpp"
#include "client/address.hpp"
#include "web/listen_address.hpp"

#include <string>
#include <vector>

namespace qmpwatch::app {

enum class once_format { table, json, csv };

struct watch_options {
    std::vector<client::target> targets;
    base::nanoseconds interval = base::seconds(15);
    base::nanoseconds poll = base::seconds(1);
    web::listen_address listen{true, "127.0.0.1", 10977};
    bool once = false;
    once_format format = once_format::table;
    bool json_lines = false;  ///< --log.format json
    std::string on_stall;     ///< a shell command for stalls; empty for none
};

/// Watches until a signal ends it, or with `once` for one interval. Returns the exit code.
int watch(const watch_options& options);

}  // namespace qmpwatch::app
