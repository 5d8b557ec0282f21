"""The table of rooms: which folder of src may include which other, and which third-party headers."""
import re
import sys

import repository

# A room may include itself and what stands here.
ROOMS = {
    "base": [],
    "monitor": ["base"],
    "sample": ["base"],
    "stall": ["base", "sample"],
    "pipeline": ["base", "sample", "stall"],
    "client": ["base", "monitor", "sample"],
    "run": ["base", "sample", "stall", "pipeline"],
    "gate": ["base", "sample", "stall", "pipeline", "run"],
    "report": ["base", "sample", "stall", "pipeline", "run", "gate"],
    "metrics": ["base", "sample", "stall", "pipeline", "run"],
    "web": ["base", "sample", "pipeline", "metrics", "report"],
    "view": ["base", "sample", "stall", "pipeline"],
    "sim": ["base"],
    "app": ["base", "monitor", "sample", "stall", "pipeline", "client", "run", "gate", "report", "metrics", "web",
            "view", "sim"],
}

# The first pattern that fits the header decides which files may include it.
THIRD_PARTY = [
    (r"boost/asio(/|\.hpp)", r"base/asio(\.hpp|_impl\.cpp)|web/beast_impl\.cpp", "include base/asio.hpp instead"),
    (r"boost/beast(/|\.hpp)", r"web/.*", "Beast lives in web/"),
    (r"boost/math/", r"gate/.*", "Boost.Math lives in gate/"),
    (r"boost/", r"base/.*", "the rest of Boost lives in base/"),
    (r"nlohmann/json_fwd", r"base/json\.hpp", "headers have no JSON"),
    (r"nlohmann/", r"((client|report|run|sample|sim)/.*|base/json|gate/baseline|monitor/message|web/routes)\.cpp",
     "JSON lives in the .cpp files of client, report, run, sample and sim, in base/json.cpp, gate/baseline.cpp, "
     "monitor/message.cpp and web/routes.cpp"),
    (r"prometheus/", r"metrics/.*", "prometheus-cpp lives in metrics/"),
    (r"CLI/", r"app/command_line\.cpp", "CLI11 lives in app/command_line.cpp"),
    (r"spdlog/", r"base/log\.cpp", "spdlog lives in base/log.cpp"),
    (r"openssl/", r"web/.*|base/sha256\.cpp", "OpenSSL lives in web/ and in base/sha256.cpp"),
    (r"doctest/", r"(?!)", "doctest lives in tests/"),
    (r"fmt/", r".*", ""),
]

# Rooms that decide without I/O, and the headers that would tempt them.
PURE = ["monitor", "sample", "stall", "pipeline"]
IO_HEADER = re.compile(r"(sys|net|netinet|arpa)/.*|(unistd|fcntl|poll|signal|termios|pthread)\.h|"
                       r"fstream|iostream|filesystem|cstdio|thread|mutex|condition_variable|future|csignal")

# Rooms that may use base/asio.hpp.
ASYNCHRONOUS = ["base", "client", "sim", "web", "app"]

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def check(file, text):
    """The findings for one file, named relative to src."""
    room = file.split("/")[0]
    if room not in ROOMS:
        return [f"src/{file}: '{room}' is not in the table of rooms (tests/lint/rooms.py)"]
    findings = []

    def complain(match, why):
        line = text.count("\n", 0, match.start(1) if match[1] else match.start(2)) + 1
        findings.append(f"src/{file}:{line}: {match[1] or match[2]}: {why}")

    for match in INCLUDE.finditer(text):
        ours, foreign = match[1], match[2]
        if ours:
            target = ours.split("/")[0]
            if "/" not in ours or target not in ROOMS:
                complain(match, "include project headers by their path from src, all others with <>")
            elif target != room and target not in ROOMS[room]:
                complain(match, f"{room}/ may include {', '.join(ROOMS[room]) or 'no other room'}")
            elif ours == "base/asio.hpp" and room not in ASYNCHRONOUS:
                complain(match, f"{room}/ does no I/O")
            continue
        for header, allowed, why in THIRD_PARTY:
            if re.match(header, foreign):
                if not re.fullmatch(allowed, file):
                    complain(match, why)
                break
        else:
            if foreign.split("/")[0] in ROOMS:
                complain(match, 'include project headers with ""')
            elif room in PURE and IO_HEADER.fullmatch(foreign):
                complain(match, f"{room}/ decides without I/O and without threads")
    return findings


def self_test():
    good = [("app/command_line.cpp", '#include "client/link.hpp"\n#include <CLI/CLI.hpp>'),
            ("sample/rate.hpp", '#include "sample/sample.hpp"\n#include "base/clock.hpp"\n#include <optional>'),
            ("base/asio.hpp", "#include <boost/asio/post.hpp>"),
            ("base/error.hpp", "#include <boost/system/result.hpp>"),
            ("client/transport.cpp", '#include "base/asio.hpp"\n#include <sys/socket.h>'),
            ("monitor/message.cpp", "#include <nlohmann/json.hpp>"),
            ("web/server.cpp", "#include <boost/beast/http.hpp>"), ("base/sha256.cpp", "#include <openssl/evp.h>")]
    bad = [("sample/rate.hpp", '#include "pipeline/snapshot.hpp"'), ("sim/server.cpp", '#include "monitor/detect.hpp"'),
           ("client/link.cpp", "#include <boost/asio/post.hpp>"), ("client/link.cpp", "#include <boost/asio.hpp>"),
           ("monitor/session.cpp", '#include "base/asio.hpp"'), ("monitor/session.cpp", "#include <nlohmann/json.hpp>"),
           ("sample/rate.hpp", "#include <nlohmann/json_fwd.hpp>"), ("report/once.cpp", "#include <prometheus/registry.h>"),
           ("base/text.cpp", "  #  include <spdlog/spdlog.h>"), ("app/watch.cpp", "#include <CLI/CLI.hpp>"),
           ("pipeline/window.cpp", "#include <thread>"), ("sample/vm.cpp", "#include <sys/stat.h>"),
           ("base/text.cpp", "#include <doctest/doctest.h>"), ("base/text.cpp", '#include "text.hpp"'),
           ("view/table.cpp", "#include <base/text.hpp>"), ("attic/x.cpp", "#include <string>"),
           ("base/sha256.hpp", "#include <openssl/evp.h>")]
    failures = [f"wrongly rejected: {case}" for case in good if check(*case)]
    failures += [f"wrongly accepted: {case}" for case in bad if len(check(*case)) != 1]
    repository.finish(failures, len(good) + len(bad))


if "--self-test" in sys.argv:
    self_test()
files = repository.sources("src")
repository.finish([finding for file in files
                   for finding in check(file.relative_to("src").as_posix(), repository.read(file))], len(files))
