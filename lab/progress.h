// How far a long run is, for a person at a terminal: one line on stderr that is written over, and
// gone at the end.
#pragma once

#include "common/ids.h"
#include "proto/plan.pb.h"

namespace fencepost::lab {

class ProgressLine {
 public:
  explicit ProgressLine(const wire::Plan& plan);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(Tick closed);

 private:
  const wire::Plan& plan_;
  bool at_terminal_;
  bool shown_ = false;
};

}  // namespace fencepost::lab
