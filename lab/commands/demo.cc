#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/commands/command.h"
#include "lab/commands/run.h"
#include "lab/overrides.h"

namespace fencepost::lab {
namespace {
namespace fs = std::filesystem;

// What `demo` without a name shows after its list.
constexpr std::string_view kFirstCrash = "04-commit-after-crash-k2";

struct DemoArguments {
  std::string name;
  RunArguments run;
};

// The scenarios that came with the program: next to it, or above it in the source tree.
fs::path demo_folder() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (true) {
    for (const char* place : {"scenarios/demos", "share/fencepost/scenarios/demos"}) {
      if (fs::is_directory(folder / place, error)) return folder / place;
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return "scenarios/demos";
}

// The demos are those that begin with a number; the rest is what they include.
std::vector<fs::path> find_demos() {
  std::vector<fs::path> demos;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(demo_folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0 &&
        entry.path().extension() == ".yaml") {
      demos.push_back(entry.path());
    }
  }
  std::sort(demos.begin(), demos.end());
  return demos;
}

std::string first_sentence(const std::string& text) {
  return text.substr(0, text.find(". ") == std::string::npos ? text.size() : text.find(". ") + 1);
}

void list_demos(const std::vector<fs::path>& demos) {
  std::printf("The demos (fencepost demo N, or by name):\n\n");
  for (const fs::path& demo : demos) {
    const LoadedScenario loaded = load_scenario(demo.string());
    const std::string about =
        loaded.scenario ? first_sentence(loaded.scenario->about) : "(cannot be read)";
    std::printf("%s", fmt::format("  {:<28} {}\n", demo.stem().string(), about).c_str());
  }
  std::printf("\n");
}

// "4" and "04" mean every variant of demo 4, "7" those of 7b, too; else a name, whole or in part.
bool is_meant(const fs::path& demo, const std::string& wanted) {
  const std::string stem = demo.stem().string();
  if (stem == wanted) return true;
  const bool number = std::all_of(wanted.begin(), wanted.end(),
                                  [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number) return stem.find(wanted) != std::string::npos;
  const std::string prefix = wanted.size() == 1 ? "0" + wanted : wanted;
  if (!stem.starts_with(prefix)) return false;
  const std::string_view rest = std::string_view(stem).substr(prefix.size());
  return rest.starts_with("-") || (rest.size() > 1 && std::islower(rest[0]) != 0 && rest[1] == '-');
}

int run_demo(const DemoArguments& arguments) {
  const std::vector<fs::path> demos = find_demos();
  if (demos.empty()) {
    std::fprintf(stderr, "fencepost demo: no demos in %s\n", demo_folder().c_str());
    return kExitUnusable;
  }
  if (arguments.name.empty()) list_demos(demos);
  const std::string wanted = arguments.name.empty() ? std::string(kFirstCrash) : arguments.name;
  std::vector<fs::path> chosen;
  for (const fs::path& demo : demos) {
    if (demo.stem().string() == wanted) chosen = {demo};
  }
  if (chosen.empty()) {
    std::copy_if(demos.begin(), demos.end(), std::back_inserter(chosen),
                 [&](const fs::path& demo) { return is_meant(demo, wanted); });
  }
  if (chosen.empty()) {
    list_demos(demos);
    std::fprintf(stderr, "fencepost demo: there is no demo \"%s\"\n", wanted.c_str());
    return kExitUnusable;
  }
  int exit_code = kExitHolds;
  for (const fs::path& demo : chosen) {
    RunArguments run = arguments.run;
    run.file = demo.string();
    if (&demo != &chosen.front()) std::printf("\n");
    std::fflush(stdout);
    exit_code = std::max(exit_code, run_and_report(run));
  }
  return exit_code;
}

}  // namespace

void add_demo(CLI::App& app, Chosen& chosen) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command =
      app.add_subcommand("demo", "Run a demo; without a name, list them and run the first crash");
  command->add_option("NAME", arguments->name, "Its number, its name or a part of it");
  command->add_flag("--in-process", arguments->run.in_process,
                    "All nodes in this process, without sockets");
  command->add_flag("--quiet", arguments->run.quiet, "Only the verdict and the capture's hash");
  add_overrides(*command, arguments->run.properties);
  command->add_option("--pace", arguments->run.pace_ms, "Wall time of a tick in ms")
      ->check(CLI::Range(0, 3'600'000));
  command->footer(
      "Examples:\n"
      "  fencepost demo                   # the list, then the first crash\n"
      "  fencepost demo 4                 # all variants of demo 4\n"
      "  fencepost demo range-eager\n");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_demo(*arguments); }; });
}

}  // namespace fencepost::lab
