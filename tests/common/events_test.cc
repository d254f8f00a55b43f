#include "common/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fencepost::events {
namespace {

TEST(Events, AreSortedAndUnique) {
  const auto by_name = [](const EventInfo& left, const EventInfo& right) {
    return left.name < right.name;
  };
  EXPECT_TRUE(std::ranges::is_sorted(all_events(), by_name));
  const auto same = [](const EventInfo& left, const EventInfo& right) {
    return left.name == right.name;
  };
  EXPECT_EQ(std::ranges::adjacent_find(all_events(), same), all_events().end());
}

TEST(Events, HaveDistinctKeysInLowerCase) {
  for (const EventInfo& row : all_events()) {
    std::set<std::string> keys;
    std::string key;
    for (const char c : std::string(row.keys) + ",") {
      if (c != ',') {
        EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '_') << row.name << ": " << row.keys;
        key += c;
        continue;
      }
      EXPECT_FALSE(key.empty()) << row.name;
      EXPECT_TRUE(keys.insert(std::exchange(key, "")).second) << row.name << ": " << row.keys;
    }
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Events, KeepTheOrderOfTheirAttributes) {
  const wire::Event event = make(kMemberAdded, {{"member", "C1-x"}, {"group", "billing"}});
  ASSERT_EQ(event.attributes_size(), 2);
  EXPECT_EQ(event.name(), "member.added");
  EXPECT_EQ(event.attributes(0).key(), "member");
  EXPECT_EQ(value_of(event, "group"), "billing");
  EXPECT_EQ(value_of(event, "client"), "");
}

}  // namespace
}  // namespace fencepost::events
