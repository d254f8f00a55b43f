#include "probe/answers.h"

#include <spdlog/fmt/fmt.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <vector>

#include "probe/field_text.h"

namespace fencepost::probe {
namespace {

std::string shown(const json::value& value) { return json::serialize(value); }

std::string at(const std::string& path, const std::string& problem) {
  return problem.empty() ? "" : joined(path, "") + problem;
}

std::optional<Difference> compare_field(const json::value& expected, const pb::Message& answer,
                                        const Field& field, int index, const std::string& path);

std::optional<Difference> compare(const json::value& expected, const pb::Message& answer,
                                  const std::string& path) {
  if (!expected.is_object()) return Difference{path, shown(expected), answer.ShortDebugString()};
  const pb::Reflection& from = *answer.GetReflection();
  for (const auto& [key, value] : expected.get_object()) {
    const Field* field = answer.GetDescriptor()->FindFieldByName(std::string(key));
    const std::string here = joined(path, std::string_view(key));
    if (field == nullptr) return Difference{here, shown(value), "no such field"};
    if (!field->is_repeated()) {
      if (auto found = compare_field(value, answer, *field, -1, here)) return found;
      continue;
    }
    const json::array items = value.is_array() ? value.get_array() : json::array();
    const auto size = static_cast<std::size_t>(from.FieldSize(answer, field));
    if (items.size() != size) {
      return Difference{here, fmt::format("{} items", items.size()), fmt::format("{}", size)};
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::string item = joined(here, std::to_string(i));
      const int index = static_cast<int>(i);
      if (auto found = compare_field(items[i], answer, *field, index, item)) return found;
    }
  }
  return std::nullopt;
}

std::optional<Difference> compare_field(const json::value& expected, const pb::Message& answer,
                                        const Field& field, int index, const std::string& path) {
  const pb::Reflection& from = *answer.GetReflection();
  const bool is_message = field.cpp_type() == Field::CPPTYPE_MESSAGE;
  if (expected.is_null()) {
    if (index >= 0 || !from.HasField(answer, &field)) return std::nullopt;
    return Difference{path, "absent", is_message ? "present" : text_of(answer, field, index)};
  }
  if (is_message) {
    const pb::Message& part = index >= 0 ? from.GetRepeatedMessage(answer, &field, index)
                                         : from.GetMessage(answer, &field);
    return compare(expected, part, path);
  }
  const std::string found = text_of(answer, field, index);
  const auto wanted = text_for(field, expected);
  if (wanted == found) return std::nullopt;
  return Difference{path, wanted ? in_words(field, *wanted) : shown(expected),
                    in_words(field, found)};
}

// One step of a path: a field, and an index if that is repeated.
struct PathStep {
  std::string field;
  std::optional<int> index;
  std::string_view rest;
};

PathStep first_step(const pb::Descriptor& type, std::string_view path) {
  const auto word = [&] {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view found = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    return found;
  };
  PathStep step;
  step.field = word();
  const Field* field = type.FindFieldByName(step.field);
  if (field != nullptr && field->is_repeated()) {
    const std::string_view number = word();
    int index = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error == std::errc() && stop == number.data() + number.size()) step.index = index;
  }
  step.rest = path;
  return step;
}

}  // namespace

std::string first_error(const pb::Message& answer) {
  const pb::Reflection& from = *answer.GetReflection();
  std::vector<const Field*> fields;
  from.ListFields(answer, &fields);
  for (const Field* field : fields) {
    if (is_error_code(*field) && from.GetInt32(answer, field) != 0) {
      return in_words(*field, text_of(answer, *field, -1));
    }
    if (field->cpp_type() != Field::CPPTYPE_MESSAGE || !field->is_repeated()) continue;
    for (int i = 0; i < from.FieldSize(answer, field); ++i) {
      std::string found = first_error(from.GetRepeatedMessage(answer, field, i));
      if (found != "NONE") return found;
    }
  }
  return "NONE";
}

std::optional<Difference> difference(const json::value& expected, const pb::Message& answer) {
  return compare(expected, answer, "");
}

std::string path_objection(const pb::Descriptor& type, std::string_view path) {
  const PathStep step = first_step(type, path);
  const Field* field = type.FindFieldByName(step.field);
  if (field == nullptr) return unknown_field(type, step.field);
  if (field->is_repeated() && (!step.index || *step.index < 0)) {
    return fmt::format("{} is a list: {}.0 is its first", step.field, step.field);
  }
  if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
    return at(step.field, path_objection(*field->message_type(), step.rest));
  }
  return step.rest.empty() ? "" : fmt::format("{} has no parts", step.field);
}

std::optional<std::string> value_at(const pb::Message& answer, std::string_view path) {
  const PathStep step = first_step(*answer.GetDescriptor(), path);
  const Field* field = answer.GetDescriptor()->FindFieldByName(step.field);
  if (field == nullptr) return std::nullopt;
  const pb::Reflection& from = *answer.GetReflection();
  const bool there = field->is_repeated()
                         ? step.index && *step.index < from.FieldSize(answer, field)
                         : from.HasField(answer, field);
  if (!there) return std::nullopt;
  const int index = field->is_repeated() ? *step.index : -1;
  if (field->cpp_type() != Field::CPPTYPE_MESSAGE) return text_of(answer, *field, index);
  const pb::Message& part =
      index >= 0 ? from.GetRepeatedMessage(answer, field, index) : from.GetMessage(answer, field);
  return value_at(part, step.rest);
}

}  // namespace fencepost::probe
