// Which packets of a run a person wants to see, as the options of `packets` and `up` say it.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "lab/packets/packet_list.h"
#include "proto/clock.pb.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

// As it was typed.
struct PacketOptions {
  bool all = false;
  bool events = false;
  bool errors = false;
  bool no_heartbeats = false;
  std::vector<std::string> only{};
  std::vector<std::string> hosts{};
  std::vector<std::string> between{};
  std::vector<std::string> ticks{};
  std::vector<std::string> groups{};
  std::vector<std::string> numbers{};  // `packets` alone
};

void add_packet_options(CLI::App& command, PacketOptions& options);

// Throws std::runtime_error naming the option if a range or a pair is none.
PacketFilter filter_of(const PacketOptions& options);

// The live list of a person: what repeats all the time is left out, unless it was asked for.
PacketList::Options live_options(const PacketOptions& options);

struct FilterNames {
  std::set<std::string> processes{};
  std::set<std::string> groups{};  // empty: nobody knows yet
};
void add_names(FilterNames& known, const wire::Plan& plan);
void add_names(FilterNames& known, const wire::Status& status);

// Throws std::runtime_error with the nearest word if a filter names what is not there.
void check_names(const PacketFilter& filter, const FilterNames& known);

}  // namespace fencepost::lab
