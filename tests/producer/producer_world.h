// A source with the scripted broker of client_world.h.
#pragma once

#include "producer/producer_node.h"
#include "tests/common/client_world.h"

namespace fencepost::producer {

using Settings = ClientWorld::Settings;

class ProducerWorld : public ClientWorld {
 public:
  explicit ProducerWorld(const Settings& settings)
      : ClientWorld(&make_producer, Role::kProducer, settings) {}

  // The values in each partition of a produce request, as "orders-0=o0.0,o0.1 orders-1=o1.0".
  static std::string contents(const Sent& sent) {
    std::string text;
    for (const auto& topic : sent.frame.produce_request().topic_data()) {
      for (const auto& data : topic.partition_data()) {
        if (!text.empty()) text += ' ';
        text += topic.name() + "-" + std::to_string(data.index()) + "=";
        for (int i = 0; i < data.records().records_size(); ++i) {
          if (i > 0) text += ',';
          text += data.records().records(i).value();
        }
      }
    }
    return text;
  }
  std::vector<std::string> produced() const {
    std::vector<std::string> texts;
    for (const Sent& sent : requests_of(Api::kProduceRequest)) texts.push_back(contents(sent));
    return texts;
  }

  // Metadata and ListOffsets: two ticks each; the first round is sent in this tick.
  static constexpr std::int64_t kFirstRound = 4;
};

}  // namespace fencepost::producer
