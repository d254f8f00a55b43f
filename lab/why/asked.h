// Who asks, of all requests that a group's coordinator answers.
#pragma once

#include <cstdint>
#include <string>

#include "lab/history.h"
#include "proto/frame.pb.h"

namespace fencepost::lab::why {

// What a request says about who asks.
struct Asked {
  Moment sent;
  std::string group;
  std::string member;
  std::int32_t generation = -1;
};

Asked asked_of(const Moment& sent, const wire::Frame& frame);

}  // namespace fencepost::lab::why
