// Where something stands in a file that a person wrote, and the mistakes found there. A scenario is
// read to its end even if it is wrong, so that one run of the tool names all its mistakes.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fencepost::lab {

struct Place {
  std::shared_ptr<const std::string> file;  // as the person named it; absent: nowhere
  int line = 1;                             // from 1; 0: it is about the whole file
  int column = 1;                           // from 1
};

// "demo.yaml:12:5"
std::string to_string(const Place& place);

struct Mistake {
  Place place;
  std::string message;
};

// "demo.yaml:12:5: unknown key ..."
std::string to_string(const Mistake& mistake);

// Collects mistakes; beyond the limit they are counted, not kept.
class Mistakes {
 public:
  static constexpr std::size_t kMax = 40;

  void add(const Place& place, std::string message);
  bool empty() const { return found_.empty(); }
  std::size_t size() const { return found_.size(); }
  // By file in the order in which they were first met, then by line and column.
  std::vector<Mistake> sorted() const;

 private:
  std::vector<Mistake> found_;
};

}  // namespace fencepost::lab
