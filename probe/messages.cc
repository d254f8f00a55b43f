#include "probe/messages.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <stdexcept>

#include "probe/field_text.h"

namespace fencepost::probe {
namespace {

const pb::OneofDescriptor& payloads() {
  return *wire::Frame::descriptor()->FindOneofByName("payload");
}

const Field* payload_field(std::string_view api, std::string_view suffix) {
  const std::string wanted = fmt::format("{}{}", api, suffix);
  for (int i = 0; i < payloads().field_count(); ++i) {
    if (payloads().field(i)->message_type()->name() == wanted) return payloads().field(i);
  }
  return nullptr;
}

const pb::Descriptor* type_of(const Field* field) {
  return field == nullptr ? nullptr : field->message_type();
}

std::string shown(const json::value& value) { return json::serialize(value); }

void fill(pb::Message& message, const json::value& body, const std::string& path);

void fill_field(pb::Message& message, const Field& field, const json::value& value,
                const std::string& path) {
  if (field.cpp_type() == Field::CPPTYPE_MESSAGE) {
    const pb::Reflection& into = *message.GetReflection();
    fill(field.is_repeated() ? *into.AddMessage(&message, &field)
                             : *into.MutableMessage(&message, &field),
         value, path);
    return;
  }
  const auto text = text_for(field, value);
  if (!text) {
    throw std::invalid_argument(
        fmt::format("{}: {} is not {}", path, shown(value), type_words(field)));
  }
  set_scalar(message, field, *text);
}

void fill(pb::Message& message, const json::value& body, const std::string& path) {
  if (!body.is_object()) throw std::invalid_argument(path + ": is not a map");
  for (const auto& [key, value] : body.get_object()) {
    const std::string_view name(key);
    const Field* field = message.GetDescriptor()->FindFieldByName(std::string(name));
    if (field == nullptr) {
      throw std::invalid_argument(unknown_field(*message.GetDescriptor(), name));
    }
    if (value.is_null()) continue;
    const std::string at = joined(path, name);
    if (!field->is_repeated()) {
      fill_field(message, *field, value, at);
      continue;
    }
    if (!value.is_array()) throw std::invalid_argument(at + ": is not a list");
    int index = 0;
    for (const json::value& item : value.get_array()) {
      fill_field(message, *field, item, joined(at, std::to_string(index++)));
    }
  }
}

}  // namespace

const pb::Descriptor* request_type(std::string_view api) {
  return type_of(payload_field(api, "Request"));
}
const pb::Descriptor* response_type(std::string_view api) {
  return type_of(payload_field(api, "Response"));
}

const std::vector<std::string_view>& request_names() {
  static const std::vector<std::string_view> kNames = [] {
    constexpr std::string_view kSuffix = "Request";
    std::vector<std::string_view> names;
    for (int i = 0; i < payloads().field_count(); ++i) {
      std::string_view name = payloads().field(i)->message_type()->name();
      if (!name.ends_with(kSuffix)) continue;
      name.remove_suffix(kSuffix.size());
      names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }();
  return kNames;
}

std::string scalar_objection(const Field& field, const json::value& value) {
  const bool refers = value.is_string() && !references_in(value.get_string()).empty();
  if (value.is_null() || refers || text_for(field, value)) return {};
  return fmt::format("{} must be {}, not {}", field.name(), type_words(field), shown(value));
}

std::string objection(const pb::Descriptor& type, const json::value& body) {
  if (!body.is_object()) return fmt::format("{} must be a map, not {}", type.name(), shown(body));
  for (const auto& [key, value] : body.get_object()) {
    const std::string name(key);
    const Field* field = type.FindFieldByName(name);
    if (field == nullptr) return unknown_field(type, name);
    if (value.is_null()) continue;
    if (field->is_repeated() && !value.is_array()) return name + " must be a list";
    const json::array one{value};
    const json::array& items = field->is_repeated() ? value.get_array() : one;
    for (const json::value& item : items) {
      std::string problem = field->message_type() != nullptr
                                ? objection(*field->message_type(), item)
                                : scalar_objection(*field, item);
      if (!problem.empty()) return problem;
    }
  }
  return {};
}

std::vector<std::string> references_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = text.find("${"); begin != std::string_view::npos;
       begin = text.find("${", begin + 2)) {
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) break;
    names.emplace_back(text.substr(begin + 2, end - begin - 2));
  }
  return names;
}

json::value substituted(const json::value& value, const SavedValues& saved) {
  if (value.is_array()) {
    json::array items;
    for (const json::value& item : value.get_array()) items.push_back(substituted(item, saved));
    return items;
  }
  if (value.is_object()) {
    json::object fields;
    for (const auto& [key, field] : value.get_object()) fields[key] = substituted(field, saved);
    return fields;
  }
  if (!value.is_string()) return value;
  std::string text(value.get_string());
  for (const std::string& name : references_in(text)) {
    const auto found = saved.find(name);
    const std::string reference = "${" + name + "}";
    const std::size_t where = text.find(reference);
    if (found != saved.end() && where != std::string::npos) {
      text.replace(where, reference.size(), found->second);
    }
  }
  return json::string(text);
}

wire::Frame make_request(std::string_view api, const json::value& body) {
  const Field* field = payload_field(api, "Request");
  if (field == nullptr) throw std::invalid_argument(fmt::format("no request {}", api));
  wire::Frame frame;
  fill(*frame.GetReflection()->MutableMessage(&frame, field), body, "");
  return frame;
}

const pb::Message& payload_of(const wire::Frame& frame) {
  const pb::Reflection& from = *frame.GetReflection();
  const Field* field = from.GetOneofFieldDescriptor(frame, &payloads());
  return field == nullptr ? static_cast<const pb::Message&>(frame) : from.GetMessage(frame, field);
}

}  // namespace fencepost::probe
