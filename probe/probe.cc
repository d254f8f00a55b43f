#include "probe/probe.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "common/events.h"
#include "probe/answers.h"

namespace fencepost::probe {
namespace {

// Kafka's client waits so much longer for a rebalance than the rebalance may take.
constexpr std::int64_t kJoinGroupSlackMs = 5'000;

}  // namespace

Probe::Probe(Client& client)
    : client_(client),
      script_(parse_script(client.properties().get("app.requests"))),
      changed_(client.time()) {
  if (script_.empty()) throw ConfigError("a probe needs app.requests");
  const std::string server = client.properties().get_list("bootstrap.servers").front();
  first_broker_ = server.substr(0, server.rfind(':'));  // addresses are virtual
}

void Probe::control(const wire::Control& control) {
  if (control.kind() != wire::Control::CLOSE) return;
  closing_ = true;
  changed_.notify_all();
}

Task<int> Probe::main() {
  for (const Step& step : script_) {
    co_await reach(step);
    if (closing_) co_return 0;
    if (!step.request.empty()) {
      if (!begin(step)) co_return 1;
      if (!step.wait) continue;
    }
    if (!step.pending.empty()) {
      const Asked& pending = asked_.at(step.pending);
      if (pending.answered && !mismatch(step, pending, "", "no answer yet", "an answer")) {
        co_return 1;
      }
      continue;
    }
    const Asked& asked = asked_.at(step.answer.empty() ? step.label : step.answer);
    co_await answered(asked);
    if (closing_) co_return 0;
    if (!judge(step, asked)) co_return 1;
  }
  client_.report(
      events::make(events::kProbeFinished, {{"requests", std::to_string(asked_.size())}}));
  co_return 0;
}

// Until the step is due, or the probe is to close.
Task<void> Probe::reach(const Step& step) {
  const Tick due = std::max(client_.now() + step.after, step.at.value_or(Tick(0)));
  while (!closing_ && client_.now() < due) co_await changed_.wait_until(due, "app.requests");
}

Task<void> Probe::answered(const Asked& asked) {
  while (!closing_ && !asked.answered) co_await changed_.wait();
}

// Sends the request of a step. False: what was saved does not fit into it.
bool Probe::begin(const Step& step) {
  Asked& asked = asked_[step.label];
  asked.api = step.request;
  try {
    wire::Frame frame = make_request(step.request, substituted(step.body, saved_));
    const TickSpan timeout = timeout_of(step, frame);
    client_.time().spawn(
        ask(step.label, step.to.empty() ? first_broker_ : step.to, std::move(frame), timeout));
  } catch (const std::invalid_argument& problem) {
    return mismatch(step, asked, "", "a request", problem.what());
  }
  return true;
}

// As long as Kafka's client waits, unless the step says otherwise.
TickSpan Probe::timeout_of(const Step& step, const wire::Frame& request) const {
  std::int64_t ms = client_.properties().get_int("request.timeout.ms");
  if (request.has_join_group_request()) {
    const std::int64_t rebalance = request.join_group_request().rebalance_timeout_ms();
    ms = std::max(ms, rebalance + kJoinGroupSlackMs);
  }
  return std::max(ticks_of_ms(step.timeout_ms.value_or(ms), client_.context().tick_ms),
                  TickSpan(1));
}

Task<void> Probe::ask(std::string label, std::string to, wire::Frame request, TickSpan timeout) {
  const Result<Answer> outcome = co_await client_.call(to, std::move(request), timeout);
  Asked& asked = asked_.at(label);
  asked.outcome = outcome;
  asked.answered = true;
  const std::string error =
      outcome ? first_error(payload_of(**outcome)) : std::string(name_of(outcome.error()));
  client_.report(events::make(events::kProbeAnswered,
                              {{"step", label}, {"request", asked.api}, {"error", error}}));
  changed_.notify_all();
}

// False: it is not as expected, which has been reported.
bool Probe::judge(const Step& step, const Asked& asked) {
  const bool expects_none = step.expect && step.expect->is_string();
  if (asked.outcome && !expects_none) return judge_answer(step, asked);
  const std::string found =
      asked.outcome ? "an answer" : "no answer: " + std::string(name_of(asked.outcome.error()));
  const std::string expected = expects_none ? "no answer: " + std::string(step.expect->get_string())
                                            : std::string("an answer");
  const bool indifferent = !step.expect && step.saves.empty();
  return indifferent || found == expected || mismatch(step, asked, "", expected, found);
}

bool Probe::judge_answer(const Step& step, const Asked& asked) {
  const pb::Message& answer = payload_of(**asked.outcome);
  if (step.expect) {
    const auto different = difference(substituted(*step.expect, saved_), answer);
    if (different) {
      return mismatch(step, asked, different->field, different->expected, different->found);
    }
  }
  for (const auto& [name, path] : step.saves) {
    const std::optional<std::string> value = value_at(answer, path);
    if (!value) return mismatch(step, asked, path, "a value to save as " + name, "nothing");
    saved_[name] = *value;
  }
  return true;
}

// Always false, so that it can be returned.
bool Probe::mismatch(const Step& step, const Asked& asked, const std::string& field,
                     const std::string& expected, const std::string& found) {
  client_.report(events::make(events::kProbeMismatch, {{"step", step.label},
                                                       {"request", asked.api},
                                                       {"field", field},
                                                       {"expected", expected},
                                                       {"found", found}}));
  return false;
}

}  // namespace fencepost::probe
