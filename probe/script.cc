#include "probe/script.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>
#include <map>
#include <set>

#include "common/properties.h"
#include "probe/answers.h"
#include "probe/messages.h"

namespace fencepost::probe {
namespace {

constexpr std::size_t kDepthMax = 24;
constexpr std::int64_t kTicksMax = 1'000'000'000;

// Reads one step after the other, and knows what the earlier ones have named.
class Reader {
 public:
  Step read(const json::value& value);

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(fmt::format("app.requests: step {}: {}", number_, problem));
  }
  std::string text(const json::value& value, std::string_view key) const;
  std::int64_t number(const json::value& value, std::string_view key) const;
  void read_key(Step& step, std::string_view key, const json::value& value);
  void read_saves(Step& step, const json::value& value);
  void check(Step& step);
  void check_names(const json::value& value) const;
  const std::string& request_of(const std::string& label) const;

  std::size_t number_ = 0;
  std::map<std::string, std::string> labels_;  // of the requests, and their APIs
  std::set<std::string> saved_;
};

std::string Reader::text(const json::value& value, std::string_view key) const {
  if (!value.is_string()) fail(fmt::format("{} must be a text", key));
  return std::string(value.get_string());
}

std::int64_t Reader::number(const json::value& value, std::string_view key) const {
  if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > kTicksMax) {
    fail(fmt::format("{} must be a whole number from 0 to {}", key, kTicksMax));
  }
  return value.get_int64();
}

void Reader::read_saves(Step& step, const json::value& value) {
  if (!value.is_object()) fail("save must be a map of names to paths in the answer");
  for (const auto& [name, path] : value.get_object()) {
    step.saves.emplace_back(std::string(name), text(path, "a path of save"));
  }
}

void Reader::read_key(Step& step, std::string_view key, const json::value& value) {
  if (key == "request") {
    step.request = text(value, key);
  } else if (key == "answer") {
    step.answer = text(value, key);
  } else if (key == "pending") {
    step.pending = text(value, key);
  } else if (key == "as") {
    step.label = text(value, key);
  } else if (key == "to") {
    step.to = text(value, key);
  } else if (key == "body") {
    if (!value.is_object()) fail("body must be a map");
    step.body = value.get_object();
  } else if (key == "wait") {
    if (!value.is_bool()) fail("wait must be true or false");
    step.wait = value.get_bool();
  } else if (key == "at") {
    step.at = Tick(number(value, key));
  } else if (key == "after") {
    step.after = TickSpan(number(value, key));
  } else if (key == "timeout.ms") {
    step.timeout_ms = number(value, key);
  } else if (key == "expect") {
    step.expect = value;
  } else if (key == "save") {
    read_saves(step, value);
  } else {
    fail(fmt::format("unknown key \"{}\"", key));
  }
}

const std::string& Reader::request_of(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end()) fail(fmt::format("no earlier request is called \"{}\"", label));
  return found->second;
}

void Reader::check_names(const json::value& value) const {
  if (value.is_object()) {
    for (const auto& [key, field] : value.get_object()) check_names(field);
  } else if (value.is_array()) {
    for (const json::value& item : value.get_array()) check_names(item);
  } else if (value.is_string()) {
    for (const std::string& name : references_in(value.get_string())) {
      if (!saved_.contains(name)) fail(fmt::format("nothing has saved ${{{}}} before", name));
    }
  }
}

void Reader::check(Step& step) {
  const int kinds = (step.request.empty() ? 0 : 1) + (step.answer.empty() ? 0 : 1) +
                    (step.pending.empty() ? 0 : 1);
  if (kinds != 1) fail("has a `request`, an `answer` or a `pending`: exactly one");
  const bool judges = step.expect || !step.saves.empty();
  if (!step.pending.empty() && judges) fail("`pending` has no answer to expect or to save from");
  if (!step.wait && judges) {
    fail("does not wait for its answer: expect it in a later step, with `answer`");
  }
  if (step.label.empty()) step.label = std::to_string(number_);
  const std::string api = !step.request.empty()  ? step.request
                          : !step.answer.empty() ? request_of(step.answer)
                                                 : request_of(step.pending);
  if (request_type(api) == nullptr) fail(fmt::format("no request is called \"{}\"", api));
  if (const auto problem = objection(*request_type(api), step.body); !problem.empty()) {
    fail(problem);
  }
  check_names(step.body);
  if (step.expect && !step.expect->is_string()) {
    const auto problem = objection(*response_type(api), *step.expect);
    if (!problem.empty()) fail(problem);
    check_names(*step.expect);
  }
  for (const auto& [name, path] : step.saves) {
    if (const auto problem = path_objection(*response_type(api), path); !problem.empty()) {
      fail(problem);
    }
    saved_.insert(name);
  }
  if (step.request.empty()) return;
  if (!labels_.emplace(step.label, api).second) {
    fail(fmt::format("an earlier request is called \"{}\", too", step.label));
  }
}

Step Reader::read(const json::value& value) {
  ++number_;
  if (!value.is_object()) fail("is not a map");
  Step step;
  for (const auto& [key, field] : value.get_object()) read_key(step, key, field);
  check(step);
  return step;
}

}  // namespace

Script parse_script(std::string_view text) {
  json::parse_options options;
  options.max_depth = kDepthMax;
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error, {}, options);
  if (error) throw ConfigError("app.requests: not JSON: " + error.message());
  if (!parsed.is_array()) throw ConfigError("app.requests: must be a list of steps");
  if (parsed.get_array().size() > kStepsMax) {
    throw ConfigError(fmt::format("app.requests: more than {} steps", kStepsMax));
  }
  Reader reader;
  Script script;
  for (const json::value& step : parsed.get_array()) script.push_back(reader.read(step));
  return script;
}

}  // namespace fencepost::probe
