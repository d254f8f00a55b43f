// A thousand random scenarios, but for the first fifty, which search_test tries.
#include "tests/lab/searching.h"

namespace fencepost::lab {
namespace {

TEST_F(Search, FindsNothingInTheFirstQuarter) { expect_none(51, 200); }
TEST_F(Search, FindsNothingInTheSecondQuarter) { expect_none(251, 250); }
TEST_F(Search, FindsNothingInTheThirdQuarter) { expect_none(501, 250); }
TEST_F(Search, FindsNothingInTheLastQuarter) { expect_none(751, 250); }

}  // namespace
}  // namespace fencepost::lab
