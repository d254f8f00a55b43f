// A node whose every emission depends on all that it has seen, in order: the slightest difference
// in an inbox, in storage or in time shows in its next frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/host/in_process_host.h"
#include "common/node.h"
#include "common/outbox.h"

namespace fencepost::test {

inline constexpr std::string_view kToyNames[] = {"A", "B", "C", "D"};

class ToyNode : public Node {
 public:
  explicit ToyNode(NodeContext context);
  StepResult step(Tick now, std::span<const Delivery> inbox) override;

 private:
  void absorb(std::uint64_t value);
  void absorb(std::string_view text);
  void start();
  void take(const Delivery& delivery);
  void act(Tick now);

  NodeContext context_;
  Outbox outbox_;
  std::uint64_t state_ = 1;
  bool started_ = false;
  std::optional<Tick> wake_;
  std::vector<RequestId> parked_;
  std::vector<wire::StoredRow> rows_;
  std::optional<int> exit_code_;
  std::int64_t stored_rows_ = 0;
};

// The Hello of a toy.
wire::Hello toy_hello(const std::string& name);

// Makes toys under the role "probe".
NodeFactories toy_factories();

}  // namespace fencepost::test
