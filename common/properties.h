// Configuration by Kafka's property names (DESIGN 6): the registry of known properties with their
// types and defaults, .properties files, and errors that say what was meant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

enum class Role { kBroker, kConsumer, kProducer, kProbe, kAdmin };

std::string_view to_string(Role role);  // "consumer"
std::optional<Role> role_from_string(std::string_view name);

// Bad configuration, at start-up. The message names the property, where it stands and what to do.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class PropertyType { kString, kInt, kLong, kBool, kList, kChoice };

struct PropertyInfo {
  std::string_view name;  // Kafka's, or ours under app. and net.
  PropertyType type;
  std::string_view default_value;  // as it would stand in a .properties file; "" for none
  std::string_view roles;          // comma separated: which processes use it
  std::string_view choices;        // kChoice: comma separated
  std::int64_t min;                // kInt, kLong: the smallest legal value
  std::string_view meaning;        // one sentence, with the unit
};

// The registry, sorted by name.
std::span<const PropertyInfo> all_properties();

// The properties of one process: name to text, ordered by name. Values are checked when set.
class Properties {
 public:
  explicit Properties(Role role = Role::kConsumer) : role_(role) {}

  Role role() const { return role_; }

  // Sets one property, kept in one spelling (trimmed, "all" for acks=-1, short names of assignors).
  // `where` ("-X", "client.properties:12") opens the message of an error: a name that is unknown
  // (with the nearest known one), a value of the wrong type, or one out of range.
  // Known Kafka properties that mean nothing here are remembered in ignored() and change nothing.
  void set(std::string_view name, std::string_view value, std::string_view where);
  // Reads a Java .properties file: comments, '=', ':' or blank as separator, continuation lines,
  // escapes. The last of two values wins. Throws ConfigError, also where it cannot be read.
  void load_file(const std::string& path);
  // Takes what is called KAFKA_... among "NAME=value" words, in the manner of Kafka's images: upper
  // case, a dot as an underscore (KAFKA_SESSION_TIMEOUT_MS). An empty value sets nothing, since
  // compose files pass variables on that are not set; what only other roles know is passed over,
  // since one file serves all services. Throws ConfigError for a name that nobody knows.
  void load_environment(std::span<const std::string_view> variables);
  // "name=value", as after -X.
  void set_assignment(std::string_view assignment, std::string_view where);
  // Checks that go over several properties (heartbeat.interval.ms < session.timeout.ms, ...).
  void validate() const;

  bool has(std::string_view name) const;         // set explicitly
  std::string get(std::string_view name) const;  // set, or the default
  // kInt and kLong. At most 2^60, so that sums of times that mean "never" stay in range.
  std::int64_t get_int(std::string_view name) const;
  bool get_bool(std::string_view name) const;
  std::vector<std::string> get_list(std::string_view name) const;

  // What was set explicitly, sorted: what a journal keeps. Of ignored ones the name, without value.
  const std::map<std::string, std::string, std::less<>>& explicit_values() const { return values_; }
  // Known to Kafka, without a meaning here; for the one notice at start.
  const std::vector<std::string>& ignored() const { return ignored_; }

 private:
  Role role_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> ignored_;
};

// The candidate with the smallest edit distance to `word`, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates);

}  // namespace fencepost
