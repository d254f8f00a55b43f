#include "probe/base64.h"

#include <gtest/gtest.h>

namespace fencepost::probe {
namespace {

// RFC 4648, 10.
TEST(Base64, HasTheVectorsOfItsStandard) {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, TakesNothingElse) {
  for (const char* text : {"Zg=", "Zg", "Z===", "Zg==Zg==", "=AAA", "Zm 9", " Zm9vYg==", "Zm9\n",
                           "Zm9-", "====", "Zm9v\n\n\n\n"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fencepost::probe
