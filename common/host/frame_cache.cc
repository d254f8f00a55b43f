#include "common/host/frame_cache.h"

#include <utility>

namespace fencepost {

FrameKey key_of(const wire::FrameId& id) {
  return {id.source(), Incarnation(id.incarnation()), id.sequence()};
}

FrameKey key_of(const wire::Frame& frame) {
  const wire::Header& header = frame.header();
  return {header.source(), Incarnation(header.source_incarnation()), header.sequence()};
}

wire::FrameId id_of(const FrameKey& key) {
  wire::FrameId id;
  id.set_source(key.source);
  id.set_incarnation(key.incarnation.value());
  id.set_sequence(key.sequence);
  return id;
}

void FrameCache::insert(std::shared_ptr<const wire::Frame> frame) {
  FrameKey key = key_of(*frame);
  if (!frames_.emplace(key, std::move(frame)).second) return;
  order_.push_back(std::move(key));
  while (order_.size() > kMaxFrames) {
    frames_.erase(order_.front());
    order_.pop_front();
  }
}

std::shared_ptr<const wire::Frame> FrameCache::take(const FrameKey& key) {
  const auto found = frames_.find(key);
  if (found == frames_.end()) return nullptr;
  std::shared_ptr<const wire::Frame> frame = std::move(found->second);
  frames_.erase(found);
  // Mostly frames are taken in the order in which they came, so this empties the front.
  while (!order_.empty() && !frames_.contains(order_.front())) order_.pop_front();
  return frame;
}

}  // namespace fencepost
