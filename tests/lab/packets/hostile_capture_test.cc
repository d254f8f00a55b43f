// Captures may hold anything: whatever is in them, the lists do not crash, each line of them is one
// line of printable text, and JSON stays JSON. A failure prints its seed.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <random>
#include <sstream>
#include <string>

#include "lab/packets/packet_list.h"
#include "lab/packets/printable.h"

namespace fencepost::lab {
namespace {

constexpr unsigned kRounds = 3000;

unsigned below(std::mt19937& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

// A frame of any API whose bytes are noise, or nearly what they should be.
std::string noisy_payload(std::mt19937& random) {
  std::string bytes;
  for (unsigned fields = below(random, 6); fields > 0; --fields) {
    const unsigned number = 1 + below(random, 8);
    const bool is_text = below(random, 2) == 0;
    bytes += static_cast<char>(number << 3 | (is_text ? 2 : 0));
    if (!is_text) {
      bytes += static_cast<char>(below(random, 128));
      continue;
    }
    const std::string inner = below(random, 3) == 0 ? noisy_payload(random) : std::string();
    const std::string noise(below(random, 5), static_cast<char>(below(random, 256)));
    const std::string text = (inner + noise).substr(0, 100);
    bytes += static_cast<char>(text.size());
    bytes += text;
  }
  return bytes;
}

wire::CaptureRecord noisy_record(std::mt19937& random) {
  wire::CaptureRecord record;
  const auto* payload = wire::Frame::descriptor()->FindOneofByName("payload");
  wire::Frame& frame = *record.mutable_packet()->mutable_frame();
  const auto apis = static_cast<unsigned>(payload->field_count());
  const auto* field = payload->field(static_cast<int>(below(random, apis)));
  google::protobuf::Message* message = frame.GetReflection()->MutableMessage(&frame, field);
  message->ParsePartialFromString(noisy_payload(random));
  frame.mutable_header()->set_source("C\x1b" +
                                     std::string(1, static_cast<char>(below(random, 256))));
  frame.mutable_header()->set_destination("B1");
  frame.mutable_header()->set_correlation_id(static_cast<std::int32_t>(below(random, 10)));
  record.mutable_packet()->set_arrival_tick(2);
  return record;
}

void expect_printable(const std::string& text, unsigned seed) {
  ASSERT_TRUE(text.ends_with("\n")) << seed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string without_tabs = line;
    std::erase(without_tabs, '\t');
    ASSERT_EQ(printable(without_tabs), without_tabs) << seed;
  }
}

TEST(HostileCapture, EveryListStaysReadable) {
  const PacketFormat formats[] = {PacketFormat::kText, PacketFormat::kJson, PacketFormat::kTsv};
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    std::mt19937 random(seed);
    const wire::CaptureRecord record = noisy_record(random);
    for (const PacketFormat format : formats) {
      for (const bool details : {false, true}) {
        PacketList list({.format = format, .details = details});
        const std::string text = list.text_of(Tick(1), record);
        ASSERT_NO_FATAL_FAILURE(expect_printable(text, seed));
        if (format != PacketFormat::kJson) continue;
        boost::json::error_code error;
        boost::json::parse(text, error);
        ASSERT_FALSE(error) << seed << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace fencepost::lab
