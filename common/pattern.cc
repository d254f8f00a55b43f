#include "common/pattern.h"

#include <boost/regex.hpp>

#include "common/properties.h"

namespace fencepost {

struct Pattern::Compiled {
  boost::regex expression;
};

Pattern::Pattern(const std::string& text) {
  try {
    compiled_ = std::make_shared<const Compiled>(Compiled{boost::regex(text)});
  } catch (const boost::regex_error& error) {
    throw ConfigError(error.what());
  }
}

// Boost counts its steps, and gives up by the number of them: the same on any machine.
std::optional<bool> Pattern::matches(const std::string& name) const {
  try {
    return boost::regex_match(name, compiled_->expression);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace fencepost
