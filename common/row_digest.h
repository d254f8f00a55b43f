// What a step stored, as one number: the clock puts it in the capture, so two runs that store
// different rows differ in their captures although the rows themselves are not in it.
#pragma once

#include <cstdint>
#include <span>

#include "proto/clock.pb.h"

namespace fencepost {

// FNV-1a, 64 bits, over topic, partition, base offset and batch of every row, in order.
std::uint64_t rows_digest(std::span<const wire::StoredRow> rows);

}  // namespace fencepost
