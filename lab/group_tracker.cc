#include "lab/group_tracker.h"

#include <algorithm>

#include "common/events.h"

namespace fencepost::lab {
namespace {

std::string text(const wire::Event& event, std::string_view key) {
  return std::string(events::value_of(event, key));
}

Generation generation_of(const wire::Event& event) {
  const auto number = parse_integer(events::value_of(event, "generation"));
  return number ? Generation(static_cast<std::int32_t>(*number)) : kNoGeneration;
}

std::set<TopicPartition> partitions_in(std::string_view list) {
  std::set<TopicPartition> partitions;
  for (const std::string_view item : split(list, ',')) {
    if (const auto partition = parse_full_name(item)) partitions.insert(*partition);
  }
  return partitions;
}

}  // namespace

void GroupTracker::on_event(const Speaker& speaker, const wire::Event& event) {
  const std::string& name = event.name();
  if (name == events::kGroupState) on_group_state(speaker, event);
  if (name == events::kAssignmentComputed) on_assignment_computed(speaker, event);
  if (name == events::kPartitionsAssigned) on_assigned(speaker, event);
  if (name == events::kPartitionsRevoked) on_given_up(speaker, event, Ownership::End::kRevoked);
  if (name == events::kPartitionsLost) on_given_up(speaker, event, Ownership::End::kLost);
  if (name == events::kMemberRemoved) on_removed(speaker, event);
}

void GroupTracker::on_member_id(const std::string& process, const std::string& member) {
  process_by_member_[member] = process;
}

std::string GroupTracker::process_of(const std::string& member) const {
  const auto found = process_by_member_.find(member);
  return found == process_by_member_.end() ? member : found->second;
}

// A generation forms before its members hear their ids, so facts may still hold ids.
void GroupTracker::name_members() {
  for (GenerationFact& generation : history_.generations) {
    for (std::string& member : generation.members) member = process_of(member);
    std::sort(generation.members.begin(), generation.members.end());
    std::map<std::string, std::set<TopicPartition>> assignment;
    for (auto& [member, partitions] : generation.assignment) {
      assignment[process_of(member)].merge(partitions);
    }
    generation.assignment = std::move(assignment);
  }
  for (Rebalance& rebalance : history_.rebalances) {
    for (auto& [partition, member] : rebalance.before) member = process_of(member);
    for (auto& [partition, member] : rebalance.after) member = process_of(member);
    for (std::string& reason : rebalance.reasons) reason = with_processes(reason);
  }
  for (RemovedMember& removed : history_.removed) {
    removed.process = process_of(removed.member);
    removed.reason = with_processes(removed.reason);
  }
}

// A text of the coordinator with its member ids replaced.
std::string GroupTracker::with_processes(const std::string& text) const {
  std::string out;
  std::string word;
  const auto end_word = [&] {
    out += process_of(word);
    word.clear();
  };
  for (const char c : text) {
    if (c != ' ' && c != ',' && c != ':' && c != ';') {
      word += c;
      continue;
    }
    end_word();
    out += c;
  }
  end_word();
  return out;
}

// ---- generations and rebalances ----

void GroupTracker::on_group_state(const Speaker& speaker, const wire::Event& event) {
  const std::string group = text(event, "group");
  const std::string_view to = events::value_of(event, "to");
  if (to == "PreparingRebalance") begin_rebalance(speaker, group, text(event, "reason"));
  if (to == "CompletingRebalance") form_generation(speaker, event);
  if (to == "Stable") on_stable(speaker, group);
  if (to == "Empty" || to == "Dead") on_empty(speaker, group);
  if (to == "Dead") history_.deleted.push_back({speaker.when, group});
}

void GroupTracker::begin_rebalance(const Speaker& speaker, const std::string& group,
                                   std::string reason) {
  const auto open = open_rebalance_.find(group);
  if (open != open_rebalance_.end()) {
    history_.rebalances[open->second].reasons.push_back(std::move(reason));
    return;
  }
  Rebalance rebalance;
  rebalance.group = group;
  rebalance.begun = speaker.when;
  rebalance.reasons.push_back(std::move(reason));
  if (const auto assigned = assigned_.find(group); assigned != assigned_.end()) {
    rebalance.before = assigned->second;
  }
  rebalance.before.merge(current_owners(group));
  const std::size_t index = history_.rebalances.size();
  for (auto& [key, open_pause] : paused_) {
    if (key.first != group) continue;
    if (!open_pause.forsaken) {
      rebalance.before.emplace(key.second, open_pause.pause.owner_before);
    }
    if (!open_pause.rebalance) open_pause.rebalance = index;
  }
  history_.rebalances.push_back(std::move(rebalance));
  open_rebalance_[group] = index;
}

void GroupTracker::form_generation(const Speaker& speaker, const wire::Event& event) {
  GenerationFact generation;
  generation.group = text(event, "group");
  generation.generation = generation_of(event);
  generation.formed = speaker.when;
  for (const std::string_view member : split(events::value_of(event, "members"), ',')) {
    generation.members.push_back(process_of(std::string(member)));
  }
  std::sort(generation.members.begin(), generation.members.end());
  const std::size_t index = history_.generations.size();
  current_generation_[generation.group] = index;
  const auto open = open_rebalance_.find(generation.group);
  if (open != open_rebalance_.end()) {
    history_.rebalances[open->second].generations.push_back(index);
  }
  history_.generations.push_back(std::move(generation));
}

void GroupTracker::on_assignment_computed(const Speaker& speaker, const wire::Event& event) {
  const auto current = current_generation_.find(text(event, "group"));
  if (current == current_generation_.end()) return;
  GenerationFact& generation = history_.generations[current->second];
  if (generation.generation != generation_of(event)) return;
  generation.assignor = text(event, "assignor");
  generation.leader = speaker.process;
  for (const std::string_view item : split(events::value_of(event, "assignment"), ';')) {
    const std::size_t equals = item.find('=');
    const std::string process = process_of(std::string(item.substr(0, equals)));
    auto& partitions = generation.assignment[process];
    if (equals != std::string_view::npos) partitions = partitions_in(item.substr(equals + 1));
  }
}

void GroupTracker::on_sync(const Speaker& speaker, const wire::SyncGroupRequest& request) {
  const auto current = current_generation_.find(request.group_id());
  if (current == current_generation_.end() || request.assignments().empty()) return;
  GenerationFact& generation = history_.generations[current->second];
  const bool its = generation.generation == Generation(request.generation_id()) &&
                   generation.leader == speaker.process && !generation.stable;
  if (!its) return;
  std::map<std::string, std::set<TopicPartition>> assignment;
  for (const auto& share : request.assignments()) {
    wire::ConsumerProtocolAssignment parsed;
    if (!parsed.ParseFromString(share.assignment())) return;
    auto& partitions = assignment[process_of(share.member_id())];
    for (const auto& topic : parsed.assigned_partitions()) {
      for (const std::int32_t partition : topic.partitions()) {
        partitions.insert({topic.topic(), PartitionId(partition)});
      }
    }
  }
  generation.assignment = std::move(assignment);
}

void GroupTracker::on_stable(const Speaker& speaker, const std::string& group) {
  const auto current = current_generation_.find(group);
  const auto open = open_rebalance_.find(group);
  if (current == current_generation_.end()) return;
  GenerationFact& generation = history_.generations[current->second];
  generation.stable = speaker.when;
  Owners& assigned = assigned_[group] = {};
  for (const auto& [process, partitions] : generation.assignment) {
    for (const TopicPartition& partition : partitions) assigned[partition] = process;
  }
  if (open == open_rebalance_.end()) return;
  Rebalance& rebalance = history_.rebalances[open->second];
  if (has_hand_over_left(rebalance, generation)) return;
  rebalance.after = assigned;
  settle(speaker, group);
}

// A cooperative member gives up first, in one generation; the next one hands it over.
bool GroupTracker::has_hand_over_left(const Rebalance& rebalance,
                                      const GenerationFact& generation) const {
  if (generation.assignor.find("cooperative") == std::string::npos) return false;
  std::set<TopicPartition> assigned;
  for (const auto& [process, partitions] : generation.assignment) {
    assigned.insert(partitions.begin(), partitions.end());
  }
  return std::any_of(rebalance.before.begin(), rebalance.before.end(),
                     [&](const auto& owner) { return !assigned.contains(owner.first); });
}

// What had an owner has none from now on; that it is paused goes on.
void GroupTracker::on_empty(const Speaker& speaker, const std::string& group) {
  for (auto& [key, open_pause] : paused_) {
    if (key.first == group) open_pause.forsaken = true;
  }
  assigned_.erase(group);
  settle(speaker, group);
}

void GroupTracker::settle(const Speaker& speaker, const std::string& group) {
  const auto open = open_rebalance_.find(group);
  if (open == open_rebalance_.end()) return;
  history_.rebalances[open->second].settled = speaker.when;
  open_rebalance_.erase(open);
}

// ---- ownership ----

Owners GroupTracker::current_owners(const std::string& group) const {
  Owners owners;
  for (const auto& [key, index] : owned_) {
    const Ownership& ownership = history_.ownerships[index];
    if (ownership.group == group && !ownership.evicted) owners[key.partition] = key.process;
  }
  return owners;
}

// A zombie may be told its assignment when the coordinator has removed it long ago.
std::optional<Moment> GroupTracker::removed_since(const Ownership& ownership) const {
  if (const auto fenced = fenced_.find(ownership.member); fenced != fenced_.end()) {
    return fenced->second;
  }
  std::optional<Moment> formed;
  for (const GenerationFact& fact : history_.generations) {
    const bool is_its_own =
        fact.group == ownership.group && fact.generation == ownership.generation;
    if (is_its_own) formed = fact.formed;
  }
  for (const RemovedMember& removed : history_.removed) {
    const bool is_meant = removed.member == ownership.member && removed.group == ownership.group;
    if (is_meant && formed && removed.when > *formed) return removed.when;
  }
  return std::nullopt;
}

void GroupTracker::on_assigned(const Speaker& speaker, const wire::Event& event) {
  for (const TopicPartition& partition : partitions_in(events::value_of(event, "partitions"))) {
    Ownership ownership;
    ownership.group = text(event, "group");
    ownership.partition = partition;
    ownership.process = speaker.process;
    ownership.incarnation = speaker.incarnation;
    ownership.member = text(event, "member");
    ownership.generation = generation_of(event);
    ownership.evicted = removed_since(ownership);
    ownership.from = speaker.when;
    note_passed_over(ownership);
    const auto [open, is_new] =
        owned_.try_emplace({speaker.process, partition}, history_.ownerships.size());
    if (!is_new)
      owned_by_place_[partition].erase(std::exchange(open->second, history_.ownerships.size()));
    owned_by_place_[partition].insert(history_.ownerships.size());
    history_.ownerships.push_back(std::move(ownership));
  }
}

// Who still holds what another one is given now, and was not there when that was decided.
void GroupTracker::note_passed_over(const Ownership& now) {
  const auto others = owned_by_place_.find(now.partition);
  if (others == owned_by_place_.end()) return;
  for (const std::size_t index : others->second) {
    Ownership& other = history_.ownerships[index];
    const auto joined = last_joined_.find(other.member);
    const bool absent = other.group == now.group && instance_of_.contains(other.process) &&
                        joined != last_joined_.end() && joined->second < now.generation;
    if (absent && !other.passed_over) other.passed_over = now.from;
  }
}

std::vector<const Ownership*> GroupTracker::owners_of(const TopicPartition& partition) const {
  std::vector<const Ownership*> owners;
  const auto found = owned_by_place_.find(partition);
  if (found == owned_by_place_.end()) return owners;
  for (const std::size_t index : found->second) {
    if (!history_.ownerships[index].evicted) owners.push_back(&history_.ownerships[index]);
  }
  return owners;
}

void GroupTracker::on_given_up(const Speaker& speaker, const wire::Event& event,
                               Ownership::End end) {
  for (const TopicPartition& partition : partitions_in(events::value_of(event, "partitions"))) {
    const auto found = owned_.find({speaker.process, partition});
    if (found == owned_.end()) continue;
    Ownership& ownership = history_.ownerships[found->second];
    if (!ownership.evicted) {
      start_pause(ownership, speaker.when.tick,
                  end == Ownership::End::kRevoked ? "revoked" : "lost");
    }
    close(ownership, speaker.when, end);
  }
}

void GroupTracker::on_removed(const Speaker& speaker, const wire::Event& event) {
  RemovedMember removed;
  removed.when = speaker.when;
  removed.group = text(event, "group");
  removed.member = text(event, "member");
  removed.process = process_of(removed.member);
  removed.reason = text(event, "reason");
  evict(removed.member, speaker.when, "removed");
  history_.removed.push_back(std::move(removed));
}

// The coordinator knows this member no more, and the member may not know it yet.
void GroupTracker::evict(const std::string& member, const Moment& when, const std::string& why) {
  for (const auto& [key, index] : owned_) {
    Ownership& ownership = history_.ownerships[index];
    if (ownership.member != member || ownership.evicted) continue;
    ownership.evicted = when;
    start_pause(ownership, when.tick, why);
  }
}

void GroupTracker::on_joined(const Speaker& speaker, const std::string& group,
                             const std::string& member, Generation generation) {
  on_accepted(speaker.process);
  last_joined_[member] = generation;
  const auto instance = instance_of_.find(speaker.process);
  if (instance == instance_of_.end()) return;
  std::string& holder = holder_[{group, instance->second}];
  if (!holder.empty() && holder != member) {
    fenced_[holder] = speaker.when;
    evict(holder, speaker.when, "fenced");
  }
  holder = member;
}

// A coordinator that came back from its log has forgotten that it removed a member, if no
// generation without it was durable (group-protocol 1.8).
void GroupTracker::on_accepted(const std::string& process) {
  const auto first = owned_.lower_bound({process, {}});
  for (auto owned = first; owned != owned_.end() && owned->first.process == process; ++owned) {
    history_.ownerships[owned->second].evicted.reset();
  }
}

void GroupTracker::on_death(const Speaker& speaker, Tick last) {
  std::vector<std::size_t> dead;
  for (const auto& [key, index] : owned_) {
    if (key.process == speaker.process) dead.push_back(index);
  }
  for (const std::size_t index : dead) {
    Ownership& ownership = history_.ownerships[index];
    if (!ownership.evicted) start_pause(ownership, last, "died");
    close(ownership, speaker.when, Ownership::End::kDied);
  }
}

void GroupTracker::close(Ownership& ownership, const Moment& when, Ownership::End end) {
  ownership.to = when;
  ownership.end = end;
  const auto open = owned_.find({ownership.process, ownership.partition});
  if (open == owned_.end()) return;
  owned_by_place_[ownership.partition].erase(open->second);
  owned_.erase(open);
}

// ---- pauses ----

void GroupTracker::start_pause(const Ownership& ownership, Tick from, std::string why) {
  OpenPause open;
  open.pause.partition = ownership.partition;
  open.pause.from = from;
  open.pause.owner_before = ownership.process;
  open.pause.why = std::move(why);
  const auto rebalance = open_rebalance_.find(ownership.group);
  if (rebalance != open_rebalance_.end()) open.rebalance = rebalance->second;
  // A partition that is paused already stays so from when it was.
  paused_.try_emplace({ownership.group, ownership.partition}, std::move(open));
}

void GroupTracker::end_pause(const Ownership& ownership, Tick when) {
  const auto found = paused_.find({ownership.group, ownership.partition});
  if (found == paused_.end()) return;
  OpenPause& open = found->second;
  open.pause.until = when;
  open.pause.owner_after = ownership.process;
  if (open.rebalance) history_.rebalances[*open.rebalance].pauses.push_back(open.pause);
  paused_.erase(found);
}

void GroupTracker::finish() {
  for (const auto& [key, open] : paused_) {
    if (open.rebalance) history_.rebalances[*open.rebalance].pauses.push_back(open.pause);
  }
  paused_.clear();
  name_members();
  for (Rebalance& rebalance : history_.rebalances) {
    std::stable_sort(
        rebalance.pauses.begin(), rebalance.pauses.end(),
        [](const Pause& left, const Pause& right) { return left.partition < right.partition; });
  }
}

void GroupTracker::on_fetch(const Speaker& speaker, const wire::FetchRequest& request) {
  for (const auto& topic : request.topics()) {
    for (const auto& part : topic.partitions()) {
      const TopicPartition partition{topic.topic(), PartitionId(part.partition())};
      const auto found = owned_.find({speaker.process, partition});
      if (found == owned_.end()) continue;
      Ownership& ownership = history_.ownerships[found->second];
      if (ownership.evicted) continue;
      if (!ownership.first_fetch) {
        Ownership::FirstFetch first{speaker.when, Offset(part.fetch_offset())};
        const auto commit = history_.last_commits.find({ownership.group, partition});
        if (commit != history_.last_commits.end()) first.commit = commit->second;
        ownership.first_fetch = std::move(first);
      }
      end_pause(ownership, speaker.when.tick);
    }
  }
}

}  // namespace fencepost::lab
