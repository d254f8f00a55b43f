#include "lab/packets/info.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "common/error_code.h"
#include "lab/frame_facts.h"
#include "lab/packets/info_rows.h"
#include "lab/packets/info_template.h"
#include "lab/packets/printable.h"
#include "lab/wording.h"

namespace fencepost::lab {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// One value of a path: a field of a message, or one element of it.
struct Value {
  const Message* owner = nullptr;
  const FieldDescriptor* field = nullptr;
  int index = -1;  // -1: the field is not repeated

  bool is_message() const { return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }
  const Message& message() const {
    const auto* reflection = owner->GetReflection();
    return index < 0 ? reflection->GetMessage(*owner, field)
                     : reflection->GetRepeatedMessage(*owner, field, index);
  }
  std::string text() const {
    const auto* reflection = owner->GetReflection();
    return index < 0 ? reflection->GetString(*owner, field)
                     : reflection->GetRepeatedString(*owner, field, index);
  }
  bool is_text() const { return field->cpp_type() == FieldDescriptor::CPPTYPE_STRING; }
  bool is_flag() const { return field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL; }
  bool flag() const { return index < 0 && owner->GetReflection()->GetBool(*owner, field); }
  std::int64_t number() const {
    const auto* reflection = owner->GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      return index < 0 ? reflection->GetInt64(*owner, field)
                       : reflection->GetRepeatedInt64(*owner, field, index);
    }
    return index < 0 ? reflection->GetInt32(*owner, field)
                     : reflection->GetRepeatedInt32(*owner, field, index);
  }
};

// The messages in which names are looked up, the outermost first, and the element of a list.
struct Scope {
  std::vector<const Message*> messages;
  std::optional<Value> element{};
};

const FieldDescriptor* field_of(const Message& message, const std::string& name) {
  return message.GetDescriptor()->FindFieldByName(name);
}

// Calls `found` with each value of the field, in order.
template <class Found>
void each_of(const Message& message, const FieldDescriptor* field, const Found& found) {
  if (!field->is_repeated()) {
    const Value value{&message, field};
    if (!value.is_message() || message.GetReflection()->HasField(message, field)) found(value);
    return;
  }
  const int count = message.GetReflection()->FieldSize(message, field);
  for (int index = 0; index < count; ++index) found(Value{&message, field, index});
}

// Calls `found` with the scope of each value that the rest of a path leads to, which is its
// element.
template <class Found>
void walk(const Scope& scope, const InfoPath& path, std::size_t depth, const Found& found) {
  const FieldDescriptor* field = field_of(*scope.messages.back(), path[depth]);
  if (field == nullptr) return;
  each_of(*scope.messages.back(), field, [&](const Value& value) {
    Scope inner = scope;
    inner.element = value;
    if (value.is_message()) inner.messages.push_back(&value.message());
    if (depth + 1 == path.size()) {
      found(inner);
    } else if (value.is_message()) {
      walk(inner, path, depth + 1, found);
    }
  });
}

std::vector<Value> values_of(const Scope& scope, const InfoPath& path) {
  if (path.front() == ".")
    return scope.element ? std::vector{*scope.element} : std::vector<Value>();
  Scope start = scope;
  while (start.messages.size() > 1 && !field_of(*start.messages.back(), path.front())) {
    start.messages.pop_back();
  }
  std::vector<Value> values;
  walk(start, path, 0, [&](const Scope& inner) { values.push_back(*inner.element); });
  return values;
}

std::string error_name(std::int64_t code) {
  if (code == 0) return "";
  return std::string(name_of(error_from_wire(static_cast<std::int32_t>(code))));
}

std::string records_text(const std::vector<Value>& batches) {
  std::string text;
  std::size_t count = 0;
  for (const Value& value : batches) {
    for (const auto& record : static_cast<const wire::RecordBatch&>(value.message()).records()) {
      if (++count > kRecordsShown) continue;
      text += (count == 1 ? "" : ",") + (record.has_value() ? record.value() : "null");
    }
  }
  return count <= kRecordsShown ? text : text + fmt::format(",... {} in all", count);
}

using Topics = google::protobuf::RepeatedPtrField<wire::TopicPartitions>;

std::string partitions_text(const Topics& topics, const PartitionNames& names) {
  std::set<TopicPartition> partitions;
  for (const auto& topic : topics) {
    for (const std::int32_t index : topic.partitions()) {
      partitions.insert({topic.topic(), PartitionId(index)});
    }
  }
  return partitions.empty() ? "[]" : "[" + names.list(partitions) + "]";
}

std::string number_text(std::int64_t number, const std::string& format) {
  if (format == "error") return error_name(number);
  if (format == "suffix") return number == 0 ? "" : "(" + error_name(number) + ")";
  if (format == "natural" && number < 0) return "";
  if (format == "offset" && number < 0) return "none";
  if (format == "timestamp" && number == -1) return "latest";
  if (format == "timestamp" && number == -2) return "earliest";
  if (format == "isolation") return number == 1 ? "read_committed" : "";
  if (format == "keytype" && number == 0) return "group";
  if (format == "keytype" && number == 1) return "transaction";
  return std::to_string(number);
}

// Puts together what one message says.
class InfoLine {
 public:
  InfoLine(const wire::Frame& frame, const PartitionNames& names) : frame_(frame), names_(names) {}

  std::string of(const std::vector<InfoPhrase>& phrases, const Message& payload) const {
    const Scope scope{.messages = {&payload}};
    std::string line;
    for (const InfoPhrase& phrase : phrases) {
      const std::string text = phrase_text(phrase, scope);
      if (!text.empty()) line += (line.empty() ? "" : " ") + text;
    }
    return line;
  }

 private:
  std::string phrase_text(const InfoPhrase& phrase, const Scope& scope) const {
    std::string text;
    for (const InfoPart& part : phrase) {
      const std::string more = part.is_list ? list(part, scope) : piece_text(part.piece, scope);
      if (more.empty() && (part.is_list || empties(part.piece))) return "";
      text += more;
    }
    return text;
  }

  std::string list(const InfoPart& part, const Scope& scope) const {
    std::string items;
    walk(scope, part.path, 0, [&](const Scope& inner) {
      std::string item;
      for (const InfoPiece& piece : part.item) {
        const std::string more = piece_text(piece, inner);
        if (more.empty() && empties(piece)) return;
        item += more;
      }
      items += (items.empty() ? "" : " ") + item;
    });
    return items.empty() ? part.instead : "[" + items + "]";
  }

  static bool empties(const InfoPiece& piece) { return piece.is_hole && piece.format != "suffix"; }

  std::string piece_text(const InfoPiece& piece, const Scope& scope) const {
    if (!piece.is_hole) return piece.literal;
    if (piece.format == "errors") return errors();
    const std::vector<Value> values = values_of(scope, piece.paths.front());
    if (piece.format == "count") return std::to_string(values.size());
    if (piece.format == "records") return records_text(values);
    if (piece.format == "partition") {
      const std::vector<Value> index = values_of(scope, piece.paths.back());
      if (values.empty() || index.empty()) return "";
      const auto number = static_cast<std::int32_t>(index.front().number());
      return names_.short_name({values.front().text(), PartitionId(number)});
    }
    std::vector<std::string> texts;
    for (const Value& value : values) {
      const std::string text = text_of(value, piece.format);
      if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    return fmt::format("{}", fmt::join(texts, ","));
  }

  std::string text_of(const Value& value, const std::string& format) const {
    if (value.is_flag()) return value.flag() ? "true" : "";
    if (!value.is_text()) return number_text(value.number(), format);
    const std::string text = value.text();
    if (format == "joiner" && text.empty()) return "(new)";
    if (format == "member" || format == "joiner") return short_member(text);
    if (format == "owned" || format == "claimgen") return subscription(text, format);
    if (format == "assignment") return assignment(text);
    return text;
  }

  std::string subscription(const std::string& bytes, const std::string& format) const {
    wire::ConsumerProtocolSubscription said;
    if (bytes.empty()) return "";
    if (!said.ParseFromString(bytes)) return "?";
    if (format == "claimgen") return number_text(said.generation_id(), "natural");
    const std::string owned = partitions_text(said.owned_partitions(), names_);
    return owned == "[]" ? "" : owned;
  }

  std::string assignment(const std::string& bytes) const {
    wire::ConsumerProtocolAssignment said;
    if (bytes.empty()) return "";
    if (!said.ParseFromString(bytes)) return "?";
    return partitions_text(said.assigned_partitions(), names_);
  }

  std::string errors() const {
    std::string text;
    for (const ErrorCode code : errors_in(frame_)) {
      text += (text.empty() ? "" : ",") + std::string(name_of(code));
    }
    return text;
  }

  const wire::Frame& frame_;
  const PartitionNames& names_;
};

const std::vector<InfoPhrase>& phrases_of(std::string_view message) {
  static const std::map<std::string_view, std::vector<InfoPhrase>> kParsed = [] {
    std::map<std::string_view, std::vector<InfoPhrase>> parsed;
    for (const InfoRow& row : info_rows()) parsed[row.message] = parse_info(row.text);
    return parsed;
  }();
  static const std::vector<InfoPhrase> kNone;
  const auto found = kParsed.find(message);
  return found == kParsed.end() ? kNone : found->second;
}

}  // namespace

std::string short_member(std::string_view member_id) {
  constexpr std::size_t kUuid = 37;  // with the dash before it
  constexpr std::size_t kShown = 5;
  if (member_id.size() < kUuid) return std::string(member_id);
  const std::string_view uuid = member_id.substr(member_id.size() - kUuid);
  if (!without_uuids(uuid).empty()) return std::string(member_id);
  return std::string(member_id.substr(0, member_id.size() - kUuid + kShown));
}

std::string info_of(const wire::Frame& frame, const PartitionNames& names) {
  const FieldDescriptor* field =
      frame.GetDescriptor()->FindFieldByNumber(static_cast<int>(frame.payload_case()));
  if (field == nullptr) return "(no payload)";
  const Message& payload = frame.GetReflection()->GetMessage(frame, field);
  const std::string text =
      InfoLine(frame, names).of(phrases_of(field->message_type()->name()), payload);
  return cut_to(
      printable(fmt::format("{} {}{}{}", api_of(frame), is_response(frame) ? "Response" : "Request",
                            text.empty() ? "" : "  ", text)),
      kInfoBytesMax);
}

}  // namespace fencepost::lab
