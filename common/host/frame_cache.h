// Frames that came from peers before the clock named them in a Grant. Sockets are a cache (DESIGN
// 3): what falls out of here, because it is never named or there is too much, the clock supplies.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "common/ids.h"
#include "proto/clock.pb.h"

namespace fencepost {

// What identifies a frame among all of a run.
struct FrameKey {
  std::string source;
  Incarnation incarnation;
  std::uint64_t sequence = 0;
  friend auto operator<=>(const FrameKey&, const FrameKey&) = default;
};

FrameKey key_of(const wire::FrameId& id);
FrameKey key_of(const wire::Frame& frame);
wire::FrameId id_of(const FrameKey& key);

class FrameCache {
 public:
  static constexpr std::size_t kMaxFrames = 8192;

  // The oldest frame falls out beyond kMaxFrames. A frame that is there already stays.
  void insert(std::shared_ptr<const wire::Frame> frame);
  // Takes a frame out; null if it is not here.
  std::shared_ptr<const wire::Frame> take(const FrameKey& key);
  std::size_t size() const { return frames_.size(); }

 private:
  std::map<FrameKey, std::shared_ptr<const wire::Frame>> frames_;
  std::deque<FrameKey>
      order_;  // of arrival; keys that were taken stay until they come to the front
};

}  // namespace fencepost
