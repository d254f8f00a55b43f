// What can be said about a frame without knowing its API: which one it is, whether it answers, and
// the error codes that an answer carries.
#pragma once

#include <string>
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

// Whether it is of one of these APIs, or one of these processes sends or gets it. No words: it is.
bool is_of(const wire::Frame& frame, const std::vector<std::string>& words);

// The names of all APIs, sorted.
const std::vector<std::string_view>& all_apis();

}  // namespace fencepost::lab
