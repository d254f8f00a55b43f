#include "lab/why/question.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "lab/node_reader.h"
#include "lab/packets/printable.h"

namespace fencepost::lab::why {
namespace {

constexpr std::size_t kListed = 20;
constexpr std::array<std::string_view, 9> kWords{"rebalance", "generation", "error",
                                                 "eviction",  "fence",      "reset",
                                                 "duplicate", "lost",       "packet"};

bool is_record(const std::string& word, const History& history) {
  const std::size_t dot = word.rfind('.');
  if (dot == std::string::npos || !parse_integer(word.substr(dot + 1))) return false;
  return history.names.parse(word.substr(0, dot)).has_value();
}

What what_of(const std::string& word) {
  for (const What what : {What::kRebalance, What::kEviction, What::kFence, What::kError,
                          What::kReset, What::kDuplicate, What::kLost}) {
    if (name_of(what) == word) return what;
  }
  return What::kRebalance;  // "generation"
}

std::vector<Explanation> all_of(const Explainer& explainer, What what) {
  switch (what) {
    case What::kRebalance:
      return explainer.rebalances();
    case What::kEviction:
      return explainer.evictions();
    case What::kFence:
      return explainer.fences();
    case What::kError:
      return explainer.errors();
    case What::kReset:
      return explainer.resets();
    case What::kDuplicate:
      return explainer.duplicates();
    case What::kLost:
      return explainer.losses();
  }
  return {};
}

bool fits(const Explanation& one, const Question& question) {
  if (question.number && static_cast<std::int64_t>(one.number) != *question.number) return false;
  if (question.generation &&
      std::ranges::find(one.generations, *question.generation) == one.generations.end()) {
    return false;
  }
  return std::ranges::all_of(question.words, [&](const std::string& word) {
    return word == one.subject || word == one.process || word == one.error ||
           word == one.exception || (word == one.api && !word.empty());
  });
}

// How one of them is asked for.
std::string asked_as(const Explanation& one) {
  switch (one.what) {
    case What::kRebalance:
      return one.number == 0 ? "" : fmt::format("rebalance {}", one.number);
    case What::kError:
      return fmt::format("error {} {}", one.subject,
                         one.error == "NONE" || one.error.empty() ? one.exception : one.error);
    case What::kEviction:
    case What::kFence:
    case What::kReset:
    case What::kDuplicate:
    case What::kLost:
      return fmt::format("{} {}", name_of(one.what), one.subject);
  }
  return "";
}

std::string listed(const std::vector<Explanation>& some) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const Explanation& one : some) {
    const std::string text = asked_as(one);
    if (!text.empty() && known.insert(text).second) texts.push_back(text);
  }
  if (texts.empty()) return "none";
  const std::size_t more = texts.size() > kListed ? texts.size() - kListed : 0;
  texts.resize(texts.size() - more);
  return fmt::format("{}{}", fmt::join(texts, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

std::int64_t number_in(const std::string& word, std::string_view kind) {
  const auto number = parse_integer(word);
  if (number && *number > 0) return *number;
  throw std::runtime_error(
      fmt::format("why {} needs a number from 1, and \"{}\" is none", kind, word));
}

}  // namespace

Question parse_question(const std::vector<std::string>& words, const History& history) {
  Question question;
  question.text = fmt::format("{}", fmt::join(words, " "));
  std::vector<std::string> rest = words;
  std::string first = rest.front();
  // Answers call it so.
  if (first.starts_with("inv(") && first.ends_with(")")) first = first.substr(4, first.size() - 5);
  rest.erase(rest.begin());
  const bool number = parse_integer(first).has_value();
  if (number || (first == "packet" && !rest.empty())) {
    question.packet = number_in(number ? first : rest.front(), "packet");
    return question;
  }
  if (is_record(first, history)) {
    question.what = What::kDuplicate;
    question.words = {first};
    return question;
  }
  if (std::ranges::find(kWords, first) == kWords.end() || first == "packet") {
    throw std::runtime_error(unknown_word("question", first, kWords) +
                             ". Ask for a rebalance, generation, error, eviction, fence, reset, "
                             "duplicate, lost, a record (p2.3) or the number of a packet");
  }
  question.what = what_of(first);
  if (question.what == What::kRebalance && !rest.empty()) {
    const std::int64_t asked = number_in(rest.front(), first);
    if (first == "generation") {
      question.generation = Generation(static_cast<std::int32_t>(asked));
    } else {
      question.number = asked;
    }
    rest.erase(rest.begin());
  }
  question.words = rest;
  return question;
}

std::vector<Explanation> answer(const Explainer& explainer, const Question& question,
                                const std::string& group) {
  std::vector<Explanation> some = all_of(explainer, *question.what);
  // A record alone may as well be lost.
  const bool record_alone =
      !question.words.empty() && (question.text == question.words.front() ||
                                  question.text == "inv(" + question.words.front() + ")");
  if (record_alone) {
    for (Explanation& one : explainer.losses()) some.push_back(std::move(one));
  }
  if (!group.empty()) {
    std::erase_if(some, [&](const Explanation& one) { return one.group != group; });
  }
  std::vector<Explanation> found;
  for (const Explanation& one : some) {
    if (fits(one, question)) found.push_back(one);
  }
  if (!found.empty()) return found;
  const bool of_any = question.words.empty() && !question.number && !question.generation;
  if (of_any && some.empty()) return {};
  if (question.what == What::kFence && question.words.size() == 1) {
    for (const Explanation& one : explainer.evictions()) {
      if (one.subject != question.words.front()) continue;
      throw std::runtime_error(
          fmt::format("{0} was not fenced; it was removed: ask for \"eviction "
                      "{0}\" or \"error {0}\"",
                      printable(one.subject)));
    }
  }
  if (record_alone) {
    throw std::runtime_error(fmt::format("{} was neither done twice nor lost; there is: {}",
                                         question.words.front(), listed(some)));
  }
  throw std::runtime_error(fmt::format("nothing in this run is \"{}\"{}; there is: {}",
                                       question.text, group.empty() ? "" : " in group " + group,
                                       listed(some)));
}

}  // namespace fencepost::lab::why
