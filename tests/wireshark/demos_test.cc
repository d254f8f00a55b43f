// Every demo in Wireshark is the packet list: as many packets, the same Info, the same fields.
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <sstream>

#include "lab/packets/packet_list.h"
#include "lab/pcapng/export.h"
#include "lab/run_scenario.h"
#include "lab/scenario.h"
#include "tests/scratch.h"
#include "tests/wireshark/tshark.h"

namespace fencepost::lab {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kScenarios = fs::path(FENCEPOST_SOURCE_DIR) / "scenarios";

// The demos, and what they do not have: refusals, late answers, faults of every kind.
std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const std::string folder : {"demos", "situations"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(kScenarios / folder)) {
      const std::string name = entry.path().stem().string();
      if (name != "setting") names.push_back(folder + "/" + name);
    }
  }
  std::ranges::sort(names);
  names.emplace_back("../tests/wireshark/faults");
  return names;
}

std::string text_or_empty(const json::value& value) {
  return value.is_null() ? "" : std::string(value.as_string());
}

std::string number_or_empty(const json::value& value) {
  return value.is_null() ? "" : std::to_string(value.to_number<std::int64_t>());
}

std::string joined(const json::array& texts, std::string_view separator) {
  std::string out;
  for (const json::value& text : texts) {
    out += (out.empty() ? "" : std::string(separator)) + std::string(text.as_string());
  }
  return out;
}

// What the dissector shows in its fields, of a packet or a mark in a line of the list's JSON.
test::Tshark::Row packet_row(const json::object& packet) {
  const std::string fate(packet.at("fate").as_string());
  std::string groups = text_or_empty(packet.at("group"));
  std::ranges::replace(groups, ',', '\x1b');
  return {
      {"_ws.col.Info", text_or_empty(packet.at("info"))},
      {"_ws.col.Protocol", text_or_empty(packet.at("protocol"))},
      {"fencepost.number", number_or_empty(packet.at("number"))},
      {"fencepost.tick", number_or_empty(packet.at("tick"))},
      {"fencepost.length", number_or_empty(packet.at("length"))},
      {"fencepost.source", text_or_empty(packet.at("source"))},
      {"fencepost.destination", text_or_empty(packet.at("destination"))},
      {"fencepost.api", text_or_empty(packet.at("api"))},
      {"fencepost.response", packet.at("response").as_bool() ? "1" : "0"},
      {"fencepost.correlation_id", number_or_empty(packet.at("correlation_id"))},
      {"fencepost.group", groups},
      {"fencepost.member", text_or_empty(packet.at("member"))},
      {"fencepost.generation", number_or_empty(packet.at("generation"))},
      {"fencepost.error_name", joined(packet.at("errors").as_array(), "\x1b")},
      {"fencepost.lost", fate == "arrives" ? "" : "1"},
      {"fencepost.mark", ""},
  };
}

test::Tshark::Row mark_row(const json::object& mark) {
  const bool is_life = mark.at("kind") == "life";
  const std::string who = is_life ? text_or_empty(mark.at("process")) + " " : "";
  return {
      {"_ws.col.Protocol", "Fencepost"},
      {"fencepost.tick", number_or_empty(mark.at("tick"))},
      {"fencepost.mark", "*** " + who + text_or_empty(mark.at("text"))},
      {"fencepost.number", ""},
  };
}

class InWireshark : public testing::TestWithParam<std::string> {
 protected:
  InWireshark() : directory_(scratch_.path() / "run"), file_(scratch_.path() / "run.pcapng") {}

  void SetUp() override {
    SKIP_WITHOUT("tshark");
    const Scenario scenario =
        load_scenario((kScenarios / (GetParam() + ".yaml")).string()).scenario.value();
    directory_.prepare();
    const RunOutcome outcome = run_plan(scenario.plan, {.world = World::kInProcess}, directory_);
    ASSERT_EQ(outcome.failure, std::nullopt);
    recorded_.emplace(directory_.capture().string(), PacketTrace::Depth::kCauses);
    export_pcapng(*recorded_, PacketWalk({}, Marks::kStates), file_.string());
  }

  // The lines of the list, as JSON.
  std::vector<json::object> listed() const {
    std::ostringstream out;
    recorded_->list(out, {.format = PacketFormat::kJson});
    std::istringstream lines(out.str());
    std::vector<json::object> objects;
    for (std::string line; std::getline(lines, line);) {
      objects.push_back(json::parse(line).as_object());
    }
    return objects;
  }
  test::Tshark tshark() const {
    return {file_,
            scratch_.path(),
            {"-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o",
             "udp.check_checksum:TRUE"}};
  }

  test::Scratch scratch_;
  RunDirectory directory_;
  fs::path file_;
  std::optional<RecordedPackets> recorded_;
};

TEST_P(InWireshark, IsThePacketList) {
  std::vector<test::Tshark::Row> expected;
  for (const json::object& line : listed()) {
    expected.push_back(line.at("kind") == "packet" ? packet_row(line) : mark_row(line));
  }
  std::vector<std::string> fields;
  for (const test::Tshark::Row& row : expected) {
    for (const auto& [field, value] : row) {
      if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
    }
  }
  // The header of the capture comes first.
  const auto shown = tshark().rows("fencepost.frame || fencepost.mark", fields);
  ASSERT_EQ(shown.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const auto& [field, value] : expected[i]) {
      ASSERT_EQ(shown[i + 1].at(field), value) << "line " << i + 1 << ", " << field;
    }
  }
  tshark().expect_sound();
}

INSTANTIATE_TEST_SUITE_P(All, InWireshark, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace fencepost::lab
