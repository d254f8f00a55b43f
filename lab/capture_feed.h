// Takes the bytes of a capture as they come (wire::CaptureChunk) and gives its records.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/ids.h"
#include "proto/capture.pb.h"

namespace fencepost::lab {

class CaptureFeed {
 public:
  using OnRecord = std::function<void(Tick tick, const wire::CaptureRecord& record)>;

  // Calls back for each record that is complete now. Throws std::runtime_error if the bytes are not
  // those of a capture.
  void add(std::string_view bytes, const OnRecord& on_record);
  // Nothing of a record is waiting for its rest.
  bool at_boundary() const { return waiting_.empty(); }

 private:
  std::string waiting_;
  Tick tick_{0};
};

}  // namespace fencepost::lab
