#include "advisor/checker.h"

namespace tfprof::advisor {

double CheckerSettings::Get(std::string_view name) const {
  if (const auto set = set_.find(std::string(name)); set != set_.end()) {
    return set->second;
  }
  for (const CheckerOption& option : options_) {
    if (option.name == name) return option.value;
  }
  return 0;
}

}  // namespace tfprof::advisor
