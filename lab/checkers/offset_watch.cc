#include "lab/checkers/offset_watch.h"

#include <spdlog/fmt/fmt.h>

#include <optional>

namespace fencepost::lab {
namespace {

std::string text_of(const std::optional<Offset>& offset) {
  return offset ? std::to_string(offset->value()) : "none";
}

void note(std::vector<std::string>& findings, std::string finding) {
  if (findings.size() < History::kFindingsKept) findings.push_back(std::move(finding));
}

}  // namespace

void OffsetWatch::asked(const OffsetFact& request) {
  Asked& asked = asked_[{request.group, request.partition}];
  if (!request.offset || !asked.offsets.insert(*request.offset).second) return;
  asked.order.push_back(*request.offset);
  if (asked.order.size() <= kAskedKept) return;
  asked.offsets.erase(asked.order.front());
  asked.order.pop_front();
}

void OffsetWatch::stored(OffsetFact commit) {
  const Key key{commit.group, commit.partition};
  const auto asked = asked_.find(key);
  if (commit.offset && (asked == asked_.end() || !asked->second.offsets.contains(*commit.offset))) {
    note(history_.moved_by_themselves,
         fmt::format("moved by itself: {} has offset {} in group {} from tick {}, and nobody "
                     "committed it",
                     history_.names.short_name(commit.partition), text_of(commit.offset),
                     commit.group, commit.when.tick.value()));
  }
  history_.last_commits[key] = std::move(commit);
}

void OffsetWatch::removed(const std::string& group, const TopicPartition& partition) {
  const auto found = history_.last_commits.find({group, partition});
  if (found != history_.last_commits.end()) found->second.offset.reset();
}

void OffsetWatch::told(const OffsetFact& answer) {
  const auto found = history_.last_commits.find({answer.group, answer.partition});
  const std::optional<Offset> known =
      found == history_.last_commits.end() ? std::nullopt : found->second.offset;
  if (known == answer.offset) return;
  note(history_.forgotten,
       fmt::format("forgotten: {} is told offset {} of {} at tick {}, but {} was committed",
                   answer.process, text_of(answer.offset),
                   history_.names.short_name(answer.partition), answer.when.tick.value(),
                   text_of(known)));
}

}  // namespace fencepost::lab
