#include "tests/processes/replays.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include "lab/journal_file.h"

namespace fencepost::test {
namespace {

std::optional<std::string> run_into(const RunDirectory& directory, const wire::Plan& plan,
                                    lab::World world) {
  if (world == lab::World::kProcesses) return run(plan, directory).failure;
  return lab::run_plan(plan, {.world = world}, lab::RunDirectory(directory.path())).failure;
}

}  // namespace

wire::Plan replay_of(const wire::Plan& plan, const RunDirectory& recorded) {
  const lab::JournalFile journal = lab::load_journal(recorded.path() + "/journal.yaml");
  wire::Plan again = plan;
  again.set_replay(true);
  for (const wire::Decision& decision : journal.decisions) *again.add_journal() = decision;
  return again;
}

void expect_same_in_replay(const wire::Plan& plan, const RunDirectory& recorded, lab::World world,
                           const std::string& what) {
  const RunDirectory other;
  const std::string place = world == lab::World::kProcesses ? "over processes" : "in process";
  try {
    EXPECT_EQ(run_into(other, replay_of(plan, recorded), world), std::nullopt)
        << what << ", replayed " << place << " in " << other.path();
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ", replayed " << place << ": " << error.what();
  }
  EXPECT_EQ(first_difference(recorded, other), "")
      << what << ", replayed " << place << ": " << recorded.path() << " against " << other.path();
}

std::string capture_in_process(const wire::Plan& plan) {
  const RunDirectory directory;
  EXPECT_EQ(run_into(directory, plan, lab::World::kInProcess), std::nullopt);
  return directory.text_of("capture.bin");
}

std::string first_difference(const RunDirectory& left, const RunDirectory& right) {
  if (left.text_of("capture.bin") == right.text_of("capture.bin")) return "";
  const auto ours = capture_of(left);
  const auto theirs = capture_of(right);
  std::size_t at = 0;
  while (at < ours.size() && at < theirs.size() &&
         ours[at].SerializeAsString() == theirs[at].SerializeAsString()) {
    ++at;
  }
  const auto text = [at](const std::vector<wire::CaptureRecord>& capture) {
    return at < capture.size() ? capture[at].ShortDebugString() : "(its end)";
  };
  return fmt::format("record {}: {} against {}", at, text(ours), text(theirs));
}

}  // namespace fencepost::test
