#include "advisor/presence.h"

#include <utility>

namespace tfprof::advisor {

double Share(size_t part, size_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

Finding PresenceFinding(std::string_view rule, size_t with, size_t all,
                        std::string text, std::string advice) {
  Finding finding;
  finding.rule = rule;
  finding.value = Share(with, all);
  finding.text = std::move(text);
  if (with == 0) {
    finding.severity = Finding::Severity::kWarning;
    finding.advice = std::move(advice);
  }
  return finding;
}

}  // namespace tfprof::advisor
