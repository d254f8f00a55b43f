#include "probe/field_text.h"

#include <spdlog/fmt/fmt.h>

#include <boost/json/string.hpp>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <vector>

#include "common/error_code.h"
#include "common/properties.h"
#include "probe/base64.h"

namespace fencepost::probe {
namespace {

std::optional<std::int64_t> number_in(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (!value.is_string()) return std::nullopt;
  const json::string& text = value.get_string();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || stop != text.end()) return std::nullopt;
  return number;
}

// An error code may go by its name.
std::optional<std::int64_t> number_for(const Field& field, const json::value& value) {
  if (is_error_code(field) && value.is_string()) {
    const auto code = error_from_name(std::string_view(value.get_string()));
    if (code) return to_wire(*code);
  }
  const auto number = number_in(value);
  const bool narrow = field.cpp_type() == Field::CPPTYPE_INT32;
  const bool fits = number && (!narrow || (*number >= std::numeric_limits<std::int32_t>::min() &&
                                           *number <= std::numeric_limits<std::int32_t>::max()));
  return fits ? number : std::nullopt;
}

std::optional<bool> boolean_in(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  if (!value.is_string()) return std::nullopt;
  if (value.get_string() == "true") return true;
  if (value.get_string() == "false") return false;
  return std::nullopt;
}

}  // namespace

bool is_error_code(const Field& field) { return field.name() == "error_code"; }

// The canonical text of a JSON value for a field; nothing if it does not fit.
std::optional<std::string> text_for(const Field& field, const json::value& value) {
  switch (field.cpp_type()) {
    case Field::CPPTYPE_INT32:
    case Field::CPPTYPE_INT64:
    case Field::CPPTYPE_UINT64:
    case Field::CPPTYPE_UINT32: {
      const auto number = number_for(field, value);
      return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    case Field::CPPTYPE_BOOL: {
      const auto boolean = boolean_in(value);
      if (!boolean) return std::nullopt;
      return *boolean ? "true" : "false";
    }
    case Field::CPPTYPE_STRING: {
      if (!value.is_string()) return std::nullopt;
      std::string text(value.get_string());
      const bool bytes = field.type() == Field::TYPE_BYTES;
      if (bytes && !from_base64(text)) return std::nullopt;
      return text;
    }
    default:
      return std::nullopt;
  }
}

std::string_view type_words(const Field& field) {
  switch (field.cpp_type()) {
    case Field::CPPTYPE_BOOL:
      return "true or false";
    case Field::CPPTYPE_STRING:
      return field.type() == Field::TYPE_BYTES ? "base64" : "a text";
    case Field::CPPTYPE_MESSAGE:
      return "a map";
    default:
      return is_error_code(field) ? "an error's name or number" : "a whole number";
  }
}

// `index` is of a repeated field, or -1.
std::string text_of(const pb::Message& message, const Field& field, int index) {
  const pb::Reflection& from = *message.GetReflection();
  const bool repeated = index >= 0;
  std::string text;
  switch (field.cpp_type()) {
    case Field::CPPTYPE_INT32:
      return std::to_string(repeated ? from.GetRepeatedInt32(message, &field, index)
                                     : from.GetInt32(message, &field));
    case Field::CPPTYPE_INT64:
      return std::to_string(repeated ? from.GetRepeatedInt64(message, &field, index)
                                     : from.GetInt64(message, &field));
    case Field::CPPTYPE_BOOL:
      return (repeated ? from.GetRepeatedBool(message, &field, index)
                       : from.GetBool(message, &field))
                 ? "true"
                 : "false";
    case Field::CPPTYPE_STRING:
      text = repeated ? from.GetRepeatedString(message, &field, index)
                      : from.GetString(message, &field);
      return field.type() == Field::TYPE_BYTES ? to_base64(text) : text;
    default:
      return message.ShortDebugString();
  }
}

std::string in_words(const Field& field, const std::string& text) {
  if (!is_error_code(field)) return text;
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::string(name_of(error_from_wire(number)));
}

void set_scalar(pb::Message& message, const Field& field, const std::string& text) {
  const pb::Reflection& into = *message.GetReflection();
  const bool many = field.is_repeated();
  const auto number = [&] { return std::stoll(text); };
  switch (field.cpp_type()) {
    case Field::CPPTYPE_INT32: {
      const auto value = static_cast<std::int32_t>(number());
      many ? into.AddInt32(&message, &field, value) : into.SetInt32(&message, &field, value);
      return;
    }
    case Field::CPPTYPE_INT64:
      many ? into.AddInt64(&message, &field, number()) : into.SetInt64(&message, &field, number());
      return;
    case Field::CPPTYPE_BOOL:
      into.SetBool(&message, &field, text == "true");
      return;
    case Field::CPPTYPE_STRING: {
      const bool bytes = field.type() == Field::TYPE_BYTES;
      std::string value = bytes ? from_base64(text).value_or("") : text;
      many ? into.AddString(&message, &field, std::move(value))
           : into.SetString(&message, &field, std::move(value));
      return;
    }
    default:
      throw std::invalid_argument(field.name() + ": a script cannot set it");
  }
}

std::string joined(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field) : fmt::format("{}.{}", path, field);
}

std::string unknown_field(const pb::Descriptor& type, std::string_view name) {
  std::vector<std::string_view> known;
  for (int i = 0; i < type.field_count(); ++i) known.push_back(type.field(i)->name());
  const auto near = nearest(name, known);
  return fmt::format("{} has no field \"{}\"{}", type.name(), name,
                     near ? fmt::format("; did you mean \"{}\"?", *near)
                          : fmt::format("; it has {}", fmt::join(known, ", ")));
}

}  // namespace fencepost::probe
