// How Kafka's Admin client asks: several requests at a time, each repeated after retry.backoff.ms
// while its error may pass, until default.api.timeout.ms has passed since the command began.
#pragma once

#include <string>
#include <vector>

#include "admin/facts.h"
#include "common/client_node.h"

namespace fencepost::admin {

struct Question {
  std::vector<std::string> to;  // whom to ask, and after a failure the next one
  wire::Frame request;
};

class Calls {
 public:
  // What is learnt goes into the facts.
  Calls(Client& client, Facts& facts);

  const std::vector<std::string>& bootstrap() const { return bootstrap_; }

  // Asks all of them at once, and waits for all answers. The first error, in the order of the
  // questions, if one was not answered in time or its error passed not.
  Task<ErrorCode> all(std::vector<Question> questions);
  Task<ErrorCode> one(Question question);

 private:
  Task<void> ask(std::size_t index, Question question);
  TickSpan pause(int failures) const;

  Client& client_;
  Facts& facts_;
  std::vector<std::string> bootstrap_;
  Tick deadline_{0};
  bool begun_ = false;
  Signal changed_;
  std::size_t open_ = 0;
  std::vector<ErrorCode> errors_;  // of the questions on their way
};

}  // namespace fencepost::admin
