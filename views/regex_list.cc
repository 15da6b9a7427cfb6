#include "views/regex_list.h"

namespace tfprof::views {
namespace {

RE2::Options Quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

RegexList::RegexList(const RegexPatterns& patterns)
    : matches_all_(patterns.size() == 1 && patterns[0] == ".*") {
  for (const std::string& pattern : patterns) {
    patterns_.push_back(std::make_unique<RE2>(pattern, Quiet()));
  }
}

bool RegexList::Matches(size_t i, std::string_view s) const {
  return patterns_[i]->ok() &&
         RE2::FullMatch(re2::StringPiece(s.data(), s.size()), *patterns_[i]);
}

bool RegexList::Matches(std::string_view s) const {
  if (matches_all_) return true;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (Matches(i, s)) return true;
  }
  return false;
}

std::string RegexError(const std::string& pattern) {
  const RE2 regex(pattern, Quiet());
  return regex.ok() ? "" : regex.error();
}

}  // namespace tfprof::views
