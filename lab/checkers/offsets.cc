#include "lab/checkers/offsets.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fencepost::lab {
namespace {

using Key = std::pair<std::string, TopicPartition>;  // group, partition

std::string text_of(const std::optional<Offset>& offset) {
  return offset ? std::to_string(offset->value()) : "none";
}

void check_asked_for(const History& history, Verdict& verdict) {
  std::set<std::tuple<std::string, TopicPartition, Offset>> asked;
  auto request = history.commit_requests.begin();
  for (const OffsetFact& commit : history.commits) {
    for (; request != history.commit_requests.end() && request->when < commit.when; ++request) {
      if (request->offset) asked.insert({request->group, request->partition, *request->offset});
    }
    if (!commit.offset || asked.contains({commit.group, commit.partition, *commit.offset})) {
      continue;
    }
    verdict.details.push_back(fmt::format(
        "moved by itself: {} has offset {} in group {} from tick {}, and nobody committed it",
        history.names.short_name(commit.partition), text_of(commit.offset), commit.group,
        commit.when.tick.value()));
  }
}

void check_remembered(const History& history, Verdict& verdict) {
  std::map<Key, Offset> stored;
  auto commit = history.commits.begin();
  for (const OffsetFact& answer : history.offset_answers) {
    for (; commit != history.commits.end() && commit->when < answer.when; ++commit) {
      if (commit->offset) stored[{commit->group, commit->partition}] = *commit->offset;
    }
    const auto found = stored.find({answer.group, answer.partition});
    const std::optional<Offset> known =
        found == stored.end() ? std::nullopt : std::optional(found->second);
    if (known == answer.offset) continue;
    verdict.details.push_back(fmt::format(
        "forgotten: {} is told offset {} of {} at tick {}, but {} was committed", answer.process,
        text_of(answer.offset), history.names.short_name(answer.partition),
        answer.when.tick.value(), text_of(known)));
  }
}

}  // namespace

Verdict check_offsets(const History& history) {
  Verdict verdict;
  verdict.subject = "committed offsets are what members committed";
  check_asked_for(history, verdict);
  check_remembered(history, verdict);
  if (!verdict.details.empty()) verdict.outcome = Verdict::Outcome::kInvalid;
  return verdict;
}

}  // namespace fencepost::lab
