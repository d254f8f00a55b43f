// A randomized model of the tick protocol (DESIGN 3, "Evidence"): whatever happens to the processes
// of a run, and whenever, its journal replays to the same capture and nothing hangs. Leaving out a
// rule must break that, or the test would prove nothing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/capture_file.h"
#include "tests/clock/chaos_world.h"

namespace fencepost::test {
namespace {

// Runs by default; FENCEPOST_MODEL_RUNS asks for more.
int runs_wanted() {
  const char* wanted = std::getenv("FENCEPOST_MODEL_RUNS");
  return wanted != nullptr ? std::atoi(wanted) : 2000;
}

void add_random_rules(wire::Plan& plan, Random& random) {
  const auto name = [&] { return std::string(kToyNames[random.below(4)]); };
  for (std::uint64_t i = 0; i < random.below(5); ++i) {
    wire::Rule& rule = *plan.add_rules();
    if (random.below(2) == 0) {
      rule.set_at_tick(static_cast<std::int64_t>(1 + random.below(30)));
    } else {
      rule.mutable_when()->set_process(name());
      rule.mutable_when()->set_event("toy.step");
      rule.mutable_when()->set_nth(static_cast<std::int32_t>(1 + random.below(6)));
      rule.set_every(random.below(4) == 0);
    }
    wire::Action& action = *rule.add_actions();
    static constexpr wire::Action::Kind kKinds[] = {
        wire::Action::START,   wire::Action::KILL,    wire::Action::STOP,      wire::Action::CONT,
        wire::Action::CLOSE,   wire::Action::RESTART, wire::Action::DROP,      wire::Action::DELAY,
        wire::Action::REORDER, wire::Action::HEAL,    wire::Action::PARTITION, wire::Action::SLOW};
    action.set_kind(kKinds[random.below(std::size(kKinds))]);
    action.add_processes(name());
    action.set_ticks(static_cast<std::int64_t>(1 + random.below(4)));
    action.mutable_link()->add_from(name());
    if (random.below(2) == 0) action.mutable_link()->set_percent(50);
    action.add_sides()->add_processes("A");
    action.add_sides()->add_processes("B");
  }
}

wire::Plan random_plan(std::uint64_t seed) {
  Random random(seed, "plan", Incarnation(0), "model");
  wire::Plan plan;
  plan.set_name("model");
  plan.set_seed(seed);
  plan.mutable_until()->set_tick(40);
  wire::Rule& start = *plan.add_rules();
  start.set_at_tick(0);
  start.add_actions()->set_kind(wire::Action::START);
  for (const std::string_view name : kToyNames) {
    wire::ProcessSpec& spec = *plan.add_processes();
    spec.set_name(std::string(name));
    spec.set_role("probe");
    *spec.mutable_properties() = toy_hello(spec.name()).properties();
    if (name != "D") start.mutable_actions(0)->add_processes(std::string(name));
  }
  add_random_rules(plan, random);
  return plan;
}

wire::Plan replay_of(wire::Plan plan, const Leaves& leaves) {
  plan.set_replay(true);
  plan.mutable_journal()->Add(leaves.journal.begin(), leaves.journal.end());
  return plan;
}

// Empty if the run can be replayed, in another world and in process; else what went wrong.
std::string divergence(std::uint64_t seed, Omit omit, Leaves& recorded) {
  const wire::Plan plan = random_plan(seed);
  recorded = ChaosWorld(plan, seed, true, omit).run();
  if (recorded.failure) return "recording: " + *recorded.failure;
  const wire::Plan replay = replay_of(plan, recorded);
  const Leaves again = ChaosWorld(replay, seed + 1000003, false, omit).run();
  if (again.failure) return "replay: " + *again.failure;
  if (again.capture != recorded.capture) return "replay: another capture";
  std::string in_process;
  const InProcessResult result =
      InProcessHost(replay, toy_factories(), [&](const wire::CaptureRecord& record) {
        append_framed(in_process, record);
      }).run();
  if (result.failure) return "in process: " + *result.failure;
  return in_process == recorded.capture ? "" : "in process: another capture";
}

TEST(TickProtocol, EveryDisturbedRunReplays) {
  Leaves totals;
  for (int i = 0; i < runs_wanted(); ++i) {
    Leaves leaves;
    const std::string what = divergence(static_cast<std::uint64_t>(i), Omit::kNothing, leaves);
    ASSERT_EQ(what, "") << "seed " << i;
    totals.kills += leaves.kills;
    totals.kills_in_step += leaves.kills_in_step;
    totals.held += leaves.held;
    totals.supplies += leaves.supplies;
  }
  std::cout << runs_wanted() << " runs: " << totals.kills << " kills, " << totals.kills_in_step
            << " of them in mid-step, " << totals.held << " steps held, " << totals.supplies
            << " supplies\n";
  EXPECT_GT(totals.kills_in_step, runs_wanted() / 10);
  EXPECT_GT(totals.held, runs_wanted() / 10);
  EXPECT_GT(totals.supplies, runs_wanted());
}

struct Omission {
  const char* name;
  Omit omit;
};

class LeavingOutARule : public testing::TestWithParam<Omission> {};

TEST_P(LeavingOutARule, BreaksReplay) {
  int broken = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Leaves leaves;
    if (!divergence(seed, GetParam().omit, leaves).empty()) ++broken;
  }
  EXPECT_GT(broken, 0);
  std::cout << GetParam().name << ": " << broken << " of 300 runs broken\n";
}

INSTANTIATE_TEST_SUITE_P(Model, LeavingOutARule,
                         testing::Values(Omission{"Exit", Omit::kExit},
                                         Omission{"Held", Omit::kHold},
                                         Omission{"Storage", Omit::kStorage},
                                         Omission{"Need", Omit::kNeed}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace fencepost::test
