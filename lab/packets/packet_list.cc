#include "lab/packets/packet_list.h"

#include <ostream>
#include <stdexcept>
#include <utility>

#include "common/capture_file.h"
#include "lab/packets/packet_lines.h"

namespace fencepost::lab {

PacketTrace::Depth depth_for(const PacketList::Options& options) {
  const bool deep = options.details || options.format == PacketFormat::kJson;
  return deep ? PacketTrace::Depth::kCauses : PacketTrace::Depth::kAnswers;
}

PacketList::PacketList(Options options, const PacketTrace* trace)
    : options_(std::move(options)), walk_(options_.filter, options_.marks), trace_(trace) {
  if (trace_ == nullptr) own_.emplace(depth_for(options_));
}

std::string PacketList::heading() const {
  switch (options_.format) {
    case PacketFormat::kText:
      return text_heading(options_);
    case PacketFormat::kTsv:
      return tsv_heading();
    case PacketFormat::kJson:
      return "";
  }
  return "";
}

std::string PacketList::text_of(Tick tick, const wire::CaptureRecord& record) {
  if (own_) own_->add(tick, record);
  const auto item = walk_.next(tick, record);
  if (!item) return "";
  const LineContext context{options_, walk_, trace_ != nullptr ? *trace_ : *own_,
                            trace_ != nullptr};
  switch (options_.format) {
    case PacketFormat::kText:
      if (options_.details && item->is_packet()) return packet_details(*item, context);
      return text_line(*item, context);
    case PacketFormat::kJson:
      return json_line(*item, context);
    case PacketFormat::kTsv:
      return tsv_line(*item, context);
  }
  return "";
}

std::string PacketList::note(const std::string& text) const {
  switch (options_.format) {
    case PacketFormat::kText:
      return text_note(text, options_);
    case PacketFormat::kJson:
      return json_note(text);
    case PacketFormat::kTsv:
      return "";
  }
  return "";
}

RecordedPackets::RecordedPackets(const std::string& capture, PacketTrace::Depth depth)
    : path_(capture), trace_(depth) {
  CaptureReader reader(path_);
  bool ended = false;
  try {
    while (const auto record = reader.next()) {
      if (records_ == 0 && !record->has_header()) {
        throw std::runtime_error(path_ + ": does not begin as a capture does");
      }
      ++records_;
      trace_.add(Tick(reader.tick()), *record);
      ended = record->has_end();
    }
  } catch (const CaptureCutShort& error) {
    if (records_ == 0) throw;
    complaint_ = error.what();
  } catch (const std::runtime_error& error) {
    if (records_ == 0) throw;
    complaint_ = error.what();
    is_damaged_ = true;
  }
  if (records_ == 0) throw std::runtime_error(path_ + ": is empty, not a capture");
  if (complaint_.empty() && !ended) {
    complaint_ = path_ + ": has no end: the run goes on, or was cut short";
  }
}

void RecordedPackets::each(const OnRecord& on_record) const {
  each_while([&](Tick tick, const wire::CaptureRecord& record) {
    on_record(tick, record);
    return true;
  });
}

template <class Visit>
void RecordedPackets::each_while(const Visit& visit) const {
  CaptureReader reader(path_);
  for (std::uint64_t count = 0; count < records_; ++count) {
    const auto record = reader.next();
    if (!record) throw std::runtime_error(path_ + ": has changed while it was read");
    if (!visit(Tick(reader.tick()), *record)) return;
  }
}

std::uint32_t RecordedPackets::list(std::ostream& out, const PacketList::Options& options) const {
  PacketList list(options, &trace_);
  out << list.heading();
  // Nobody reads on if the stream is broken.
  each_while([&](Tick tick, const wire::CaptureRecord& record) {
    out << list.text_of(tick, record);
    return static_cast<bool>(out);
  });
  return list.packets_shown();
}

}  // namespace fencepost::lab
