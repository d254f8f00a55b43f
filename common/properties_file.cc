// Reads .properties files as java.util.Properties does, but for two things: bytes above 127 are
// kept as they are (so UTF-8 stays UTF-8), and a byte order mark is skipped.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/properties.h"

namespace fencepost {
namespace {

constexpr std::size_t kFileBytesMax = 1024U * 1024U;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

// Takes a natural line: up to \n, \r or \r\n.
std::string_view take_natural_line(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && !is_line_end(text[end])) ++end;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with("\r\n")) text.remove_prefix(1);
  if (!text.empty()) text.remove_prefix(1);
  return line;
}

// An odd number of backslashes at its end continues a line.
bool continues(std::string_view line) {
  const std::size_t last_other = line.find_last_not_of('\\');
  const std::size_t backslashes =
      last_other == std::string_view::npos ? line.size() : line.size() - last_other - 1;
  return backslashes % 2 == 1;
}

// The lines that say something: comments and blanks left out, continuations joined.
class LogicalLines {
 public:
  explicit LogicalLines(std::string_view text) : rest_(text) {}

  bool next(std::string& line) {
    line.clear();
    while (!rest_.empty()) {
      std::string_view natural = take();
      skip_blanks(natural);
      if (natural.empty() || natural.front() == '#' || natural.front() == '!') continue;
      first_ = taken_;
      while (continues(natural)) {
        line += natural.substr(0, natural.size() - 1);
        if (rest_.empty()) return !line.empty();
        natural = take();
        skip_blanks(natural);
      }
      line += natural;
      if (!line.empty()) return true;
    }
    return false;
  }

  // The number of the natural line with which the current one begins, from 1.
  int number() const { return first_; }

 private:
  std::string_view take() {
    ++taken_;
    return take_natural_line(rest_);
  }

  std::string_view rest_;
  int taken_ = 0;
  int first_ = 0;
};

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

// The four digits after \u; nothing if they are not there.
std::optional<std::uint32_t> take_code_unit(std::string_view& text) {
  constexpr std::size_t kDigits = 4;
  if (text.size() < kDigits) return std::nullopt;
  std::uint32_t unit = 0;
  for (const char c : text.substr(0, kDigits)) {
    const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit > 15 ? digit - 6 : digit);
  }
  text.remove_prefix(kDigits);
  return unit;
}

// One or two \u escapes, of which the first backslash and u have been taken.
std::optional<std::uint32_t> take_code_point(std::string_view& text) {
  constexpr std::uint32_t kReplacement = 0xfffd;  // for half a surrogate pair
  const std::optional<std::uint32_t> high = take_code_unit(text);
  if (!high || *high < 0xd800 || *high > 0xdfff) return high;
  if (*high > 0xdbff || !text.starts_with("\\u")) return kReplacement;
  std::string_view after = text.substr(2);
  const std::optional<std::uint32_t> low = take_code_unit(after);
  if (!low) return std::nullopt;
  if (*low < 0xdc00 || *low > 0xdfff) return kReplacement;
  text = after;
  return 0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00);
}

std::string unescaped(std::string_view text, std::string_view where) {
  std::string out;
  while (!text.empty()) {
    char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      out += c;
      continue;
    }
    if (text.empty()) break;
    c = text.front();
    text.remove_prefix(1);
    if (c == 'u') {
      const std::optional<std::uint32_t> code = take_code_point(text);
      if (!code) throw ConfigError(fmt::format("{}: malformed \\uxxxx encoding", where));
      append_utf8(out, *code);
      continue;
    }
    const std::size_t control = std::string_view("tnrf").find(c);
    out += control == std::string_view::npos ? c : "\t\n\r\f"[control];
  }
  return out;
}

// Where the name ends: at the first separator that is not escaped.
std::size_t name_end(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] != '=' && line[at] != ':' && !is_blank(line[at])) {
    at += line[at] == '\\' ? 2U : 1U;
  }
  return std::min(at, line.size());
}

std::string contents(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw ConfigError(path + ": is a directory, not a .properties file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(path + ": cannot be read");
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw ConfigError(path + ": cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kFileBytesMax) {
    throw ConfigError(fmt::format("{}: is larger than {} bytes", path, kFileBytesMax));
  }
  return text;
}

}  // namespace

void Properties::load_file(const std::string& path) {
  const std::string text = contents(path);
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  LogicalLines lines(rest);
  std::string line;
  while (lines.next(line)) {
    const std::string where = fmt::format("{}:{}", path, lines.number());
    const std::size_t end = name_end(line);
    std::string_view value = std::string_view(line).substr(end);
    skip_blanks(value);
    if (value.starts_with('=') || value.starts_with(':')) value.remove_prefix(1);
    skip_blanks(value);
    const std::string name = unescaped(std::string_view(line).substr(0, end), where);
    if (name.empty()) throw ConfigError(where + ": a value without a name");
    set(name, unescaped(value, where), where);
  }
}

}  // namespace fencepost
