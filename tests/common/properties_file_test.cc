#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/properties.h"
#include "common/random.h"
#include "tests/scratch.h"

namespace fencepost {
namespace {

class PropertiesFile : public ::testing::Test {
 protected:
  ~PropertiesFile() override { std::filesystem::remove(path_); }

  // What the file sets client.id to, or the error without the file's name before it.
  std::string client_id_of(std::string_view text) {
    try {
      return load(text).get("client.id");
    } catch (const ConfigError& error) {
      return message(error);
    }
  }

  Properties load(std::string_view text) {
    std::ofstream(path_, std::ios::binary) << text;
    Properties properties(Role::kConsumer);
    properties.load_file(path_);
    return properties;
  }

  std::string message(const ConfigError& error) const {
    const std::string whole = error.what();
    EXPECT_TRUE(whole.starts_with(path_)) << whole;
    return whole.substr(std::min(path_.size(), whole.size()));
  }

  test::Scratch scratch_;
  std::string path_ = scratch_.path() / "client.properties";
};

TEST_F(PropertiesFile, ReadsAUsersOwnFile) {
  const Properties properties = load(
      "# the billing service\r\n"
      "bootstrap.servers=B1:19092\r\n"
      "\r\n"
      "! KIP-345\r\n"
      "group.id : billing\r\n"
      "group.instance.id billing-1\r\n"
      "partition.assignment.strategy=\\\r\n"
      "    org.apache.kafka.clients.consumer.RangeAssignor,\\\r\n"
      "    org.apache.kafka.clients.consumer.StickyAssignor\r\n"
      "key.deserializer=org.apache.kafka.common.serialization.StringDeserializer\r\n"
      "max.poll.records=3");
  EXPECT_EQ(properties.get("bootstrap.servers"), "B1:19092");
  EXPECT_EQ(properties.get("group.id"), "billing");
  EXPECT_EQ(properties.get("group.instance.id"), "billing-1");
  EXPECT_EQ(properties.get("partition.assignment.strategy"), "range,sticky");
  EXPECT_EQ(properties.get_int("max.poll.records"), 3);
  EXPECT_EQ(properties.ignored(), std::vector<std::string>{"key.deserializer"});
}

struct Line {
  std::string_view text;
  std::string_view client_id;
};

// What java.util.Properties.load gives for the same text.
TEST_F(PropertiesFile, ReadsALineAsJavaDoes) {
  constexpr Line kLines[] = {
      {"client.id=a", "a"},
      {"  \t\fclient.id=a", "a"},
      {"client.id = a", "a"},
      {"client.id\t:\ta", "a"},
      {"client.id a", "a"},
      {"client.id   ==a", "=a"},
      {"client.id : = a", "= a"},
      {"client.id", ""},
      {"client.id=", ""},
      {"client.id=a#b!c", "a#b!c"},
      {"client.id=a\rgroup.id=g", "a"},
      {"client.id=a\nclient.id=b", "b"},
      {"client.id=a\\\n   b", "ab"},
      {"client.id=a\\\r\n\tb", "ab"},
      {"client.id=a\\\\\ngroup.id=b", "a\\"},
      {"client.id=a\\\\\\\nb", "a\\b"},
      {"client.id=a\\", "a"},
      {"client.id=a\\\n", "a"},
      {"client.id=a\\\n#b", "a#b"},
      {"client.id=a\\\n\ngroup.id=g", "a"},
      {"#client.id=a\\\nclient.id=b", "b"},
      {"client\\.id=a", "a"},
      {"cl\\\nient.id=a", "a"},
      {"client.id=\\q\\z\\\"", "qz\""},
      {"client.id=a\\tb\\nc", "a\tb\nc"},
      {"client.id=\\u0041\\u00e9\\u20AC", "A\xc3\xa9\xe2\x82\xac"},
      {"client.id=\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
      {"client.id=\\ud83dx", "\xef\xbf\xbdx"},
      {"client.id=\xc3\xa9", "\xc3\xa9"},
      {"\xef\xbb\xbf"
       "client.id=a",
       "a"},
      {"", ""},
      {"\\", ""},
      {"\n\n\n", ""},
  };
  for (const Line& tested : kLines) {
    EXPECT_EQ(client_id_of(tested.text), tested.client_id) << tested.text;
  }
}

TEST_F(PropertiesFile, NamesTheLineOfAMistake) {
  constexpr Line kLines[] = {
      {"client.id=a\nsession.timeout.ms=abc", ":2: session.timeout.ms: \"abc\" is not an integer"},
      {"\r\n\r\nsesion.timeout.ms=1",
       ":3: unknown property \"sesion.timeout.ms\"; did you mean \"session.timeout.ms\"?"},
      {"client.id=a\\\nb\\\nc\nsession.timeout.ms=x",
       ":4: session.timeout.ms: \"x\" is not an integer"},
      {"=a", ":1: a value without a name"},
      {": a", ":1: a value without a name"},
      {"client.id=\\u12", ":1: malformed \\uxxxx encoding"},
      {"client.id=\\u12G4", ":1: malformed \\uxxxx encoding"},
      {"client.id=\\ud83d\\u12", ":1: malformed \\uxxxx encoding"},
  };
  for (const Line& tested : kLines) {
    EXPECT_EQ(client_id_of(tested.text), tested.client_id) << tested.text;
  }
}

TEST_F(PropertiesFile, AHugeLineIsOneShortError) {
  EXPECT_LT(client_id_of(std::string(500'000, 'k')).size(), 120U);
  EXPECT_EQ(client_id_of("client.id=" + std::string(500'000, 'v')).size(), 500'000U);
  EXPECT_EQ(client_id_of(std::string(5'000'000, ' ')), ": is larger than 1048576 bytes");
}

TEST_F(PropertiesFile, GarbageIsReadOrRefusedAndNeverACrash) {
  Random random(1, "garbage", Incarnation(1), "bytes");
  constexpr std::string_view kLikely = "=: \t\f\r\n\\#!uclient.id0";
  for (int round = 0; round < 400; ++round) {
    std::string garbage(random.below(60), '\0');
    for (char& byte : garbage) {
      byte = round % 2 == 0 ? static_cast<char>(random.below(256))
                            : kLikely[random.below(kLikely.size())];
    }
    const std::string result = client_id_of(garbage);
    if (result.starts_with(':')) {
      EXPECT_EQ(result.find('\n'), std::string::npos) << "one line, round " << round;
    }
  }
}

TEST(PropertiesFiles, ThatCannotBeReadAreNamed) {
  Properties properties(Role::kConsumer);
  const std::string absent = ::testing::TempDir() + "no-such.properties";
  EXPECT_THROW(properties.load_file(absent), ConfigError);
  EXPECT_THROW(properties.load_file(::testing::TempDir()), ConfigError);
}

}  // namespace
}  // namespace fencepost
