#include "lab/capture_feed.h"

#include <boost/endian/conversion.hpp>
#include <cstring>
#include <stdexcept>

namespace fencepost::lab {
namespace {

constexpr std::size_t kLengthBytes = 4;

}  // namespace

void CaptureFeed::add(std::string_view bytes, const OnRecord& on_record) {
  waiting_.append(bytes);
  std::size_t begin = 0;
  wire::CaptureRecord record;
  while (waiting_.size() - begin >= kLengthBytes) {
    unsigned char length[kLengthBytes];
    std::memcpy(length, waiting_.data() + begin, kLengthBytes);
    const std::size_t size = boost::endian::load_big_u32(length);
    if (waiting_.size() - begin - kLengthBytes < size) break;
    if (!record.ParseFromArray(waiting_.data() + begin + kLengthBytes, static_cast<int>(size))) {
      throw std::runtime_error("what comes from the clock is not a capture");
    }
    begin += kLengthBytes + size;
    if (record.has_tick()) tick_ = Tick(record.tick());
    on_record(tick_, record);
  }
  waiting_.erase(0, begin);
}

}  // namespace fencepost::lab
