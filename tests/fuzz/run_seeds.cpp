// Runs a fuzz target without a fuzzer: over its seeds, and over the same changes of them every time. What `./dev test`
// does with each parser; `./dev fuzz` looks for what nobody has thought of.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int changes = 5000;
constexpr std::size_t longest = 4096;

class random_numbers {
public:
    std::size_t below(std::size_t limit) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return limit == 0 ? 0 : static_cast<std::size_t>(state_ % limit);
    }

private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

/// One to four changes: a byte, a bit, a piece that goes, comes twice, or comes from another seed.
std::string changed(std::string text, const std::vector<std::string>& seeds, random_numbers& random) {
    constexpr std::string_view telling = "{}[]\",:\\\n\r\0\xff-.0179eE(=) /";
    for (std::size_t i = random.below(4) + 1; i > 0; --i) {
        const std::size_t at = random.below(text.size() + 1);
        const std::size_t length = random.below(std::min<std::size_t>(text.size() - std::min(at, text.size()) + 1, 64));
        switch (random.below(6)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(random.below(256));
                break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, text.substr(at, length)); break;
            case 4: text.insert(at, 1, telling[random.below(telling.size())]); break;
            default: {
                const std::string& other = seeds[random.below(seeds.size())];
                const std::size_t from = random.below(other.size() + 1);
                text = text.substr(0, at) + other.substr(from);
            }
        }
    }
    text.resize(std::min(text.size(), longest));
    return text;
}

void feed(const std::string& text) {
    // In memory of just its size, so that a read beyond it is seen.
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::filesystem::path> paths;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> seeds{""};
    for (const std::filesystem::path& path : paths) {
        std::ifstream file(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    if (seeds.size() == 1) {
        std::fputs("no seeds: give the folder that holds them\n", stderr);
        return 1;
    }
    for (const std::string& seed : seeds) feed(seed);
    random_numbers random;
    for (int i = 0; i < changes; ++i) feed(changed(seeds[random.below(seeds.size())], seeds, random));
    std::printf("%zu seeds, %d changes of them\n", seeds.size(), changes);
    return 0;
}
