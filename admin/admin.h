// Kafka's Admin client with one command to do: it asks whom it has to ask, over the network and in
// virtual time, and ends: with 0, or with 1 and a client.error. All that it learns is in the frames
// that are addressed to it (admin/facts.h), so that is where its user finds it.
#pragma once

#include "admin/admin_config.h"
#include "admin/calls.h"
#include "admin/facts.h"
#include "common/client_node.h"

namespace fencepost::admin {

class Admin final : public Program {
 public:
  // Throws ConfigError.
  explicit Admin(Client& client);

  Task<int> main() override;
  // CLOSE ends it at once.
  void control(const wire::Control& control) override;

 private:
  Task<void> work();
  Task<bool> run();
  Task<bool> list_groups();
  Task<bool> find_groups();
  Task<bool> describe();
  Task<bool> look_up_offsets();
  Task<bool> delete_groups();
  Task<bool> delete_offsets();
  Task<bool> reset();
  Task<bool> commit(std::string group);
  Task<bool> remove_members();
  Task<bool> change_topics();

  Task<bool> ask(std::vector<Question> questions, std::string_view where);
  bool fail(ErrorCode error, std::string_view where);
  bool nothing_refused(std::string_view where);
  std::vector<std::string> brokers() const;
  std::vector<std::string> broker(std::optional<NodeId> node) const;
  std::map<NodeId, std::vector<std::string>> groups_by_coordinator() const;
  std::vector<Question> offset_questions() const;
  std::vector<Question> list_offsets(const std::set<TopicPartition>& partitions,
                                     std::int64_t timestamp) const;
  std::int64_t wanted_time() const;

  Client& client_;
  AdminCommand command_;
  Facts facts_;
  Calls calls_;
  std::vector<std::string> groups_;  // that the command is about
  Signal changed_;
  std::optional<int> outcome_;
  bool closing_ = false;
};

}  // namespace fencepost::admin
