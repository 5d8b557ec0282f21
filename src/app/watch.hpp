// The command `watch`: composes poll loops, pipelines, outputs and the web server into the program that people run.
#pragma once

#include "app/live.hpp"

namespace qmpwatch::app {

enum class once_format { table, json, csv };

struct watch_options : live_options {
    bool once = false;
    once_format format = once_format::table;
};

/// Watches until a signal ends it, or with `once` for one interval. Returns the exit code.
int watch(const watch_options& options);

}  // namespace qmpwatch::app
