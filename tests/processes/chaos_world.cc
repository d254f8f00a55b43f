#include "tests/processes/chaos_world.h"

#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>
#include <thread>
#include <utility>

#include "lab/child_process.h"
#include "lab/journal_file.h"

namespace fencepost::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kProfiles = std::to_array<ChaosProfile>({
    {.pace = 0ms},
    {.pace = 1ms},
    {.pace = 2ms},
    {.pace = 0ms, .disturbances = 150, .longest_pause = 500us},  // several a tick
    {.pace = 1ms, .by_hand = true},
});

}  // namespace

std::string to_string(const Tally& tally) {
  std::string text;
  for (const auto& [kind, count] : tally) text += fmt::format("{} {}  ", kind, count);
  return text;
}

DisturbedRun::DisturbedRun(std::uint32_t seed)
    : random_(seed), profile_(kProfiles[seed % kProfiles.size()]) {
  plan_.clear_until();  // when all are gone, time would be there at once
  if (profile_.by_hand) {
    start_clock_by_hand();
    for (const wire::ProcessSpec& spec : plan_.processes()) start_by_hand(spec.name());
  } else {
    lab::RunOptions options = options_for(directory_);
    options.pace = profile_.pace;
    runner_ = run_in_background(plan_, options);
  }
  EXPECT_TRUE(directory_.eventually([this] { return all_have_joined(); }));
}

// As docs/clock.md tells people to.
void DisturbedRun::start_clock_by_hand() {
  std::string names;
  for (const wire::ProcessSpec& spec : plan_.processes()) names += spec.name() + ",";
  names.pop_back();
  for (const char* folder : {"/logs", "/data"}) {
    std::filesystem::create_directory(directory_.path() + folder);
  }
  lab::ChildCommand command;
  command.program = std::string(FENCEPOST_BINARIES) + "/clock";
  command.arguments = {"--out",    directory_.path(),
                       "--pace",   std::to_string(profile_.pace.count()),
                       "--expect", names};
  command.log_file = directory_.path() + "/logs/clock.log";
  runner_ = lab::start_child(command);
  EXPECT_TRUE(directory_.eventually([this] {
    std::istringstream address(directory_.text_of("clock.address"));
    return static_cast<bool>(address >> address_);
  }));
}

bool DisturbedRun::all_have_joined() {
  std::istringstream address(directory_.text_of("clock.address"));
  return static_cast<bool>(address >> address_) &&
         std::all_of(plan_.processes().begin(), plan_.processes().end(), [this](const auto& spec) {
           return directory_.log_of(spec.name()).find("joined") != std::string::npos;
         });
}

DisturbedRun::~DisturbedRun() {
  if (runner_ > 0) {
    kill(runner_, SIGKILL);
    waitpid(runner_, nullptr, 0);
  }
  for (const auto& [pid, name] : by_hand_) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

// The moments are what is random here, so this waits for nothing.
void DisturbedRun::disturb() {
  for (int i = 0; i < profile_.disturbances; ++i) {
    const int longest = static_cast<int>(profile_.longest_pause.count());
    std::this_thread::sleep_for(std::chrono::microseconds(below(longest)));
    reap();
    disturb_one();
  }
}

void DisturbedRun::disturb_one() {
  const std::string name = plan_.processes(below(plan_.processes_size())).name();
  const std::optional<pid_t> pid = pid_of(directory_, name);
  if (!pid) return start(name);
  const int dice = below(20);
  if (dice < 3) {
    kill(*pid, SIGKILL);
    if (below(2) == 0) start(name);
  } else if (dice < 4) {
    command(wire::Command::RESTART, name);
  } else if (dice < 6) {
    kill(*pid, SIGTERM);
  } else if (dice < 13) {
    kill(*pid, SIGSTOP);
  } else if (dice < 14) {
    command(wire::Command::PAUSE);
    if (below(2) == 0) command(wire::Command::STEP);
    command(wire::Command::GO);
  } else {
    kill(*pid, SIGCONT);
  }
}

// At another terminal, as the process itself or through the clock and its runner.
void DisturbedRun::start(const std::string& name) {
  if (profile_.by_hand || below(2) == 0) return start_by_hand(name);
  command(wire::Command::START, name);
}

// Nobody waits for the answer: what comes of it, the journal says.
void DisturbedRun::command(wire::Command::Kind kind, const std::string& process) {
  constexpr std::int64_t kTicks = 3;
  wire::Command command;
  command.set_kind(kind);
  if (!process.empty()) command.set_process(process);
  if (kind == wire::Command::STEP) command.set_ticks(kTicks);
  people_.push_back(std::make_unique<Stranger>(context_, address_));
  people_.back()->say(to_bytes(command));
}

void DisturbedRun::start_by_hand(const std::string& name) {
  const auto spec = std::find_if(plan_.processes().begin(), plan_.processes().end(),
                                 [&](const auto& planned) { return planned.name() == name; });
  lab::ChildCommand command;
  command.program = std::string(FENCEPOST_BINARIES) + "/" + spec->role();
  command.arguments = {"--name", name, "--clock", address_};
  if (spec->role() == "broker") {
    command.arguments.insert(command.arguments.end(),
                             {"--data", directory_.path() + "/data/" + name + ".db"});
  }
  for (const wire::Property& property : spec->properties()) {
    command.arguments.insert(command.arguments.end(),
                             {"-X", property.name() + "=" + property.value()});
  }
  command.log_file = directory_.path() + "/logs/" + name + ".log";
  by_hand_[lab::start_child(command)] = name;
}

void DisturbedRun::reap() {
  for (auto child = by_hand_.begin(); child != by_hand_.end();) {
    child = waitpid(child->first, nullptr, WNOHANG) == 0 ? std::next(child) : by_hand_.erase(child);
  }
}

bool DisturbedRun::end_in_order() {
  for (const wire::ProcessSpec& spec : plan_.processes()) {
    if (const auto pid = pid_of(directory_, spec.name())) kill(*pid, SIGCONT);
  }
  kill(runner_, SIGINT);
  int status = 0;
  waitpid(std::exchange(runner_, -1), &status, 0);
  if (profile_.by_hand) plan_.ParseFromString(directory_.text_of("plan.bin"));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void DisturbedRun::count_into(Tally& tally) const {
  for (const wire::Decision& decision :
       lab::load_journal(directory_.path() + "/journal.yaml").decisions) {
    ++tally[wire::Decision::Kind_Name(decision.kind())];
    if (decision.holding()) ++tally["HOLD"];
  }
  tally["supplies"] += static_cast<int>(result_of(directory_).supplies);
}

}  // namespace fencepost::test
