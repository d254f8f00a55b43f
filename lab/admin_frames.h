// Follows the frames of an administrator, and makes facts of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "admin/facts.h"
#include "proto/frame.pb.h"

namespace fencepost::lab {

class AdminFrames {
 public:
  AdminFrames(std::string name, admin::Facts& facts) : name_(std::move(name)), facts_(facts) {}

  // Any frame of the run; those of others are passed over.
  void add(const wire::Frame& frame) {
    const wire::Header& header = frame.header();
    if (header.source() == name_) {
      asked_[header.correlation_id()] = frame;
    } else if (header.destination() == name_) {
      const auto request = asked_.extract(header.correlation_id());
      if (!request.empty()) facts_.add(request.mapped(), frame);
    }
  }

 private:
  std::string name_;
  admin::Facts& facts_;
  std::map<std::int32_t, wire::Frame> asked_;  // without an answer so far
};

}  // namespace fencepost::lab
