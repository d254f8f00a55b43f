// What consumer, producer and probe have in common: a node whose program is a coroutine that awaits
// answers and ticks. ClientNode is the node, Program the program, Client what a program may use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/node.h"
#include "common/outbox.h"
#include "common/result.h"
#include "common/virtual_time.h"

namespace fencepost {

// What a client's program reports to its user when it cannot go on, or as the outcome of one call:
// the Java client's exception, as a value.
struct ClientError {
  ErrorCode code = ErrorCode::kNone;  // kNone: found locally, without an answer
  std::string_view exception;         // a literal: "CommitFailedException"
};

// The exception that the Java client makes of an error code.
inline ClientError client_error(ErrorCode code) { return {code, info(code).exception}; }

[[noreturn]] inline void throw_exception_from_error(const ClientError& error,
                                                    const boost::source_location&) {
  throw std::runtime_error(std::string(error.exception));
}

template <class T>
using ClientResult = boost::system::result<T, ClientError>;

// An answer as it came, shared with the host: no copy.
using Answer = std::shared_ptr<const wire::Frame>;

// The services of a client's node: time, requests, events.
class Client {
 public:
  Client(const NodeContext& context, Outbox& outbox, VirtualTime& time);

  const std::string& name() const { return context_.name; }
  const NodeContext& context() const { return context_; }
  const Properties& properties() const { return context_.properties; }
  VirtualTime& time() { return time_; }
  Tick now() const { return time_.now(); }
  // A time property in ticks, rounded up.
  TickSpan ticks(std::string_view property) const;
  std::int64_t timestamp_ms() const { return now().value() * context_.tick_ms.value(); }

  // Kafka's client.id, which every request carries; the process's name unless the property is set.
  const std::string& client_id() const { return client_id_; }

  // Sends a request to a process and waits for its answer. kNetworkException: the peer is absent or
  // has gone; kRequestTimedOut: no answer in time, and one that comes later is ignored. Deviation:
  // Kafka closes the connection when a request times out, which fails its other requests too; here
  // only the one is given up. `client_id` outlives the call's first suspension; none: the client's.
  Task<Result<Answer>> call(std::string destination, wire::Frame request, TickSpan timeout,
                            const std::string* client_id = nullptr);
  // Sends a request that nobody answers (acks=0), or whose answer nobody wants.
  void send(const std::string& destination, wire::Frame request,
            const std::string* client_id = nullptr);

  void report(wire::Event event) { outbox_.report(std::move(event)); }
  void report_error(const ClientError& error, std::string_view where);

  // -- for ClientNode --
  void complete(const Answer& response);
  void fail(const wire::Disconnected& disconnected);

 private:
  struct Call {
    WaitId wait;
    Result<Answer> outcome = ErrorCode::kRequestTimedOut;
  };

  const NodeContext& context_;
  Outbox& outbox_;
  VirtualTime& time_;
  std::string client_id_;
  std::map<std::int32_t, Call> calls_;  // by correlation id
};

class Program {
 public:
  virtual ~Program() = default;
  // The whole life of the program; its result is the node's exit code.
  virtual Task<int> main() = 0;
  // A person, a signal or the scenario tells it something. Must not wait: it notes and notifies.
  virtual void control(const wire::Control& control) = 0;
};

class ClientNode final : public Node {
 public:
  using MakeProgram = std::unique_ptr<Program> (*)(Client& client);

  ClientNode(NodeContext context, MakeProgram make_program);
  ~ClientNode() override;

  StepResult step(Tick now, std::span<const Delivery> inbox) override;

 private:
  void start();
  void deliver(const Delivery& delivery);
  void deliver_control(const wire::Control& control);
  void deliver_frame(const Answer& frame);
  void deliver_disconnected(const wire::Disconnected& disconnected);
  void fire_what_is_due_by_now();
  Task<void> run_program();

  NodeContext context_;
  Outbox outbox_;
  VirtualTime time_;
  Client client_;
  std::unique_ptr<Program> program_;
  bool started_ = false;
  std::optional<int> exit_code_;
};

}  // namespace fencepost
