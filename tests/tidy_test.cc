// The rules of this house that a machine can check, over the source tree itself. A failure names
// file and line; what it means and why stands in docs/style.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kFileLinesMax = 450;
constexpr std::size_t kFunctionLinesMax = 70;
constexpr std::array kRooms = {"admin", "broker", "clock",    "common", "consumer",
                               "lab",   "probe",  "producer", "proto",  "tests"};

struct Source {
  std::string path;  // from the root of the tree
  std::string text;
  std::vector<std::string_view> lines;

  bool has_extension(std::string_view extension) const { return path.ends_with(extension); }
  bool is_code() const { return has_extension(".h") || has_extension(".cc"); }
  std::string room() const { return path.substr(0, path.find('/')); }
  bool is_core() const { return path.find("/core/") != std::string::npos && room() != "tests"; }
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Every source file, sorted by path; read once.
const std::vector<Source>& sources() {
  static const std::vector<Source> all = [] {
    const fs::path root(FENCEPOST_SOURCE_DIR);
    std::vector<std::string> paths;
    for (const char* room : kRooms) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".h" || extension == ".cc" || extension == ".proto") {
          paths.push_back(fs::relative(entry.path(), root).string());
        }
      }
    }
    std::ranges::sort(paths);
    std::vector<Source> found(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      found[i].path = paths[i];
      found[i].text = contents_of(root / paths[i]);
      found[i].lines = lines_of(found[i].text);
    }
    return found;
  }();
  return all;
}

std::string at(const Source& source, std::size_t line) {
  return source.path + ":" + std::to_string(line + 1);
}

// ---- reading C++ roughly ----

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Blanks comments and the insides of literals, line by line; lines keep their numbers. Raw strings
// are not understood, but for single-line ones that hold no quotes.
std::string without_comments_and_literals(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string_view rest = std::string_view(out).substr(i);
    if (rest.starts_with("//")) {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    } else if (rest.starts_with("/*")) {
      const std::size_t end = std::min(out.find("*/", i + 2), out.size() - 2);
      for (; i < end + 2; ++i) out[i] = out[i] == '\n' ? '\n' : ' ';
    } else if (out[i] == '"' || (out[i] == '\'' && (i == 0 || !is_word(out[i - 1])))) {
      const char quote = out[i];
      for (++i; i < out.size() && out[i] != quote && out[i] != '\n'; ++i) {
        if (out[i] == '\\' && i + 1 < out.size()) out[i++] = ' ';
        out[i] = ' ';
      }
    }
  }
  return out;
}

std::vector<std::size_t> occurrences(std::string_view code, std::string_view word) {
  std::vector<std::size_t> found;
  for (std::size_t i = code.find(word); i != std::string_view::npos; i = code.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    const bool begins = i == 0 || !is_word(code[i - 1]) || !is_word(word.front());
    if (begins && (end == code.size() || !is_word(code[end]) || !is_word(word.back()))) {
      found.push_back(i);
    }
  }
  return found;
}

std::size_t line_of(std::string_view code, std::size_t position) {
  return static_cast<std::size_t>(std::ranges::count(code.substr(0, position), '\n'));
}

// Whether a brace stands behind the co_await, up to the end of its statement or condition.
bool has_brace_behind(std::string_view code, std::size_t position) {
  int depth = 0;
  for (const char c : code.substr(position)) {
    if (c == '{') return true;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
    if (c == ';') return false;
  }
  return false;
}

bool opens_a_block(std::string_view before) {
  const std::size_t last = before.find_last_not_of(" \n");
  if (last == std::string_view::npos) return true;
  before = before.substr(0, last + 1);
  for (const std::string_view keyword : {"else", "do", "try", "const", "noexcept", "mutable"}) {
    if (before.ends_with(keyword)) return true;
  }
  const char c = before.back();
  return !is_word(c) && c != '=' && c != '(' && c != ',' && c != ']';
}

// Whether a brace stands before it in the same statement: Request{co_await x}, f(Request{},
// co_await x).
bool has_brace_before(std::string_view code, std::size_t position) {
  for (std::size_t i = position; i-- > 0;) {
    if (code[i] == ';') return false;
    if (code[i] == '{') return !opens_a_block(code.substr(0, i));
    if (code[i] != '}') continue;
    const std::size_t next = code.find_first_not_of(" \n", i + 1);
    return next < position && std::string_view(",.)]").find(code[next]) != std::string_view::npos;
  }
  return false;
}

bool is_trapped(std::string_view code, std::size_t position) {
  return has_brace_behind(code, position) || has_brace_before(code, position);
}

void expect_absent(const Source& source, std::string_view word) {
  const std::string code = without_comments_and_literals(source.text);
  for (const std::size_t position : occurrences(code, word)) {
    ADD_FAILURE() << at(source, line_of(code, position)) << ": " << word;
  }
}

// ---- the rules ----

TEST(Tidy, FindsTheSources) { EXPECT_GT(sources().size(), 50U); }

TEST(Tidy, LinesHaveAtMost100Columns) {
  for (const Source& source : sources()) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      // Bytes that continue a UTF-8 character are no columns.
      const auto columns = std::ranges::count_if(
          source.lines[i], [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
      EXPECT_LE(static_cast<std::size_t>(columns), kColumnsMax) << at(source, i);
    }
  }
}

TEST(Tidy, FilesAreShort) {
  for (const Source& source : sources()) {
    EXPECT_LE(source.lines.size(), kFileLinesMax) << source.path;
  }
}

// clang-format puts the brace that ends a function, and hardly any other, alone into column 0.
TEST(Tidy, FunctionsAreShort) {
  for (const Source& source : sources()) {
    if (!source.is_code()) continue;
    std::size_t start = 0;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string_view line = source.lines[i];
      if (line == "}") {
        EXPECT_LE(i - start + 1, kFunctionLinesMax) << at(source, start);
      } else if (!line.empty() && line[0] != ' ' && line[0] != '/' && line[0] != '#') {
        start = i;
      }
    }
  }
}

TEST(Tidy, HeadersAreIncludedOnce) {
  for (const Source& source : sources()) {
    if (!source.has_extension(".h")) continue;
    EXPECT_NE(std::ranges::find(source.lines, "#pragma once"), source.lines.end()) << source.path;
  }
}

TEST(Tidy, NoContainerIsUnordered) {
  for (const Source& source : sources()) {
    if (source.room() == "tests" || source.path.starts_with("common/host/")) continue;
    for (const char* word :
         {"unordered_map", "unordered_set", "unordered_multimap", "unordered_multiset"}) {
      expect_absent(source, word);
    }
  }
}

TEST(Tidy, CoresHaveNoWorldAroundThem) {
  for (const Source& source : sources()) {
    if (!source.is_core()) continue;
    for (const char* word :
         {"this_thread", "system_clock", "steady_clock", "high_resolution_clock", "random_device",
          "getenv", "spdlog::", "float", "double", "<thread>", "<mutex>", "<chrono>", "<fstream>",
          "<iostream>", "<random>", "<ctime>"}) {
      expect_absent(source, word);
    }
  }
}

TEST(Tidy, CoresSeeOnlyTheirRoomAndWhatIsCommon) {
  for (const Source& source : sources()) {
    if (!source.is_core()) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      constexpr std::string_view kInclude = "#include \"";
      if (!source.lines[i].starts_with(kInclude)) continue;
      const std::string_view name = source.lines[i].substr(kInclude.size());
      const bool allowed = name.starts_with(source.room() + "/") || name.starts_with("proto/") ||
                           (name.starts_with("common/") && !name.starts_with("common/host/"));
      EXPECT_TRUE(allowed) << at(source, i) << ": " << name;
    }
  }
}

TEST(Tidy, AStatementWithCoAwaitHoldsNamesAndCalls) {
  for (const Source& source : sources()) {
    if (!source.is_code() || source.path.starts_with("tests/toolchain/")) continue;
    const std::string code = without_comments_and_literals(source.text);
    for (const std::size_t position : occurrences(code, "co_await")) {
      EXPECT_FALSE(is_trapped(code, position)) << at(source, line_of(code, position));
    }
  }
}

TEST(Tidy, EverySourceIsBuilt) {
  const fs::path root(FENCEPOST_SOURCE_DIR);
  for (const Source& source : sources()) {
    if (!source.has_extension(".cc")) continue;
    bool listed = false;
    for (fs::path folder = fs::path(source.path).parent_path();; folder = folder.parent_path()) {
      const std::string name = fs::relative(source.path, folder.empty() ? "." : folder).string();
      listed = listed || !occurrences(contents_of(root / folder / "CMakeLists.txt"), name).empty();
      if (listed || folder.empty()) break;
    }
    EXPECT_TRUE(listed) << source.path << " stands in no CMakeLists.txt";
  }
}

// Two classes of one name in one namespace are one to the linker, which then takes either's
// constructor for both.
TEST(Tidy, ANamespaceHasEachClassOnce) {
  static const std::regex kNamespace(R"(^namespace ([\w:]+) \{)");
  static const std::regex kClass(R"(^(?:struct|class|enum class) (\w+)[^;]*$)");
  std::map<std::string, std::string> homes;
  for (const Source& source : sources()) {
    if (!source.path.ends_with(".h")) continue;
    std::string room;
    for (const std::string_view line : source.lines) {
      const std::string text(line);
      std::smatch found;
      if (std::regex_search(text, found, kNamespace)) room = found[1];
      if (!std::regex_search(text, found, kClass)) continue;
      const std::string name = room + "::" + found[1].str();
      const auto [home, is_new] = homes.try_emplace(name, source.path);
      EXPECT_TRUE(is_new) << name << " stands in " << home->second << " and in " << source.path;
    }
  }
  EXPECT_GT(homes.size(), 100U);
}

// ---- and whether the checks themselves see what they should ----

struct Statement {
  std::string_view code;
  bool trapped;
};

// The image is built from what .dockerignore lets through.
TEST(Tidy, EveryRoomIsInTheImage) {
  const fs::path root(FENCEPOST_SOURCE_DIR);
  const std::string allowed = contents_of(root / ".dockerignore");
  std::istringstream lines(contents_of(root / "CMakeLists.txt"));
  int rooms = 0;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kRoom = "add_subdirectory(";
    if (!line.starts_with(kRoom)) continue;
    const std::string room = line.substr(kRoom.size(), line.find(')') - kRoom.size());
    EXPECT_NE(allowed.find("\n!" + room + "\n"), std::string::npos)
        << room << " is not in .dockerignore";
    ++rooms;
  }
  EXPECT_GT(rooms, 0);
}

// And what a room builds from a file outside of the rooms.
TEST(Tidy, EveryFileThatARoomBuildsFromIsInTheImage) {
  constexpr std::string_view kOutside = "${CMAKE_SOURCE_DIR}/docs/";
  const fs::path root(FENCEPOST_SOURCE_DIR);
  const std::string allowed = contents_of(root / ".dockerignore");
  for (const fs::directory_entry& room : fs::directory_iterator(root)) {
    const fs::path lists = room.path() / "CMakeLists.txt";
    if (room.path().filename() == "tests" || !fs::exists(lists)) continue;
    const std::string text = contents_of(lists);
    for (std::size_t at = 0; (at = text.find(kOutside, at)) != std::string::npos; ++at) {
      const std::size_t begin = text.find('/', at) + 1;
      const std::string file = text.substr(begin, text.find_first_of(")\" \n", at) - begin);
      EXPECT_NE(allowed.find("\n!" + file + "\n"), std::string::npos)
          << file << ", which " << lists << " names, is not in .dockerignore";
    }
  }
}

TEST(TidyChecks, TellATrappedCoAwaitFromASafeOne) {
  constexpr Statement kStatements[] = {
      {"void f() { co_await g(request); }", false},
      {"if (a) { co_await g(); } else { b(); }", false},
      {"if (co_await g(x)) { b(); }", false},
      {"while (co_await g(x)) { b(); }", false},
      {"x{1}; co_await g(x);", false},
      {"}\n\nTask<void> f() { co_return co_await g(); }", false},
      {"for (auto x : co_await g()) { y{}; }", false},
      {"auto f() -> Task<int> { co_await g(); }", false},
      {"else { co_await g(); }", false},
      {"co_await g(Request{.a = 1});", true},
      {"co_await g({1});", true},
      {"co_await g([x] { return x; });", true},
      {"Request r{co_await g()};", true},
      {"Request r = {co_await g()};", true},
      {"h(Request{}, co_await g());", true},
      {"h({1, 2}, co_await g());", true},
      {"if (co_await g(Request{})) { b(); }", true},
  };
  for (const Statement& tested : kStatements) {
    const std::size_t position = tested.code.find("co_await");
    EXPECT_EQ(is_trapped(tested.code, position), tested.trapped) << tested.code;
  }
}

TEST(TidyChecks, LeaveCommentsAndLiteralsAlone) {
  EXPECT_EQ(without_comments_and_literals("a // {\nb"), "a     \nb");
  EXPECT_EQ(without_comments_and_literals("f(\"{\\\"}\") {"), "f(\"    \") {");
  EXPECT_EQ(without_comments_and_literals("x /* { \n } */ y"), "x      \n      y");
  EXPECT_EQ(without_comments_and_literals("1'000 '{'"), "1'000 ' '");
}

}  // namespace
}  // namespace fencepost
