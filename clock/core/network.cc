#include "clock/core/network.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

namespace fencepost::clock {
namespace {

constexpr TickSpan kLatency{1};
constexpr TickSpan kRefusalLatency{2};

bool names(const google::protobuf::RepeatedPtrField<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

bool concerns(const wire::Link& link, const wire::Frame& frame) {
  if (!names(link.from(), frame.header().source())) return false;
  if (!names(link.to(), frame.header().destination())) return false;
  if (link.has_response() && link.response() != is_response(frame)) return false;
  return link.api().empty() || names(link.api(), api_name(frame));
}

// A producer with acks=0 never hears about its batch.
bool expects_answer(const wire::Frame& request) {
  return !request.has_produce_request() || request.produce_request().acks() != 0;
}

std::optional<int> side_of(const wire::Action& partition, const std::string& name) {
  for (int i = 0; i < partition.sides_size(); ++i) {
    const auto& side = partition.sides(i).processes();
    if (std::find(side.begin(), side.end(), name) != side.end()) return i;
  }
  return std::nullopt;
}

bool separates(const wire::Action& partition, const wire::Frame& frame) {
  const std::optional<int> from = side_of(partition, frame.header().source());
  const std::optional<int> to = side_of(partition, frame.header().destination());
  return from && to && *from != *to;
}

}  // namespace

bool is_response(const wire::Frame& frame) {
  // Field numbers of payloads: 100 + 2 * api key, plus one for the response (proto/frame.proto).
  return frame.payload_case() % 2 == 1;
}

std::string api_name(const wire::Frame& frame) {
  if (frame.payload_case() == wire::Frame::PAYLOAD_NOT_SET) return {};
  const auto* field = wire::Frame::descriptor()->FindFieldByNumber(frame.payload_case());
  std::string name = field->message_type()->name();
  name.resize(name.size() - std::string_view(is_response(frame) ? "Response" : "Request").size());
  return name;
}

void Network::joined(const ParticipantId& who) { active_[who.name] = who.incarnation; }

std::vector<Parting> Network::died(const ParticipantId& who, Tick label) {
  active_.erase(who.name);
  std::vector<Parting> partings;
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto& [key, connection] = *it;
    const bool client_died = key.client == who.name && key.client_incarnation == who.incarnation;
    const bool server_died =
        key.server == who.name && connection.server_incarnation == who.incarnation;
    if (!client_died && !server_died) {
      ++it;
      continue;
    }
    Parting& parting = partings.emplace_back();
    wire::Disconnected news;
    news.set_peer(who.name);
    news.set_peer_incarnation(who.incarnation.value());
    parting.to = client_died ? key.server : key.client;
    parting.to_incarnation = client_died ? connection.server_incarnation : key.client_incarnation;
    if (server_died) {
      news.mutable_correlation_ids()->Add(connection.unanswered.begin(),
                                          connection.unanswered.end());
    }
    const Tick last = client_died ? connection.to_server.last : connection.to_client.last;
    parting.news.arrival = std::max(label + TickSpan(1), last);
    parting.news.disconnected = std::make_shared<const wire::Disconnected>(std::move(news));
    it = connections_.erase(it);
  }
  std::stable_sort(partings.begin(), partings.end(),
                   [](const Parting& a, const Parting& b) { return a.to < b.to; });
  return partings;
}

void Network::add_fault(const wire::Action& action, int rule) {
  Fault fault{
      .action = action,
      .rule = rule,
      .random = Random(seed_, "clock", Incarnation(0), "fault." + std::to_string(faults_added_++))};
  if (action.link().has_times()) fault.left = action.link().times();
  faults_.push_back(std::move(fault));
}

Network::Fault* Network::matching_fault(const wire::Frame& frame) {
  for (Fault& fault : faults_) {
    if (fault.action.kind() == wire::Action::PARTITION) {
      if (separates(fault.action, frame)) return &fault;
      continue;
    }
    const wire::Link& link = fault.action.link();
    if (fault.left == 0 || !concerns(link, frame)) continue;
    if (link.has_percent() &&
        fault.random.below(100) >= static_cast<std::uint64_t>(link.percent())) {
      continue;
    }
    if (fault.left > 0) --fault.left;
    return &fault;
  }
  return nullptr;
}

Fate Network::schedule(Direction& direction, const Fault* fault, Tick now) {
  Tick arrival = now + kLatency;
  const bool delayed = fault != nullptr && (fault->action.kind() == wire::Action::DELAY ||
                                            fault->action.kind() == wire::Action::REORDER);
  if (delayed) arrival = arrival + TickSpan(fault->action.ticks());
  if (fault == nullptr || fault->action.kind() != wire::Action::REORDER) {
    arrival = std::max(arrival, direction.last_in_order);
    direction.last_in_order = arrival;
  }
  direction.last = std::max(direction.last, arrival);
  return {wire::Packet::ARRIVES, arrival, delayed ? std::optional(fault->rule) : std::nullopt};
}

Fate Network::route_request(const wire::Frame& frame, const Fault* fault, Tick now) {
  const wire::Header& header = frame.header();
  const auto server = active_.find(header.destination());
  const ConnectionKey key{header.source(), Incarnation(header.source_incarnation()),
                          header.destination()};
  if (server == active_.end()) return {wire::Packet::REFUSED, Tick(0), {}};
  // A connection to an earlier incarnation was taken away when that one died, so what stands here
  // is bound to the one that is active now.
  Connection& connection =
      connections_.try_emplace(key, Connection{.server_incarnation = server->second}).first->second;
  if (expects_answer(frame)) connection.unanswered.insert(header.correlation_id());
  if (fault != nullptr && fault->action.kind() == wire::Action::DROP) {
    return {wire::Packet::DROPPED, Tick(0), fault->rule};
  }
  return schedule(connection.to_server, fault, now);
}

Fate Network::route_response(const wire::Frame& frame, const Fault* fault, Tick now) {
  const wire::Header& header = frame.header();
  const auto found = connections_.find(
      {header.destination(), Incarnation(header.destination_incarnation()), header.source()});
  if (found == connections_.end() ||
      found->second.server_incarnation.value() != header.source_incarnation()) {
    return {wire::Packet::CLOSED, Tick(0), {}};
  }
  if (fault != nullptr && fault->action.kind() == wire::Action::DROP) {
    return {wire::Packet::DROPPED, Tick(0), fault->rule};
  }
  found->second.unanswered.erase(header.correlation_id());
  return schedule(found->second.to_client, fault, now);
}

Fate Network::route(const wire::Frame& frame, Tick now) {
  const Fault* fault = faults_.empty() ? nullptr : matching_fault(frame);
  if (fault != nullptr && fault->action.kind() == wire::Action::PARTITION) {
    return {wire::Packet::PARTITIONED, Tick(0), fault->rule};
  }
  return is_response(frame) ? route_response(frame, fault, now) : route_request(frame, fault, now);
}

InFlight Network::refusal(const wire::Frame& frame, Tick now) {
  wire::Disconnected news;
  news.set_peer(frame.header().destination());
  news.set_peer_incarnation(0);
  news.add_correlation_ids(frame.header().correlation_id());
  return {.arrival = now + kRefusalLatency,
          .frame = nullptr,
          .disconnected = std::make_shared<const wire::Disconnected>(std::move(news))};
}

}  // namespace fencepost::clock
