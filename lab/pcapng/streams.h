// The TCP connections of a run, made up for a capture file: who would have sent which segment, had
// the run's messages gone over one network. A connection binds a life of a client to a life of a
// server (docs/clock.md, Connections). docs/wireshark/README.md says what is invented and how.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/ids.h"
#include "lab/pcapng/segments.h"

namespace fencepost::lab {

// One life of a process.
struct Life {
  std::string name;
  std::uint32_t incarnation = 0;
  friend auto operator<=>(const Life&, const Life&) = default;
};

inline constexpr std::uint16_t kBrokerPort = 19092;
inline constexpr std::uint16_t kFirstClientPort = 40001;

class TcpStreams {
 public:
  // Takes each segment in the order of the file; the comment belongs to the message that ends in
  // it, and is empty for all others.
  using Emit = std::function<void(Tick now, const Segment&, std::string_view comment)>;
  using AddressOf = std::function<Ipv4(const std::string& name)>;

  TcpStreams(Emit emit, AddressOf address_of)
      : emit_(std::move(emit)), address_of_(std::move(address_of)) {}

  struct Message {
    Life from;
    Life to;
    bool from_client = false;
    std::uint64_t sequence = 0;
    Tick arrival;              // when its receiver's kernel has it
    bool may_be_read = true;   // false: it is lost on its way
    std::string_view bytes{};  // with its length in front
    std::string_view comment{};
  };

  bool is_open(const Life& client, const Life& server) const;
  // Handshake, and `introduction` as the first bytes of the client.
  void open(Tick now, const Life& client, const Life& server, std::string_view introduction);
  // On an open connection; or to a client that is gone, whose kernel answers with RST. False if
  // there is no connection at all; then nothing is written.
  bool send(Tick now, const Message& message);
  // The receiver's process has read it.
  void received(const Life& by, const Life& from, std::uint64_t sequence);
  // A process is gone, and its kernel closes what it had open: with RST if bytes came that it will
  // never read (RFC 2525, section 2.17), else with FIN.
  void died(Tick now, const Life& who);
  // Somebody hears that the other end has closed, and closes his.
  void parted(Tick now, const Life& who, const Life& peer);
  // The run is over: everybody closes.
  void close_all(Tick now);

  // A connection that does not come about: SYN, and RST if `refused`. The port that it came from.
  std::uint16_t attempt(Tick now, const Life& client, const std::string& server, bool refused);

 private:
  // What one end has sent.
  struct Side {
    struct Sent {
      std::uint32_t end = 0;  // the sequence number behind it
      Tick arrival;
    };
    Endpoint at{};
    std::uint32_t next = 0;            // sequence number
    std::uint32_t acknowledged = 0;    // by the other end
    std::deque<Sent> on_its_way{};     // not acknowledged yet
    std::set<std::uint64_t> unread{};  // messages that the other end has not read
    bool closed = false;               // it has sent FIN
  };
  struct Connection {
    Side client;
    Side server;
  };
  using Key = std::pair<Life, Life>;  // client, server
  using Connections = std::map<Key, Connection>;

  std::uint16_t take_port(const Life& client);
  static Connection connection(const Endpoint& client, const Endpoint& server);
  void emit(Tick now, Side& from, Side& to, std::uint8_t flags, std::string_view payload = {},
            std::string_view comment = {});
  void finish(Tick now, Side& from, Side& to);
  void reset(Tick now, Side& from, Side& to);
  static Tick on_arrival(const Side& from, Tick arrival);

  Emit emit_;
  AddressOf address_of_;
  Connections connections_;
  std::map<std::string, std::uint16_t> next_ports_;
};

}  // namespace fencepost::lab
