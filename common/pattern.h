// Regular expressions for names of topics, in Perl's syntax, which is near Java's.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace fencepost {

class Pattern {
 public:
  // Throws ConfigError if the text is no regular expression.
  explicit Pattern(const std::string& text);

  // Whether the whole name matches. Nothing if that would take too long to find out: an expression
  // like (a*)*b can need more steps than there are atoms.
  std::optional<bool> matches(const std::string& name) const;

 private:
  struct Compiled;  // Boost.Regex is a large header
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fencepost
