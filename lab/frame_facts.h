// What can be said about a frame without knowing its API: which one it is, whether it answers, and
// the error codes that an answer carries.
#pragma once

#include <string_view>
#include <vector>

#include "common/error_code.h"
#include "proto/frame.pb.h"

namespace fencepost::lab {

// Kafka's name, "OffsetCommit"; empty for a frame without payload.
std::string_view api_of(const wire::Frame& frame);

bool is_response(const wire::Frame& frame);

// Every error code but NONE in an answer, in its order, each once. Empty for requests.
std::vector<ErrorCode> errors_in(const wire::Frame& frame);

// The names of all APIs, sorted.
const std::vector<std::string_view>& all_apis();

}  // namespace fencepost::lab
