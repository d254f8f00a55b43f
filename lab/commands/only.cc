#include "lab/commands/only.h"

#include <algorithm>
#include <stdexcept>

#include "lab/frame_facts.h"
#include "lab/node_reader.h"

namespace fencepost::lab {

void add_line_options(CLI::App& command, LiveLines::Options& lines) {
  command.add_flag("--all", lines.all, "Live: show Heartbeats that succeed and empty Fetches, too");
  command.add_flag("-e,--events", lines.events, "Show all that nodes report, too");
  command.add_option("--only", lines.only, "Packets of these APIs and processes, e.g. Fetch,C2")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void check_only(const std::vector<std::string>& words, const wire::Plan& plan) {
  std::vector<std::string_view> known = all_apis();
  for (const wire::ProcessSpec& spec : plan.processes()) known.push_back(spec.name());
  for (const std::string& word : words) {
    if (std::ranges::find(known, word) != known.end()) continue;
    throw std::runtime_error("--only: " + unknown_word("API or process", word, known));
  }
}

}  // namespace fencepost::lab
