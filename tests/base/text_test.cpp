// Text for people: harmless names, short quantities.
#include "base/text.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace qmpwatch::base;

TEST_CASE("harmless text stays as it is") {
    CHECK(printable("") == "");
    CHECK(printable("install_media") == "install_media");
    CHECK(printable("Grüße 日本 🖴 \"quoted\" \\ ~") == "Grüße 日本 🖴 \"quoted\" \\ ~");
}

TEST_CASE("control characters become question marks, one each") {
    CHECK(printable("a\x1b[31mb") == "a?[31mb");
    CHECK(printable("a\tb\r\nc\x7f") == "a?b??c?");
    CHECK(printable(std::string_view("\0x", 2)) == "?x");
    CHECK(printable("csi \xc2\x9b 31m") == "csi ? 31m");       // a control character of the upper range
    CHECK(printable("\xe2\x80\xae"
                    "gpj.exe") == "?gpj.exe");  // turns the direction of writing
    CHECK(printable("a\xe2\x80\xa8"
                    "b") == "a?b");            // a line separator
    CHECK(printable("\xef\xbb\xbf") == "?");
}

TEST_CASE("bytes that are not UTF-8 become question marks, one each") {
    CHECK(printable("\xff") == "?");
    CHECK(printable("a\x80") == "a?");
    CHECK(printable("\xc0\xaf") == "??");              // overlong
    CHECK(printable("\xe0\x80\xaf") == "???");         // overlong
    CHECK(printable("\xf0\x80\x80\xaf") == "????");    // overlong
    CHECK(printable("\xed\xa0\x80") == "???");         // surrogate
    CHECK(printable("\xf4\x90\x80\x80") == "????");    // above 10FFFF
    CHECK(printable("\xf5\x80\x80\x80") == "????");
    CHECK(printable("caf\xc3") == "caf?");             // cut off
    CHECK(printable("\xe6\x97") == "??");
    CHECK(printable("\xc3(") == "?(");
}

TEST_CASE("columns count code points") {
    CHECK(columns("") == 0);
    CHECK(columns("abc") == 3);
    CHECK(columns("Grüße") == 5);
    CHECK(columns("日本") == 2);
}

TEST_CASE("text is cut with an ellipsis") {
    CHECK(shorten("install_media", 13) == "install_media");
    CHECK(shorten("install_media", 12) == "install_med…");
    CHECK(shorten("Grüße", 4) == "Grü…");
    CHECK(shorten("日本語", 2) == "日…");
    CHECK(shorten("abc", 1) == "…");
    CHECK(shorten("abc", 0) == "");
    CHECK(shorten("", 0) == "");
    CHECK(shorten("a", 1) == "a");
    for (std::size_t width = 0; width < 8; ++width)
        CHECK(columns(shorten("Grüße日本", width)) == std::min<std::size_t>(width, 7));
}

TEST_CASE("megabytes in three digits") {
    CHECK(format_megabytes(std::nullopt) == "-");
    CHECK(format_megabytes(0) == "0");
    CHECK(format_megabytes(20'000) == "0.02");
    CHECK(format_megabytes(4'100'000) == "4.10");
    CHECK(format_megabytes(54'300'000) == "54.3");
    CHECK(format_megabytes(1'230'000'000) == "1230");
    CHECK(format_megabytes(1'234'567'890) == "1230");
    CHECK(format_megabytes(9'994'000) == "9.99");
    CHECK(format_megabytes(9'996'000) == "10.0");
    CHECK(format_megabytes(99'960'000) == "100");
    CHECK(format_megabytes(5'000) == "0.01");
    CHECK(format_megabytes(1) == "<0.01");
    CHECK(format_megabytes(-1) == "-");
    CHECK(format_megabytes(std::numeric_limits<double>::quiet_NaN()) == "-");
    CHECK(format_megabytes(std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("counts in three digits") {
    CHECK(format_count(std::nullopt) == "-");
    CHECK(format_count(0) == "0");
    CHECK(format_count(0.2) == "0.2");
    CHECK(format_count(7) == "7");
    CHECK(format_count(62.6) == "62.6");
    CHECK(format_count(99.96) == "100");
    CHECK(format_count(100) == "100");
    CHECK(format_count(1234) == "1230");
    CHECK(format_count(9994) == "9990");
    CHECK(format_count(9996) == "10k");
    CHECK(format_count(12'345) == "12.3k");
    CHECK(format_count(999'900) == "1M");
    CHECK(format_count(1'230'000) == "1.23M");
    CHECK(format_count(5e9) == "5G");
    CHECK(format_count(0.001) == "<0.01");
    CHECK(format_count(-1) == "-");
}

TEST_CASE("sizes with their unit") {
    CHECK(format_bytes(std::nullopt) == "-");
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(512) == "512 B");
    CHECK(format_bytes(999) == "999 B");
    CHECK(format_bytes(1000) == "1.00 kB");
    CHECK(format_bytes(64'000) == "64.0 kB");
    CHECK(format_bytes(4'100'000) == "4.10 MB");
    CHECK(format_bytes(999'900) == "1.00 MB");
    CHECK(format_bytes(1'234'567'890) == "1.23 GB");
    CHECK(format_bytes(2.5e12) == "2.50 TB");
    CHECK(format_bytes(18446744073709551615.0) == "18400 PB");
}

TEST_CASE("latencies with their unit") {
    CHECK(format_latency(std::nullopt) == "-");
    CHECK(format_latency(0) == "0 us");
    CHECK(format_latency(1e-9) == "<1 us");
    CHECK(format_latency(85e-6) == "85 us");
    CHECK(format_latency(999.6e-6) == "1.00 ms");
    CHECK(format_latency(0.001) == "1.00 ms");
    CHECK(format_latency(1.23e-3) == "1.23 ms");
    CHECK(format_latency(0.123) == "123 ms");
    CHECK(format_latency(0.9996) == "1.00 s");
    CHECK(format_latency(10) == "10.0 s");
    CHECK(format_latency(120) == "120 s");
    CHECK(format_latency(-1) == "-");
}

TEST_CASE("text is broken at blanks") {
    using lines = std::vector<std::string>;
    CHECK(wrap("", 10, 10) == lines{""});
    CHECK(wrap("one two three", 20, 20) == lines{"one two three"});
    CHECK(wrap("one two three", 7, 7) == lines{"one two", "three"});
    CHECK(wrap("one two three four", 7, 20) == lines{"one two", "three four"});
    CHECK(wrap("one two three four", 7, 5, 2) == lines{"one two", "three four"});
    // A word that is too long keeps its line for itself.
    CHECK(wrap("a https://example.org b", 5, 5) == lines{"a", "https://example.org", "b"});
    CHECK(wrap("nothing-to-break", 3, 3) == lines{"nothing-to-break"});
    CHECK(wrap("\u00e4\u00f6\u00fc x", 3, 3) == lines{"\u00e4\u00f6\u00fc", "x"});
}

TEST_CASE("paragraphs whose first line sticks out") {
    using qmpwatch::base::hanging;
    CHECK(hanging("1. ", "one two three", 80) == "1. one two three\n");
    CHECK(hanging("1. ", "one two three", 10) == "1. one two\n   three\n");
    CHECK(hanging("   - ", "a /very/long/path/of/something b", 12) ==
          "   - a\n     /very/long/path/of/something\n     b\n");
    CHECK(hanging("é: ", "aa bb", 6) == "é: aa\n   bb\n");
    CHECK(hanging("- ", "", 10) == "- \n");
    CHECK(hanging("too wide ", "a b", 4) == "too wide a\n         b\n");
}
