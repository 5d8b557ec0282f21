// Reads the pages that we make, as strictly as they are made: what a browser would forgive is a failure here.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::support {

/// True when the text begins with one of the entities that we write.
inline bool begins_with_entity(std::string_view text) {
    static constexpr std::array<std::string_view, 5> known{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    return std::any_of(known.begin(), known.end(), [&](std::string_view each) { return text.starts_with(each); });
}

/// What is wrong with a page or a fragment of one, or nothing: elements that are not closed or closed in another order,
/// attributes without quotes, signs that are markup and stand for themselves, an id twice, numbers that are none.
inline std::string markup_error(std::string_view html) {
    static const std::set<std::string, std::less<>> empty_elements{"meta", "link", "br"};
    static const std::set<std::string, std::less<>> texts{"content", "data-finding", "data-key", "message", "name"};
    std::vector<std::string> open;
    std::set<std::string> ids;
    std::size_t at = 0;
    const auto complaint = [&](std::string_view what) {
        return std::string(what) + " at: " + std::string(html.substr(at, 80));
    };
    const auto name_at = [&](std::size_t begin) {
        std::size_t end = begin;
        while (end < html.size() && (std::isalnum(static_cast<unsigned char>(html[end])) != 0 || html[end] == '-'))
            ++end;
        return std::string(html.substr(begin, end - begin));
    };
    while (at < html.size()) {
        if (html[at] == '&' && !begins_with_entity(html.substr(at))) return complaint("an ampersand");
        if (html[at] == '>') return complaint("a greater-than sign");
        if (html[at] != '<') {
            ++at;
            continue;
        }
        if (html.substr(at).starts_with("<!doctype html>")) {
            at += 15;
            continue;
        }
        if (html.substr(at).starts_with("</")) {
            const std::string name = name_at(at + 2);
            if (open.empty() || open.back() != name) return complaint("an element is closed that is not the last");
            open.pop_back();
            at += name.size() + 3;
            if (html[at - 1] != '>') return complaint("a closing tag with more than a name");
            continue;
        }
        const std::string name = name_at(at + 1);
        if (name.empty()) return complaint("a less-than sign");
        std::size_t place = at + 1 + name.size();
        bool is_closed = false;
        for (;;) {
            while (place < html.size() && html[place] == ' ') ++place;
            if (html.substr(place).starts_with("/>")) {
                is_closed = true;
                place += 2;
                break;
            }
            if (place >= html.size()) return complaint("a tag without an end");
            if (html[place] == '>') {
                ++place;
                break;
            }
            const std::string key = name_at(place);
            if (key.empty()) return complaint("no attribute");
            place += key.size();
            if (place < html.size() && html[place] != '=') continue;  // hidden
            if (!html.substr(place).starts_with("=\"")) return complaint("an attribute without quotes");
            const std::size_t end = html.find('"', place + 2);
            if (end == html.npos) return complaint("an attribute without an end");
            const std::string value(html.substr(place + 2, end - place - 2));
            if (value.find('<') != value.npos) return complaint("a less-than sign in an attribute");
            for (const char* bad : {"nan", "inf"}) {
                if (value.find(bad) != value.npos && texts.count(key) == 0) {
                    return complaint("a number that is none");
                }
            }
            if (key == "id" && !ids.insert(value).second) return complaint("an id for the second time");
            place = end + 1;
        }
        at = place;
        if (is_closed || empty_elements.count(name) > 0) continue;
        open.push_back(name);
        if (name == "style" || name == "script") {
            at = html.find("</" + name + ">", at);
            if (at == html.npos) return "a <" + name + "> without an end";
        }
    }
    if (!open.empty()) return "never closed: " + open.back();
    return {};
}

/// data-key and data-value of all elements that have them.
inline std::map<std::string, std::string> tagged_values(std::string_view html) {
    std::map<std::string, std::string> values;
    constexpr std::string_view key = "data-key=\"", value = "\" data-value=\"";
    for (std::size_t at = html.find(key); at != html.npos; at = html.find(key, at)) {
        at += key.size();
        const std::size_t middle = html.find(value, at);
        const std::size_t end = html.find('"', middle + value.size());
        values[std::string(html.substr(at, middle - at))] =
            std::string(html.substr(middle + value.size(), end - middle - value.size()));
    }
    return values;
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

}  // namespace qmpwatch::support
