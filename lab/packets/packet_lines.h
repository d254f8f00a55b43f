// How one item of a packet list looks, in each format. Each text has its newline.
#pragma once

#include <string>
#include <string_view>

#include "lab/packets/packet_list.h"

namespace fencepost::lab {

inline constexpr std::string_view kProtocol = "Fencepost";

// What a line is made from, beside the item.
struct LineContext {
  const PacketList::Options& options;
  const PacketWalk& walk;    // of the capture: names, tick.ms
  const PacketTrace& trace;  // that has the item's packet
  bool knows_all;            // the trace has the whole capture, not just what has been
};

std::string text_heading(const PacketList::Options& options);
std::string text_line(const ListItem& item, const LineContext& context);
std::string text_note(const std::string& text, const PacketList::Options& options);

// A packet with every field, what befell it and what brought it about.
std::string packet_details(const ListItem& item, const LineContext& context);

std::string json_line(const ListItem& item, const LineContext& context);
std::string json_note(const std::string& text);

std::string tsv_heading();
// Empty for marks.
std::string tsv_line(const ListItem& item, const LineContext& context);

}  // namespace fencepost::lab
