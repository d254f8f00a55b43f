#include "lab/pcapng/streams.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace fencepost::lab {
namespace {

// Initial sequence numbers: any will do, the same each time.
constexpr std::uint32_t kClientIsn = 1'000'000;
constexpr std::uint32_t kServerIsn = 2'000'000;

}  // namespace

std::uint16_t TcpStreams::take_port(const Life& client) {
  std::uint16_t& next = next_ports_.try_emplace(client.name, kFirstClientPort).first->second;
  const std::uint16_t port = next;
  next = next == UINT16_MAX ? kFirstClientPort : static_cast<std::uint16_t>(next + 1);
  return port;
}

TcpStreams::Connection TcpStreams::connection(const Endpoint& client, const Endpoint& server) {
  Connection made;
  made.client.at = client;
  made.client.next = kClientIsn;
  made.server.at = server;
  made.server.next = kServerIsn;
  return made;
}

// Acknowledges what has arrived by now, in order; SYN and FIN count as a byte.
void TcpStreams::emit(Tick now, Side& from, Side& to, std::uint8_t flags, std::string_view payload,
                      std::string_view comment) {
  while (!to.on_its_way.empty() && to.on_its_way.front().arrival <= now) {
    to.acknowledged = to.on_its_way.front().end;
    to.on_its_way.pop_front();
  }
  emit_(now,
        {.from = from.at,
         .to = to.at,
         .sequence = from.next,
         .acknowledgment = (flags & kAck) != 0 ? to.acknowledged : 0,
         .flags = flags,
         .payload = payload},
        comment);
  from.next += static_cast<std::uint32_t>(payload.size());
  if ((flags & (kSyn | kFin)) == 0) return;
  ++from.next;
  from.on_its_way.push_back({.end = from.next, .arrival = on_arrival(from, now)});
}

// TCP keeps the order: what is sent behind a delayed message is acknowledged with it.
Tick TcpStreams::on_arrival(const Side& from, Tick arrival) {
  return from.on_its_way.empty() ? arrival : std::max(arrival, from.on_its_way.back().arrival);
}

bool TcpStreams::is_open(const Life& client, const Life& server) const {
  const auto found = connections_.find({client, server});
  return found != connections_.end() && !found->second.server.closed &&
         !found->second.client.closed;
}

void TcpStreams::open(Tick now, const Life& client, const Life& server,
                      std::string_view introduction) {
  Connection& made = connections_[{client, server}];
  made = connection({address_of_(client.name), take_port(client)},
                    {address_of_(server.name), kBrokerPort});
  emit(now, made.client, made.server, kSyn);
  emit(now, made.server, made.client, kSyn | kAck);
  emit(now, made.client, made.server, kAck);
  emit(now, made.client, made.server, kPsh | kAck, introduction);
  made.client.on_its_way.push_back({.end = made.client.next, .arrival = now + TickSpan(1)});
}

bool TcpStreams::send(Tick now, const Message& message) {
  const Key key =
      message.from_client ? Key{message.from, message.to} : Key{message.to, message.from};
  const auto found = connections_.find(key);
  if (found == connections_.end()) return false;
  auto& [client, server] = found->second;
  Side& from = message.from_client ? client : server;
  Side& to = message.from_client ? server : client;
  if (from.closed) return false;
  std::string_view rest = message.bytes;
  do {
    const std::string_view part = rest.substr(0, kSegmentBytesMax);
    rest.remove_prefix(part.size());
    emit(now, from, to, rest.empty() ? kPsh | kAck : kAck, part,
         rest.empty() ? message.comment : "");
  } while (!rest.empty());
  from.on_its_way.push_back({.end = from.next, .arrival = on_arrival(from, message.arrival)});
  if (message.may_be_read) from.unread.insert(message.sequence);
  if (to.closed) {
    reset(now, to, from);
    connections_.erase(found);
  }
  return true;
}

void TcpStreams::received(const Life& by, const Life& from, std::uint64_t sequence) {
  if (const auto found = connections_.find({from, by}); found != connections_.end()) {
    found->second.client.unread.erase(sequence);
  } else if (const auto answered = connections_.find({by, from}); answered != connections_.end()) {
    answered->second.server.unread.erase(sequence);
  }
}

// FIN, and its acknowledgment by the other kernel.
void TcpStreams::finish(Tick now, Side& from, Side& to) {
  for (Side::Sent& sent : to.on_its_way) sent.arrival = std::min(sent.arrival, now);
  emit(now, from, to, kFin | kAck);
  from.closed = true;
  for (Side::Sent& sent : from.on_its_way) sent.arrival = std::min(sent.arrival, now);
  emit(now, to, from, kAck);
}

void TcpStreams::reset(Tick now, Side& from, Side& to) {
  for (Side::Sent& sent : to.on_its_way) sent.arrival = std::min(sent.arrival, now);
  emit(now, from, to, kRst | kAck);
}

void TcpStreams::died(Tick now, const Life& who) {
  for (auto it = connections_.begin(); it != connections_.end();) {
    auto& [key, connection] = *it;
    const bool is_client = key.first == who;
    if (!is_client && key.second != who) {
      ++it;
      continue;
    }
    Side& own = is_client ? connection.client : connection.server;
    Side& other = is_client ? connection.server : connection.client;
    bool over = true;
    if (!other.unread.empty()) {
      reset(now, own, other);
    } else {
      finish(now, own, other);
      over = other.closed;
    }
    it = over ? connections_.erase(it) : std::next(it);
  }
}

void TcpStreams::parted(Tick now, const Life& who, const Life& peer) {
  for (const Key& key : {Key{who, peer}, Key{peer, who}}) {
    const auto found = connections_.find(key);
    if (found == connections_.end()) continue;
    auto& [client, server] = found->second;
    Side& own = key.first == who ? client : server;
    Side& other = key.first == who ? server : client;
    if (!other.closed) continue;
    finish(now, own, other);
    connections_.erase(found);
  }
}

void TcpStreams::close_all(Tick now) {
  for (auto& [key, connection] : connections_) {
    if (!connection.client.closed) finish(now, connection.client, connection.server);
    if (!connection.server.closed) finish(now, connection.server, connection.client);
  }
  connections_.clear();
}

std::uint16_t TcpStreams::attempt(Tick now, const Life& client, const std::string& server,
                                  bool refused) {
  Connection attempted =
      connection({address_of_(client.name), take_port(client)}, {address_of_(server), kBrokerPort});
  emit(now, attempted.client, attempted.server, kSyn);
  if (refused) {
    attempted.server.next = 0;  // as a kernel answers for a port where nobody listens
    emit(now, attempted.server, attempted.client, kRst | kAck);
  }
  return attempted.client.at.port;
}

}  // namespace fencepost::lab
