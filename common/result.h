// Values for protocol errors: an expected answer such as UNKNOWN_MEMBER_ID is returned, never
// thrown.
#pragma once

#include <boost/system/result.hpp>

#include "common/error_code.h"

namespace fencepost {

template <class T>
using Result = boost::system::result<T, ErrorCode>;

}  // namespace fencepost
