#include "lab/diff.h"

#include <google/protobuf/text_format.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "common/capture_file.h"
#include "lab/packets.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kBefore = 4;
constexpr std::size_t kAfter = 3;
constexpr std::size_t kDetailLines = 12;

// A record as one line; receptions and steps, which the packet list leaves out, have one too.
class Narrator {
 public:
  std::string line_of(Tick tick, const wire::CaptureRecord& record) {
    std::string line = list_.line_of(tick, record);
    if (!line.empty()) return line;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    std::string text;
    printer.PrintToString(record, &text);
    return fmt::format("       {:>6} {}\n", tick.value(), text);
  }

 private:
  PacketList list_{{.events = true}};
};

// One of the two captures, read in step with the other.
struct Side {
  explicit Side(const std::string& path) : reader(path) {}

  void advance() {
    record = reader.next();
    bytes = record ? record->SerializeAsString() : "";
    line = record ? narrator.line_of(Tick(reader.tick()), *record) : "(end of the capture)\n";
  }

  CaptureReader reader;
  Narrator narrator;
  std::optional<wire::CaptureRecord> record;
  std::string bytes;
  std::string line;
};

std::vector<std::string> detail_lines(const Side& side) {
  std::vector<std::string> lines;
  if (!side.record) return lines;
  std::string text;
  google::protobuf::TextFormat::PrintToString(*side.record, &text);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The fields in which two records of one kind differ, for when their lines look the same.
std::string field_differences(const Side& left, const Side& right) {
  const std::vector<std::string> a = detail_lines(left);
  const std::vector<std::string> b = detail_lines(right);
  std::string out;
  std::size_t shown = 0;
  const bool same_kind =
      left.record && right.record && left.record->what_case() == right.record->what_case();
  if (!same_kind) return out;
  for (std::size_t index = 0; index < std::max(a.size(), b.size()); ++index) {
    const std::string mine = index < a.size() ? a[index] : "";
    const std::string theirs = index < b.size() ? b[index] : "";
    if (mine == theirs) continue;
    out += fmt::format("      < {}\n      > {}\n", mine, theirs);
    if (++shown >= kDetailLines) break;
  }
  return out;
}

std::string following(Side& side, std::string_view mark) {
  std::string out = fmt::format("{} {}", mark, side.line);
  for (std::size_t count = 0; count < kAfter && side.record; ++count) {
    side.advance();
    out += fmt::format("{} {}", mark, side.line);
  }
  return out;
}

std::string report(const std::deque<std::string>& before, std::uint64_t number, Side& left,
                   Side& right) {
  const std::int64_t tick = left.record ? left.reader.tick() : right.reader.tick();
  std::string out = fmt::format("the captures differ first in record {}, tick {}\n", number, tick);
  for (const std::string& line : before) out += "  " + line;
  const std::string fields = field_differences(left, right);
  out += following(left, "<");
  out += following(right, ">");
  if (!fields.empty()) out += "  the fields that differ:\n" + fields;
  return out;
}

}  // namespace

std::optional<std::string> first_difference(const std::string& left_path,
                                            const std::string& right_path) {
  Side left(left_path);
  Side right(right_path);
  std::deque<std::string> before;
  for (std::uint64_t number = 1;; ++number) {
    left.advance();
    right.advance();
    if (!left.record && !right.record) return std::nullopt;
    if (left.record.has_value() != right.record.has_value() || left.bytes != right.bytes) {
      return report(before, number, left, right);
    }
    before.push_back(left.line);
    if (before.size() > kBefore) before.pop_front();
  }
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  Sha256 hash;
  std::string block(1 << 16, '\0');
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.update(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  return hash.hex();
}

}  // namespace fencepost::lab
