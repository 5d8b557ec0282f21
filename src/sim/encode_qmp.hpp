// QMP as QEMU writes it, byte for byte: greeting, replies, errors, events, compact and pretty.
#pragma once

#include "sim/scenario.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace qmpwatch::sim {

/// Appends JSON in QEMU's form: `, ` and `: ` between, or one value a line (\r\n, four spaces) when pretty; pure ASCII.
class json_writer {
public:
    json_writer(std::string& out, bool pretty) : out_(out), start_(out.size()), pretty_(pretty) {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    /// The name of the next value inside an object; plain ASCII without quotes.
    void key(std::string_view name);

    void string(std::string_view text);
    void number(std::uint64_t value);
    void number(double value);
    void boolean(bool value) { literal(value ? "true" : "false"); }
    void null() { literal("null"); }

    /// A value that is JSON text already; written again in QEMU's form. Text that is not JSON is written as null.
    void value(std::string_view json);

    void string_member(std::string_view name, std::string_view text) { key(name), string(text); }
    void number_member(std::string_view name, std::uint64_t count) { key(name), number(count); }
    void boolean_member(std::string_view name, bool flag) { key(name), boolean(flag); }

private:
    void open(char bracket);
    void close(char bracket);
    void literal(std::string_view text);
    void before_value();
    void new_line();

    std::string& out_;
    std::size_t start_;
    std::size_t depth_ = 0;
    bool pretty_;
    bool comma_ = false;
    bool after_key_ = false;
};

/// The greeting, with \r\n at its end as every message.
void encode_greeting(std::string& out, const version& which, bool pretty);

/// What query-version returns, and a part of the greeting.
void encode_version(json_writer& out, const version& which);

/// `id` is JSON text or empty for none; it comes first in an error.
void encode_error(std::string& out, std::string_view error_class, std::string_view description, std::string_view id,
                  bool pretty);

/// `write` writes the returned value; `id` comes last.
template <class Write>
void encode_return(std::string& out, std::string_view id, bool pretty, Write write) {
    json_writer message(out, pretty);
    message.begin_object();
    message.key("return");
    write(message);
    if (!id.empty()) {
        message.key("id");
        message.value(id);
    }
    message.end_object();
    out += "\r\n";
}

/// `data` is the JSON text of an object, or empty for none.
void encode_event(std::string& out, std::string_view name, std::string_view data,
                  std::chrono::system_clock::time_point when, bool pretty);

/// One entry of query-blockstats.
void encode_blockstats(json_writer& out, const drive_spec& drive, const counters& counted, const version& which);

/// One entry of query-block.
void encode_block(json_writer& out, const drive_spec& drive);

}  // namespace qmpwatch::sim
