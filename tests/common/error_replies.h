// Answers that carry an error, for scripts.
#pragma once

#include "tests/common/client_world.h"

namespace fencepost {

// The answer to this request with the error in every place where it can stand: at the top, or on
// each partition, coordinator or group.
wire::Frame refusal(const wire::Frame& request, ErrorCode error);

inline ClientWorld::Script refuse(ErrorCode error) {
  return [error](const wire::Frame& request) {
    Reply reply;
    reply.frame = refusal(request, error);
    return reply;
  };
}

}  // namespace fencepost
