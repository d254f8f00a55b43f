#include "common/host/frame_cache.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

std::shared_ptr<const wire::Frame> frame(const std::string& source, std::uint64_t sequence) {
  auto made = std::make_shared<wire::Frame>();
  made->mutable_header()->set_source(source);
  made->mutable_header()->set_source_incarnation(1);
  made->mutable_header()->set_sequence(sequence);
  return made;
}

TEST(FrameCache, GivesEachFrameOnce) {
  FrameCache cache;
  const auto first = frame("B1", 1);
  cache.insert(first);
  EXPECT_EQ(cache.take(key_of(*first)), first);
  EXPECT_EQ(cache.take(key_of(*first)), nullptr);
}

TEST(FrameCache, KeepsIncarnationsApart) {
  FrameCache cache;
  cache.insert(frame("B1", 1));
  EXPECT_EQ(cache.take({"B1", Incarnation(2), 1}), nullptr);
}

TEST(FrameCache, DropsTheOldestBeyondItsLimit) {
  FrameCache cache;
  for (std::uint64_t i = 0; i <= FrameCache::kMaxFrames; ++i) cache.insert(frame("B1", i));
  EXPECT_EQ(cache.size(), FrameCache::kMaxFrames);
  EXPECT_EQ(cache.take({"B1", Incarnation(1), 0}), nullptr);
  EXPECT_NE(cache.take({"B1", Incarnation(1), 1}), nullptr);
}

TEST(FrameCache, FramesThatAreNeverTakenDoNotKeepOthersOut) {
  FrameCache cache;
  cache.insert(frame("A", 1));
  for (std::uint64_t i = 0; i < FrameCache::kMaxFrames * 3; ++i) {
    cache.insert(frame("B1", i));
    EXPECT_NE(cache.take({"B1", Incarnation(1), i}), nullptr);
  }
  EXPECT_LE(cache.size(), 1U);
}

}  // namespace
}  // namespace fencepost
