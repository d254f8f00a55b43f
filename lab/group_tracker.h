// The part of a history that concerns groups: generations, rebalances, who owned what and when, and
// how long partitions had no reader. It watches what coordinators and members say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/history.h"

namespace fencepost::lab {

// Who says something, and when.
struct Speaker {
  Moment when;
  std::string process;
  Incarnation incarnation;
};

class GroupTracker {
 public:
  explicit GroupTracker(History& history) : history_(history) {}

  void on_event(const Speaker& speaker, const wire::Event& event);
  // A coordinator told a process its member id.
  void on_member_id(const std::string& process, const std::string& member);
  // A process asks to join under a group.instance.id.
  void on_static_join(const std::string& process, const std::string& instance) {
    instance_of_[process] = instance;
  }
  // A coordinator lets a process into a generation. Who had its group.instance.id is fenced.
  void on_joined(const Speaker& speaker, const std::string& group, const std::string& member,
                 Generation generation);
  // The leader's has the assignment by full member ids; its event has client ids, which members may
  // share.
  void on_sync(const Speaker& speaker, const wire::SyncGroupRequest& request);
  // A coordinator takes a process for a member: by a Heartbeat without an error, by a JoinGroup.
  void on_accepted(const std::string& process);
  void on_fetch(const Speaker& speaker, const wire::FetchRequest& request);
  // A process is no more; `last` is the last tick of its life.
  void on_death(const Speaker& speaker, Tick last);
  // The capture ends: pauses that nobody ended are part of the history too.
  void finish();

  // The process behind a member id, by the JoinGroup that the id was the answer to; the id itself
  // as long as none was seen. finish() names those that were answered later.
  std::string process_of(const std::string& member) const;

  // Who owns a partition now, in one group or several; nobody who was removed.
  std::vector<const Ownership*> owners_of(const TopicPartition& partition) const;

 private:
  struct OwnedKey {
    std::string process;
    TopicPartition partition;
    friend auto operator<=>(const OwnedKey&, const OwnedKey&) = default;
  };
  using PausedKey = std::pair<std::string, TopicPartition>;  // group, partition
  struct OpenPause {
    Pause pause;
    std::optional<std::size_t> rebalance;  // absent: the next to begin
    bool forsaken = false;                 // the group was Empty since: nobody owns the partition
  };

  void on_group_state(const Speaker& speaker, const wire::Event& event);
  void begin_rebalance(const Speaker& speaker, const std::string& group, std::string reason);
  void form_generation(const Speaker& speaker, const wire::Event& event);
  void on_stable(const Speaker& speaker, const std::string& group);
  void on_empty(const Speaker& speaker, const std::string& group);
  void settle(const Speaker& speaker, const std::string& group);
  void name_members();
  std::string with_processes(const std::string& text) const;
  bool has_hand_over_left(const Rebalance& rebalance, const GenerationFact& generation) const;
  void on_assignment_computed(const Speaker& speaker, const wire::Event& event);
  std::optional<Moment> removed_since(const Ownership& ownership) const;
  void evict(const std::string& member, const Moment& when, const std::string& why);
  void note_passed_over(const Ownership& now);
  void on_assigned(const Speaker& speaker, const wire::Event& event);
  void on_given_up(const Speaker& speaker, const wire::Event& event, Ownership::End end);
  void on_removed(const Speaker& speaker, const wire::Event& event);
  void close(Ownership& ownership, const Moment& when, Ownership::End end);
  void start_pause(const Ownership& ownership, Tick from, std::string why);
  void end_pause(const Ownership& ownership, Tick when);
  Owners current_owners(const std::string& group) const;

  History& history_;
  std::map<std::string, std::string> process_by_member_;
  std::map<std::string, std::string> instance_of_;  // group.instance.id, by process
  std::map<std::string, Moment> fenced_;            // member ids that another one has replaced
  std::map<std::pair<std::string, std::string>, std::string> holder_;  // by group and instance id
  std::map<std::string, Generation> last_joined_;                      // by member
  std::map<OwnedKey, std::size_t> owned_;                              // open ownerships
  std::map<TopicPartition, std::set<std::size_t>> owned_by_place_;     // the same
  std::map<PausedKey, OpenPause> paused_;
  std::map<std::string, std::size_t> open_rebalance_;      // by group
  std::map<std::string, std::size_t> current_generation_;  // by group
  // What the last generation that became Stable gave to whom, read or not; none of an Empty group.
  std::map<std::string, Owners> assigned_;
};

}  // namespace fencepost::lab
