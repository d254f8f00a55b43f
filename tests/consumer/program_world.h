// A Kafka program written for one test, with the scripted broker around it: a coroutine that uses
// the consumer as its user does, and notes what came back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/client_node.h"
#include "consumer/core/consumer.h"
#include "tests/consumer/consumer_world.h"

namespace fencepost::consumer {

class TestProgram;
using Body = Task<void> (*)(TestProgram& program);

// The callbacks note what they are called with; each can be told to commit, to seek or to throw.
class TestProgram final : public Program, public RebalanceListener {
 public:
  TestProgram(Client& owner, Body body)
      : client(owner), consumer(owner, consumer_config(owner)), body_(body) {}

  Task<int> main() override {
    TestProgram& self = *this;
    co_await body_(self);
    co_return 0;
  }
  void control(const wire::Control&) override { consumer.wakeup(); }

  void note(std::string what) { notes.push_back(std::move(what)); }
  template <class T>
  void note_error(const ClientResult<T>& result) {
    note(result ? "ok" : std::string(result.error().exception));
  }
  // Polls so many times, one tick each, and notes records and errors.
  Task<void> poll(int times) {
    for (int i = 0; i < times; ++i) {
      const ClientResult<Records> polled = co_await consumer.poll(TickSpan(1));
      if (!polled) note_error(polled);
      if (!polled) continue;
      for (const ConsumerRecord& record : *polled) note(record.value);
    }
  }

  Task<ClientResult<void>> on_partitions_revoked(TopicPartitions partitions) override {
    note("revoked " + to_text(partitions));
    if (commits_on_revoke) {
      const ClientResult<void> committed = co_await consumer.commit_sync();
      note_error(committed);
    }
    co_return throws_on_revoke ? kThrown : ClientResult<void>();
  }
  Task<ClientResult<void>> on_partitions_assigned(TopicPartitions partitions) override {
    note("assigned " + to_text(partitions));
    for (const auto& [where, offset] : seeks) consumer.seek(where, offset);
    const bool throws = throws_on_assigned > 0;
    throws_on_assigned -= throws ? 1 : 0;
    co_return throws ? kThrown : ClientResult<void>();
  }
  Task<ClientResult<void>> on_partitions_lost(TopicPartitions partitions) override {
    note("lost " + to_text(partitions));
    co_return ClientResult<void>();
  }

  Client& client;
  Consumer consumer;
  std::vector<std::string>& notes = last_notes();
  bool commits_on_revoke = false;
  bool throws_on_revoke = false;
  int throws_on_assigned = 0;
  Offsets seeks;

  // Of the program that was made last; they outlive it.
  static std::vector<std::string>& last_notes() {
    static std::vector<std::string> notes;
    return notes;
  }

 private:
  inline static const ClientResult<void> kThrown = ClientError{ErrorCode::kNone, "MyException"};

  Body body_;
};

class ProgramWorld : public ClientWorld {
 public:
  explicit ProgramWorld(Body body, const Settings& extra = {})
      : ClientWorld(factory_of(body), Role::kConsumer, demo_settings(extra)) {}

  const std::vector<std::string>& notes() const { return TestProgram::last_notes(); }

 private:
  static NodeFactory factory_of(Body body) {
    TestProgram::last_notes().clear();
    current() = body;
    return [](NodeContext context) -> std::unique_ptr<Node> {
      return std::make_unique<ClientNode>(std::move(context),
                                          [](Client& client) -> std::unique_ptr<Program> {
                                            return std::make_unique<TestProgram>(client, current());
                                          });
    };
  }
  static Body& current() {
    static Body body = nullptr;
    return body;
  }
};

}  // namespace fencepost::consumer
