// The dissector has the schema of this build, and everything in it is something.
#include "lab/wire_schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/packets/info_rows.h"
#include "proto/frame.pb.h"

namespace fencepost::lab {
namespace {

std::string script_of_the_tree() {
  std::ifstream file(std::filesystem::path(FENCEPOST_SOURCE_DIR) / "docs/wireshark/fencepost.lua");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(WireSchema, IsTheOneInTheDissectorOfTheTree) {
  EXPECT_EQ(script_of_the_tree(), dissector_lua())
      << "write it again: fencepost packets --dissector docs/wireshark/fencepost.lua";
}

TEST(WireSchema, HasEveryPayloadOfAFrameWithItsInfo) {
  const std::string schema = wire_schema_lua();
  const google::protobuf::OneofDescriptor* payload =
      wire::Frame::descriptor()->FindOneofByName("payload");
  for (int i = 0; i < payload->field_count(); ++i) {
    const std::string& name = payload->field(i)->message_type()->name();
    EXPECT_NE(schema.find("    [\"" + name + "\"] = {\n"), std::string::npos) << name;
    EXPECT_NE(schema.find("    [\"" + name + "\"] = \""), std::string::npos) << name;
  }
}

TEST(WireSchema, KnowsWhatOpaqueBytesHold) {
  EXPECT_EQ(message_inside("JoinGroupRequest.Protocol.metadata"), "ConsumerProtocolSubscription");
  EXPECT_EQ(message_inside("SyncGroupResponse.assignment"), "ConsumerProtocolAssignment");
  EXPECT_EQ(message_inside("Record.value"), "");
}

// Nothing in it may depend on where or when it was made.
TEST(WireSchema, IsTheSameEachTime) { EXPECT_EQ(wire_schema_lua(), wire_schema_lua()); }

}  // namespace
}  // namespace fencepost::lab
