// A group as a person writes it for `fencepost assign` (docs/assign.md): topics, members, and what
// the members claim to own. YAML, or JSON, which is YAML, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "consumer/core/assignors/assignor.h"
#include "lab/place.h"

namespace fencepost::lab {

struct GroupFile {
  consumer::AssignorInput input;
  std::optional<std::string> assignor;  // by its short name
  consumer::StickyRule rule = consumer::StickyRule::kKafka;
};

// A file with mistakes gives no group; all of them are named.
struct LoadedGroup {
  std::optional<GroupFile> group;
  std::vector<Mistake> mistakes;
};
LoadedGroup load_group(const std::string& path);
LoadedGroup parse_group(const std::string& text, const std::string& name);

}  // namespace fencepost::lab
