// Where a pid means something: two processes of the same pid space see each other in /proc. The
// hosts of a run may be containers, with pids of their own.
#pragma once

#include <cstdint>
#include <string>

namespace fencepost {

// Names the boot of the kernel and the pid namespace of this process; empty if they are unknown.
std::string own_pid_space();

// Whether a process of this pid space is stopped (SIGSTOP, or a tracer). False if it is not there.
bool is_stopped(std::int64_t pid);

}  // namespace fencepost
