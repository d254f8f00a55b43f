#include "common/outbox.h"

namespace fencepost {

RequestId request_id_of(const wire::Frame& request) {
  const wire::Header& header = request.header();
  return {header.source(), Incarnation(header.source_incarnation()), header.correlation_id()};
}

Outbox::Outbox(std::string name, Incarnation incarnation)
    : name_(std::move(name)), incarnation_(incarnation) {}

wire::Header* Outbox::stamp(wire::Emission& emission, wire::Frame frame) {
  *emission.mutable_cause() = cause_;
  *emission.mutable_frame() = std::move(frame);
  wire::Header* header = emission.mutable_frame()->mutable_header();
  header->set_source(name_);
  header->set_source_incarnation(incarnation_.value());
  header->set_sequence(next_sequence_++);
  return header;
}

std::int32_t Outbox::request(const std::string& destination, const std::string& client_id,
                             wire::Frame frame) {
  const std::int32_t correlation_id = next_correlation_id_++;
  wire::Header* header = stamp(emissions_.emplace_back(), std::move(frame));
  header->set_destination(destination);
  header->set_correlation_id(correlation_id);
  header->set_client_id(client_id);
  return correlation_id;
}

void Outbox::respond(const RequestId& to, wire::Frame frame) {
  wire::Header* header = stamp(emissions_.emplace_back(), std::move(frame));
  header->set_destination(to.source);
  header->set_destination_incarnation(to.incarnation.value());
  header->set_correlation_id(to.correlation_id);
}

void Outbox::report(wire::Event event) {
  wire::Emission& emission = emissions_.emplace_back();
  *emission.mutable_cause() = cause_;
  *emission.mutable_event() = std::move(event);
}

std::vector<wire::Emission> Outbox::take() { return std::exchange(emissions_, {}); }

}  // namespace fencepost
