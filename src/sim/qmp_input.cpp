// Error texts are QEMU's. What QEMU says about leftovers of broken input is copied for the cases seen in captures.
#include "sim/qmp_input.hpp"

#include "base/json.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qmpwatch::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view no_object = "QMP input must be a JSON object";

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

bool is_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == '+' || byte == '.';
}

qmp_request decode(std::string_view text) {
    qmp_request request;
    const json parsed = base::parse_ordered_json(text);
    if (parsed.is_discarded()) {
        request.error = "JSON parse error, expecting value";
        return request;
    }
    if (!parsed.is_object()) {
        request.error = no_object;
        return request;
    }
    if (const auto id = parsed.find("id"); id != parsed.end()) request.id = base::json_text(*id);
    bool has_command = false;
    for (const auto& [name, member] : parsed.items()) {
        if (name == "execute" || name == "exec-oob") {
            if (!member.is_string()) {
                request.error = fmt::format("QMP input member '{}' must be a string", name);
                return request;
            }
            if (has_command) {
                request.error = "QMP input member 'execute' clashes with 'exec-oob'";
                return request;
            }
            has_command = true;
            request.out_of_band = name == "exec-oob";
            request.command = member.get<std::string>();
        } else if (name == "arguments") {
            if (!member.is_object()) {
                request.error = "QMP input member 'arguments' must be an object";
                return request;
            }
            if (!member.empty()) request.arguments = base::json_text(member);
        } else if (name != "id") {
            request.error = fmt::format("QMP input member '{}' is unexpected", name);
            return request;
        }
    }
    if (!has_command) request.error = "QMP input lacks member 'execute'";
    return request;
}

}  // namespace

void qmp_input::fail(std::string description, std::vector<qmp_request>& done) {
    qmp_request request;
    request.error = std::move(description);
    done.push_back(std::move(request));
    text_.clear();
    word_.clear();
    depth_ = 0;
    quote_ = 0;
    escaped_ = false;
}

void qmp_input::end_word(std::vector<qmp_request>& done) {
    const std::string word = std::exchange(word_, {});
    if (base::is_json(word)) {
        fail(std::string(no_object), done);
    } else {
        fail(fmt::format("JSON parse error, invalid keyword '{}'", word), done);
    }
}

std::vector<qmp_request> qmp_input::feed(std::string_view bytes) {
    std::vector<qmp_request> done;
    for (const char byte : bytes) take(byte, done);
    return done;
}

void qmp_input::take(char byte, std::vector<qmp_request>& done) {
    if (depth_ > 0 || quote_ != 0) {
        take_in_value(byte, done);
        return;
    }
    if (is_word(byte)) {
        word_ += byte;
        if (word_.size() > longest_request) fail("JSON token size limit exceeded", done);
        return;
    }
    if (!word_.empty()) end_word(done);
    if (is_space(byte)) return;
    if (byte == '{' || byte == '[' || byte == '"' || byte == '\'') {
        take_in_value(byte, done);
    } else if (byte == '}' || byte == ']' || byte == ',' || byte == ':') {
        fail("JSON parse error, expecting value", done);
    } else {
        fail(fmt::format("JSON parse error, stray '{}'", byte), done);
    }
}

void qmp_input::take_in_value(char byte, std::vector<qmp_request>& done) {
    if (static_cast<unsigned char>(byte) == 0xff) {  // in no UTF-8 text: clients use it to get out of any state
        std::string stray = quote_ != 0 ? text_.substr(string_at_) : std::string();
        stray += byte;
        fail(fmt::format("JSON parse error, stray '{}'", stray), done);
        return;
    }
    if (text_.size() >= longest_request) {
        fail("JSON token size limit exceeded", done);
        return;
    }
    if (quote_ != 0) {
        if (escaped_) {
            escaped_ = false;
            if (byte == '\'') text_.pop_back();  // \' is QEMU's own
            text_ += byte;
        } else if (byte == quote_) {
            quote_ = 0;
            text_ += '"';
        } else {
            if (byte == '"') text_ += '\\';  // inside '...'
            text_ += byte;
            escaped_ = byte == '\\';
        }
    } else if (byte == '"' || byte == '\'') {
        quote_ = byte;
        string_at_ = text_.size();
        text_ += '"';
    } else {
        text_ += byte;
        if (byte == '{' || byte == '[') {
            if (++depth_ > deepest_nesting) {
                fail("JSON nesting depth limit exceeded", done);
                return;
            }
        } else if (byte == '}' || byte == ']') {
            --depth_;
        }
    }
    if (depth_ == 0 && quote_ == 0) {
        done.push_back(decode(text_));
        text_.clear();
    }
}

}  // namespace qmpwatch::sim
