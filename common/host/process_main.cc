#include "common/host/process_main.h"

#include <unistd.h>

#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/host/process_host.h"
#include "common/host/process_log.h"
#include "common/properties.h"

namespace fencepost {
namespace {

constexpr int kExitUnusable = 2;
constexpr int kHelpColumn = 44;

struct CommandLine {
  ProcessOptions process;
  std::string config_file;
  std::vector<std::string> assignments;
  bool from_environment = false;
  std::string log_level = "info";
  std::string listen = "127.0.0.1:0";
  std::string data_file;
  double connect_timeout_seconds = 5;
  bool help_properties = false;
};

bool is_for(const PropertyInfo& property, Role role) {
  const std::string roles = fmt::format(",{},", property.roles);
  return roles.find(fmt::format(",{},", to_string(role))) != std::string::npos;
}

void print_properties(Role role) {
  fmt::print("Properties of role {}, for --config, --from-env and -X, with their defaults:\n",
             to_string(role));
  for (const PropertyInfo& property : all_properties()) {
    if (!is_for(property, role)) continue;
    const std::string setting = fmt::format("{}={}", property.name, property.default_value);
    fmt::print("  {:<{}} {}\n", setting, kHelpColumn, property.meaning);
  }
}

std::string footer_of(const RoleOfProcess& role, const std::string& program) {
  return fmt::format(
      "Configuration is Kafka's: names and defaults as in its documentation; what Kafka does not "
      "have\n"
      "begins with app. or net. See them all with --help-properties.\n"
      "\n"
      "Example, with a clock that listens at port 19000:\n"
      "  {} --name {} --clock 127.0.0.1:19000 {}\n"
      "\n"
      "SIGTERM ends it gracefully, kill -9 is a crash, and kill -STOP makes it a zombie.\n",
      program,
      role.listens                   ? "B1"
      : role.role == Role::kProducer ? "P1"
                                     : "C1",
      role.listens ? "-X app.topics=orders:3"
                   : "-X bootstrap.servers=B1:19092 -X client.id=example");
}

void declare(CLI::App& app, CommandLine& line, const RoleOfProcess& role) {
  app.add_option("--name", line.process.name, "the name of this process, e.g. C1")->required();
  app.add_option("--clock", line.process.clock_address, "where the clock listens, host:port")
      ->required();
  app.add_option("--config,-c", line.config_file, "a .properties file");
  app.add_flag("--from-env", line.from_environment,
               "take properties from the environment, as Kafka's images do:\n"
               "KAFKA_SESSION_TIMEOUT_MS is session.timeout.ms; it overrides --config");
  app.add_option("-X", line.assignments, "name=value: one property; may be repeated")
      ->allow_extra_args(false);
  if (role.listens) {
    app.add_option("--listen", line.listen, "where others call it; port 0 is any free one")
        ->capture_default_str();
  }
  if (role.stores) {
    app.add_option("--data", line.data_file, "its SQLite database (default: NAME.db)");
  }
  app.add_option("--connect-timeout", line.connect_timeout_seconds,
                 "seconds to wait for the clock to answer")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--log-level", line.log_level, "debug, info, warn, error or off")
      ->check([](const std::string& level) {
        return is_log_level(level) ? std::string() : "unknown level \"" + level + "\"";
      })
      ->capture_default_str();
  app.add_flag("--help-properties", line.help_properties, "list the properties, and end");
}

std::vector<std::string_view> environment() {
  std::vector<std::string_view> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

// The nearer to the person who starts the process, the stronger. Throws ConfigError.
Properties properties_of(const CommandLine& line, Role role) {
  Properties properties(role);
  if (!line.config_file.empty()) properties.load_file(line.config_file);
  if (line.from_environment) properties.load_environment(environment());
  for (const std::string& assignment : line.assignments) {
    properties.set_assignment(assignment, "-X");
  }
  properties.validate();
  return properties;
}

ProcessOptions options_of(const CommandLine& line, const RoleOfProcess& role) {
  ProcessOptions options = line.process;
  if (role.listens) options.listen_address = line.listen;
  if (role.stores) {
    options.data_file = line.data_file.empty() ? options.name + ".db" : line.data_file;
  }
  options.connect_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(line.connect_timeout_seconds * 1000));
  options.properties = properties_of(line, role.role);
  return options;
}

bool asks_for_properties(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) {
    return std::string_view(word) == "--help-properties";
  });
}

}  // namespace

int process_main(int argc, char** argv, const RoleOfProcess& role) {
  if (asks_for_properties(argc, argv)) {
    print_properties(role.role);
    return 0;
  }
  CommandLine line;
  const std::string program(to_string(role.role));
  CLI::App app{std::string(role.about), program};
  app.footer(footer_of(role, program));
  declare(app, line, role);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUnusable;
  }
  ProcessLog log(line.process.name, line.log_level);
  try {
    ProcessHost host(options_of(line, role), role.factory, log);
    const std::vector<std::string>& ignored = host.properties().ignored();
    if (!ignored.empty())
      log->warn("ignored, without a meaning here: {}", fmt::join(ignored, ", "));
    return host.run();
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return kExitUnusable;
  } catch (const std::exception& error) {
    log->critical("failed: {}", error.what());
    return kExitBug;
  }
}

}  // namespace fencepost
