// The command `fencepost`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "lab/clusters.h"
#include "lab/commands/command.h"
#include "lab/node_reader.h"

namespace {

constexpr const char* kAbout =
    "Fencepost: Kafka consumer groups as real processes under a virtual clock.\n"
    "Every run of a scenario gives the same capture, byte for byte.";
constexpr const char* kExamples =
    "Begin with:\n"
    "  fencepost demo                       the demos, and the first crash\n"
    "  fencepost demo 4                     a consumer dies after writing and before committing\n"
    "  fencepost run FILE                   your own scenario (docs/scenarios.md)\n"
    "  fencepost packets runs/NAME          what went over the wire\n"
    "  fencepost report runs/NAME           the run as a page to click through\n"
    "  fencepost why runs/NAME              why it happened, in sentences\n"
    "  fencepost up FILE                    leave it running, and kill its processes by hand\n"
    "  fencepost COMMAND --help             everything about a command\n";

// Words for what is not ours to do: processes are real, so the shell does it.
std::optional<std::string> of_the_shell(const std::string& word) {
  const std::string command = fencepost::lab::own_command();
  if (word == "kill" || word == "cont") {
    const char* const how = word == "kill" ? "-9" : "-CONT";
    return "no command \"" + word + "\": these are real processes. Use the shell's: kill " + how +
           " PID (" + command + " ps lists the pids)";
  }
  if (word == "stop" || word == "down") {
    return "no command \"" + word + "\": Ctrl-C in the terminal of `" + command +
           " up`, or SIGTERM to it, ends a cluster; kill -STOP PID stops a process (" + command +
           " ps lists the pids)";
  }
  return std::nullopt;
}

// What is wrong with the first word, if it is meant as a command and is none.
std::optional<std::string> unknown_command(const CLI::App& app, const std::string& word) {
  if (word.starts_with("-")) return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::nullopt;
  if (auto theirs = of_the_shell(word)) return theirs;
  return fencepost::lab::unknown_word("command", word, fencepost::lab::views(names));
}

// What was printed must have arrived: a full disk is a failure. That nobody reads on (`| head`) is
// none.
int with_output(int code) {
  const bool complete = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (complete) return code;
  if (errno == EPIPE) return code;
  std::fprintf(stderr, "fencepost: cannot write to standard output: %s\n", std::strerror(errno));
  return code == 0 ? fencepost::lab::kExitUnusable : code;
}

}  // namespace

int main(int argc, char** argv) {
  // A terminal or a pipe that is gone must not keep a run from ending in order.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(kAbout, "fencepost");
  app.require_subcommand(1);
  app.footer(kExamples);
  fencepost::lab::Chosen chosen;
  fencepost::lab::add_demo(app, chosen);
  fencepost::lab::add_run(app, chosen);
  fencepost::lab::add_verify(app, chosen);
  fencepost::lab::add_replay(app, chosen);
  fencepost::lab::add_diff(app, chosen);
  fencepost::lab::add_compare(app, chosen);
  fencepost::lab::add_assign(app, chosen);
  fencepost::lab::add_packets(app, chosen);
  fencepost::lab::add_report(app, chosen);
  fencepost::lab::add_diagram(app, chosen);
  fencepost::lab::add_why(app, chosen);
  fencepost::lab::add_up(app, chosen);
  fencepost::lab::add_operator(app, chosen);
  fencepost::lab::add_search(app, chosen);
  fencepost::lab::add_status(app, chosen);
  fencepost::lab::add_groups(app, chosen);
  if (argc < 2) {
    std::fprintf(stderr, "%s", app.help().c_str());
    return fencepost::lab::kExitUnusable;
  }
  if (const auto unknown = unknown_command(app, argv[1])) {
    std::fprintf(stderr, "fencepost: %s\n", unknown->c_str());
    return fencepost::lab::kExitUnusable;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no mistakes; everything else is unusable input.
    return app.exit(error) == 0 ? 0 : fencepost::lab::kExitUnusable;
  }
  try {
    return with_output(chosen());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fencepost: %s\n", error.what());
    return fencepost::lab::kExitUnusable;
  }
}
