#include "lab/clusters.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "lab/clock_client.h"
#include "lab/node_reader.h"

namespace fencepost::lab {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kPatience{2000};  // whoever has taken an old port may be silent

std::string canonical_name(const fs::path& path) {
  std::string text = fs::weakly_canonical(path).string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// Nothing if no clock of this directory answers.
std::optional<Cluster> cluster_in(const fs::path& directory) {
  std::ifstream file(directory / "clock.address");
  Cluster cluster;
  if (!(file >> cluster.address)) return std::nullopt;
  cluster.name = directory.filename().string();
  try {
    cluster.status = ask_status(cluster.address, kPatience);
  } catch (const ClockError&) {
    return std::nullopt;
  }
  // A port that is free again may belong to another clock by now.
  if (canonical_name(cluster.status.directory()) != canonical_name(directory)) return std::nullopt;
  return cluster;
}

std::string how_to_start() {
  return fmt::format("start one with: {} up FILE (or name it with --clock HOST:PORT)",
                     own_command());
}

std::string searched() { return fs::absolute("runs").string(); }

std::vector<std::string> names_of(const std::vector<Cluster>& clusters) {
  std::vector<std::string> names;
  for (const Cluster& cluster : clusters) names.push_back(cluster.name);
  return names;
}

Cluster choose_by_name(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos;
  const fs::path directory = is_path ? fs::path(name) : fs::path("runs") / name;
  fs::path plain = directory;
  if (!plain.has_filename()) plain = plain.parent_path();
  if (std::optional<Cluster> cluster = cluster_in(plain)) return std::move(*cluster);
  const std::vector<std::string> names = names_of(clusters_here());
  if (names.empty()) {
    throw ClockError(
        fmt::format("no cluster {} is up in {}; {}", name, searched(), how_to_start()));
  }
  throw ClockError(fmt::format("{}; up are: {}", unknown_word("cluster", name, views(names)),
                               fmt::join(names, ", ")));
}

}  // namespace

std::vector<Cluster> clusters_here() {
  std::vector<Cluster> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    if (std::optional<Cluster> cluster = cluster_in(entry.path())) {
      found.push_back(std::move(*cluster));
    }
  }
  std::ranges::sort(found, {}, &Cluster::name);
  return found;
}

Cluster choose_cluster(const ClusterChoice& choice) {
  if (!choice.clock.empty()) {
    Cluster cluster{.name = {}, .address = choice.clock, .status = ask_status(choice.clock)};
    cluster.name = fs::path(cluster.status.directory()).filename().string();
    return cluster;
  }
  if (!choice.name.empty()) return choose_by_name(choice.name);
  std::vector<Cluster> found = clusters_here();
  if (found.empty()) {
    throw ClockError(fmt::format("no cluster is up in {}; {}", searched(), how_to_start()));
  }
  if (found.size() > 1) {
    throw ClockError(fmt::format("several clusters are up here: {}; say which with --name",
                                 fmt::join(names_of(found), ", ")));
  }
  return std::move(found.front());
}

std::string own_command() {
  const char* const command = std::getenv("FENCEPOST_COMMAND");
  return command == nullptr || *command == '\0' ? "fencepost" : command;
}

}  // namespace fencepost::lab
