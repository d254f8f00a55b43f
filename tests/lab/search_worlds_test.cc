// Random scenarios over processes: the same capture as in process.
#include "tests/lab/searching.h"

namespace fencepost::lab {
namespace {

TEST_F(Search, FindsTheSameCaptureOverProcesses) { expect_none(2001, 40, Worlds::kBoth); }

}  // namespace
}  // namespace fencepost::lab
