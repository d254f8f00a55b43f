// The commands that people type (DESIGN 9). Each adds itself to the parser, and when it is chosen
// leaves what to do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace fencepost::lab {

// Exit codes of all commands.
inline constexpr int kExitHolds = 0;
inline constexpr int kExitFails = 1;            // expectations do not hold; captures differ
inline constexpr int kExitUnusable = 2;         // unusable input
inline constexpr int kExitNotReproducible = 3;  // the run is void
inline constexpr int kExitUnknown = 4;          // the run does not show enough to judge

// What the chosen command does; its result is the exit code.
using Chosen = std::function<int()>;

void add_run(CLI::App& app, Chosen& chosen);
void add_demo(CLI::App& app, Chosen& chosen);
void add_verify(CLI::App& app, Chosen& chosen);
void add_replay(CLI::App& app, Chosen& chosen);
void add_diff(CLI::App& app, Chosen& chosen);
void add_compare(CLI::App& app, Chosen& chosen);
void add_packets(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_why(CLI::App& app, Chosen& chosen);
void add_up(CLI::App& app, Chosen& chosen);
void add_operator(CLI::App& app, Chosen& chosen);  // ps, start, restart, pause, step, go, pace
void add_assign(CLI::App& app, Chosen& chosen);
void add_search(CLI::App& app, Chosen& chosen);
void add_groups(CLI::App& app, Chosen& chosen);
void add_diagram(CLI::App& app, Chosen& chosen);
void add_status(CLI::App& app, Chosen& chosen);

}  // namespace fencepost::lab
