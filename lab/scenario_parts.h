// The parts of a scenario file, each read by a function of its own: topics and processes
// (scenario_processes.cc), the scripts of probes (scenario_probe.cc), timeline
// (scenario_timeline.cc), what to wait for (scenario_match.cc), expect (scenario_expect.cc).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/expectation.h"
#include "lab/node_reader.h"
#include "lab/partition_names.h"
#include "lab/yaml_tree.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

// What the rest of a scenario may refer to.
struct KnownNames {
  std::string file;  // of the scenario itself, not of what it includes
  PartitionNames partitions;
  std::vector<std::string> topics;     // full names, sorted
  std::vector<std::string> processes;  // sorted
  std::map<std::string, std::string>
      roles;  // by process, as written; wrong ones are named elsewhere
};

// A section that several files may have: the included one first, the including one last and
// stronger.
using Layers = std::vector<const YamlNode*>;

void read_topics(const Layers& sections, NodeReader& reader, wire::Plan& plan);

// `defaults` are by role, `sections` by process; both go into the plan's processes.
void read_processes(const Layers& defaults, const Layers& sections, const KnownNames& known,
                    NodeReader& reader, wire::Plan& plan);
// The script of a probe as the property app.requests; nothing where it is no list.
std::optional<std::string> read_requests(const YamlNode& node, const KnownNames& known,
                                         NodeReader& reader);
// The names of the processes, before they are read.
std::vector<std::string> process_names(const Layers& sections);
std::map<std::string, std::string> process_roles(const Layers& sections);

// The rules, behind a first one that starts at tick 0 what no rule starts.
void read_timeline(const YamlNode* timeline, const KnownNames& known, NodeReader& reader,
                   wire::Plan& plan);
// Must be read before the timeline, which may not go beyond it.
void read_until(const YamlNode& node, const KnownNames& known, NodeReader& reader,
                wire::Plan& plan);
// A `when`: an event with its attributes or a packet. Keys in `besides` belong to the caller.
std::optional<wire::Match> read_match(const YamlNode& node, const KnownNames& known,
                                      NodeReader& reader,
                                      std::vector<std::string_view> besides = {});

// An item of `expect: why:`.
std::optional<ExpectWhy> read_why(const YamlNode& map, const KnownNames& known,
                                  NodeReader& reader);
Expectations read_expect(const YamlNode& node, const KnownNames& known, NodeReader& reader);

// "o2" or "orders-2", with a mistake if it is neither.
std::optional<TopicPartition> read_partition(const Word& word, const KnownNames& known,
                                             NodeReader& reader);
bool is_process(const Word& word, const KnownNames& known, NodeReader& reader);
// A mistake if the process has a role, and it is none of these ("broker,consumer"): it `does` what
// is expected of it never.
bool can_do(const Word& process, std::string_view roles, std::string_view does,
            const KnownNames& known, NodeReader& reader);
bool is_api(const Word& word, NodeReader& reader);

}  // namespace fencepost::lab
