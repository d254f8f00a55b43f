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
#include "lab/packets/marks.h"
#include "lab/packets/packet_list.h"

namespace fencepost::lab {
namespace {

constexpr std::size_t kBefore = 4;
constexpr std::size_t kAfter = 3;
constexpr std::size_t kDetailLines = 12;

// A record as one line. What the packet list leaves out (steps, receptions) is told apart, since it
// matters only where it is the difference.
class Narrator {
 public:
  // Empty for what the packet list leaves out.
  std::string line_of(Tick tick, const wire::CaptureRecord& record) {
    if (record.has_step()) process_ = record.step().process();
    return list_.text_of(tick, record);
  }

  std::string line_left_out(Tick tick, const wire::CaptureRecord& record) const {
    if (record.has_step()) {
      return fmt::format("       tick {}: a step of {}\n", tick.value(), process_);
    }
    if (record.has_reception()) {
      const wire::Reception& reception = record.reception();
      const std::string what = reception.has_sequence()
                                   ? fmt::format("message {} of", reception.sequence())
                                   : std::string("the end of its connection to");
      return fmt::format("       tick {}: {} receives {} {}\n", tick.value(), process_, what,
                         reception.source());
    }
    return fmt::format("       tick {}: the header of the capture\n", tick.value());
  }

 private:
  // Without the numbers of answers: one packet more, and all behind it would differ.
  static const PacketTrace& nothing() {
    static const PacketTrace kNothing(PacketTrace::Depth::kAnswers);
    return kNothing;
  }

  PacketList list_{{.marks = Marks::kEvents}, &nothing()};
  std::string process_;  // whose step it is
};

// One of the two captures, read in step with the other.
struct Side {
  enum class End { kMustBeWhole, kMayBeCut };
  explicit Side(const std::string& path, End end = End::kMustBeWhole)
      : reader(path), may_be_cut(end == End::kMayBeCut) {}

  void advance() {
    record = next();
    bytes = record ? record->SerializeAsString() : "";
    line = record ? narrator.line_of(Tick(reader.tick()), *record) : "(end of the capture)\n";
  }
  std::optional<wire::CaptureRecord> next() {
    if (!may_be_cut) return reader.next();
    try {
      return reader.next();
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }
  // The line, or what stands for it.
  std::string any_line() const {
    return line.empty() ? narrator.line_left_out(Tick(reader.tick()), *record) : line;
  }

  CaptureReader reader;
  bool may_be_cut;
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
  std::string out = fmt::format("{} {}", mark, side.any_line());
  for (std::size_t shown = 0; shown < kAfter && side.record;) {
    side.advance();
    if (side.line.empty()) continue;
    out += fmt::format("{} {}", mark, side.line);
    ++shown;
  }
  return out;
}

// "the runs are of different seeds: 1 and 2"; empty if the headers say the same.
std::string header_difference(const Side& left, const Side& right) {
  if (!left.record || !right.record) return "";
  if (!left.record->has_header() || !right.record->has_header()) return "";
  const wire::CaptureHeader& a = left.record->header();
  const wire::CaptureHeader& b = right.record->header();
  std::string out;
  const auto add = [&out](bool same, std::string_view what, const auto& one, const auto& other) {
    if (!same) out += fmt::format("{}{}: {} and {}", out.empty() ? "" : "; ", what, one, other);
  };
  add(a.scenario() == b.scenario(), "scenarios", a.scenario(), b.scenario());
  add(a.seed() == b.seed(), "seeds", a.seed(), b.seed());
  add(a.tick_ms() == b.tick_ms(), "tick.ms", a.tick_ms(), b.tick_ms());
  if (out.empty()) return "";
  return "the runs are of different " + out + "\n";
}

// A difference that somebody has made is no surprise: what it leads to is. Empty if it is another.
std::string done_by_hand(const Side& side, std::string_view mark) {
  if (!side.record || !side.record->has_lifecycle()) return "";
  const wire::Lifecycle& lifecycle = side.record->lifecycle();
  if (!lifecycle.outside()) return "";
  return fmt::format("it is what was done by hand ({}: {} {}); what follows from it comes behind\n",
                     mark, lifecycle.process(), lifecycle_text(lifecycle));
}

std::string report(const std::deque<std::string>& before, std::uint64_t number, Side& left,
                   Side& right) {
  const std::int64_t tick = left.record ? left.reader.tick() : right.reader.tick();
  std::string out = fmt::format("the captures differ first in record {}, tick {}\n", number, tick);
  out += done_by_hand(left, "<") + done_by_hand(right, ">");
  for (const std::string& line : before) out += "  " + line;
  const std::string fields = field_differences(left, right);
  out += following(left, "<");
  out += following(right, ">");
  if (!fields.empty()) out += "  the fields that differ:\n" + fields;
  return out;
}

}  // namespace

namespace {

[[noreturn]] void fail_empty(const std::string& path) {
  throw std::runtime_error(path + ": is empty, not a capture");
}

}  // namespace

std::optional<std::string> first_difference(const std::string& left_path,
                                            const std::string& right_path) {
  Side left(left_path);
  Side right(right_path);
  std::deque<std::string> before;
  std::string headers;
  for (std::uint64_t number = 1;; ++number) {
    left.advance();
    right.advance();
    if (number == 1 && !left.record) fail_empty(left_path);
    if (number == 1 && !right.record) fail_empty(right_path);
    if (!left.record && !right.record) {
      if (headers.empty()) return std::nullopt;
      return headers + "all packets and events are the same\n";
    }
    if (left.record.has_value() != right.record.has_value() || left.bytes != right.bytes) {
      const std::string difference = number == 1 ? header_difference(left, right) : "";
      if (difference.empty()) return headers + report(before, number, left, right);
      headers = difference;
    }
    if (left.line.empty()) continue;
    before.push_back(left.line);
    if (before.size() > kBefore) before.pop_front();
  }
}

PrefixComparison compare_prefix(const std::string& cut, const std::string& whole) {
  Side left(cut, Side::End::kMayBeCut);
  Side right(whole);
  std::deque<std::string> before;
  PrefixComparison result;
  for (;; ++result.records) {
    left.advance();
    if (!left.record) return result;
    if (left.record->has_end() && left.record->end().reason() == kAborted) return result;
    right.advance();
    if (!right.record || left.bytes != right.bytes) {
      result.difference = report(before, result.records + 1, left, right);
      return result;
    }
    if (left.line.empty()) continue;
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
