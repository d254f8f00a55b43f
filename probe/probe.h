// The scripted client (DESIGN 7): sends the requests of its script, checks and keeps what comes
// back, and ends: with 0, or with 1 at the first answer that is not as expected.
#pragma once

#include <map>
#include <string>

#include "common/client_node.h"
#include "probe/messages.h"
#include "probe/script.h"

namespace fencepost::probe {

class Probe final : public Program {
 public:
  // Throws ConfigError.
  explicit Probe(Client& client);

  Task<int> main() override;
  void control(const wire::Control& control) override;

 private:
  // One request, from its sending on.
  struct Asked {
    std::string api;
    bool answered = false;
    Result<Answer> outcome = ErrorCode::kRequestTimedOut;
  };

  Task<void> reach(const Step& step);
  bool begin(const Step& step);
  Task<void> ask(std::string label, std::string to, wire::Frame request, TickSpan timeout);
  TickSpan timeout_of(const Step& step, const wire::Frame& request) const;
  Task<void> answered(const Asked& asked);
  bool judge(const Step& step, const Asked& asked);
  bool judge_answer(const Step& step, const Asked& asked);
  bool mismatch(const Step& step, const Asked& asked, const std::string& field,
                const std::string& expected, const std::string& found);

  Client& client_;
  Script script_;
  std::string first_broker_;
  Signal changed_;  // an answer has come, or it is to close
  bool closing_ = false;
  std::map<std::string, Asked> asked_;  // by label
  SavedValues saved_;
};

}  // namespace fencepost::probe
