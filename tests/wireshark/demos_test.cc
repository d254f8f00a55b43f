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

// A line of the list's JSON as the fields of our dissector.
test::Tshark::Row expected_row(const json::object& packet) {
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
  test::Tshark tshark() const { return {file_, scratch_.path()}; }

  test::Scratch scratch_;
  RunDirectory directory_;
  fs::path file_;
  std::optional<RecordedPackets> recorded_;
};

TEST_P(InWireshark, IsThePacketList) {
  std::vector<test::Tshark::Row> packets;
  std::vector<std::string> marks;
  for (const json::object& line : listed()) {
    if (line.at("kind") == "packet") {
      packets.push_back(expected_row(line));
    } else {
      const std::string who =
          line.at("kind") == "life" ? text_or_empty(line.at("process")) + " " : "";
      marks.push_back("*** " + who + text_or_empty(line.at("text")));
    }
  }
  ASSERT_FALSE(packets.empty());
  std::vector<std::string> fields;
  for (const auto& [field, value] : packets.front()) fields.push_back(field);
  const std::vector<test::Tshark::Row> shown = tshark().rows("fencepost.frame", fields);
  ASSERT_EQ(shown.size(), packets.size());
  for (std::size_t i = 0; i < shown.size(); ++i) ASSERT_EQ(shown[i], packets[i]) << "row " << i;

  std::vector<std::string> shown_marks = tshark().values("fencepost.mark", "fencepost.mark");
  ASSERT_FALSE(shown_marks.empty());
  shown_marks.erase(shown_marks.begin());  // the header of the capture
  EXPECT_EQ(shown_marks, marks);
}

TEST_P(InWireshark, IsSoundTraffic) {
  tshark().expect_sound();
  const test::Tshark checked(file_, scratch_.path(),
                             {"-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o",
                              "udp.check_checksum:TRUE"});
  EXPECT_EQ(checked.text({"-Y",
                          "tcp.analysis.flags || ip.checksum.status == 0 || "
                          "tcp.checksum.status == 0 || udp.checksum.status == 0"}),
            "");
}

INSTANTIATE_TEST_SUITE_P(All, InWireshark, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace fencepost::lab
