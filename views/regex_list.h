// RegexList: a list of regular expressions, compiled once for a command.
//
// RE2 syntax, anchored at both ends; `.` does not match a newline. Matching
// takes time linear in the length of the name, for any pattern. A pattern that
// does not compile matches nothing, as in the reference; RegexError() says why.

#ifndef TFPROF_VIEWS_REGEX_LIST_H_
#define TFPROF_VIEWS_REGEX_LIST_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "re2/re2.h"
#include "views/options.h"

namespace tfprof::views {

class RegexList {
 public:
  explicit RegexList(const RegexPatterns& patterns);

  // True if the list is exactly [".*"].
  bool matches_all() const { return matches_all_; }
  size_t size() const { return patterns_.size(); }
  bool empty() const { return patterns_.empty(); }

  // Returns true if some pattern matches all of `s`.
  bool Matches(std::string_view s) const;
  // Returns true if pattern `i` matches all of `s`.
  bool Matches(size_t i, std::string_view s) const;

 private:
  bool matches_all_ = false;
  std::vector<std::unique_ptr<RE2>> patterns_;
};

// Returns why a pattern does not compile, or "" if it does.
std::string RegexError(const std::string& pattern);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_REGEX_LIST_H_
