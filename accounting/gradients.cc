#include "accounting/gradients.h"

#include <cstddef>

namespace tfprof::accounting {

std::string_view ForwardName(std::string_view name) {
  constexpr std::string_view kPrefix = "gradients/";
  const size_t prefix = name.find(kPrefix);
  const size_t suffix = name.find("_grad/");
  if (prefix == name.npos || suffix == name.npos) return {};
  const size_t begin = prefix + kPrefix.size();
  return name.substr(begin, suffix - begin);
}

}  // namespace tfprof::accounting
