#include "advisor/advice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "advisor/can_judge.h"
#include "advisor/weigh.h"
#include "util/arithmetic.h"

namespace tfprof::advisor {
namespace {

template <typename Predicate>
std::vector<CheckerChoice> Choose(CheckerRegistry registry, Predicate wanted) {
  std::vector<CheckerChoice> choices;
  for (const Checker* checker : registry) {
    if (wanted(*checker)) choices.push_back({.checker = checker, .rules = {}});
  }
  return choices;
}

}  // namespace

std::vector<CheckerChoice> ReferenceCheckers(CheckerRegistry registry) {
  return Choose(registry, [](const Checker& c) {
    return c.kind == Checker::Kind::kReference;
  });
}

std::vector<CheckerChoice> FurtherCheckers(CheckerRegistry registry) {
  return Choose(registry, [](const Checker& c) {
    return c.kind == Checker::Kind::kAdvice;
  });
}

std::vector<CheckerChoice> AdviceCheckers(CheckerRegistry registry) {
  return Choose(registry, [](const Checker& c) {
    return c.kind != Checker::Kind::kHealth;
  });
}

std::vector<CheckerChoice> HealthCheckers(CheckerRegistry registry) {
  return Choose(registry, [](const Checker& c) {
    return c.kind == Checker::Kind::kHealth;
  });
}

Advice RunCheckers(const CheckerInput& input,
                   std::span<const CheckerChoice> choices,
                   const CheckerValues& values) {
  Advice advice;
  for (const CheckerChoice& choice : choices) {
    if (input.views.work().cancelled()) break;
    const Checker& checker = *choice.checker;
    const auto set = values.find(checker.name);
    const CheckerSettings settings(
        checker.options,
        set == values.end() ? std::map<std::string, double>() : set->second);
    std::string unjudged = WhyNotJudged(checker, settings, input);
    CheckResult result;
    // The reference's checkers report themselves what they lack.
    if (unjudged.empty() || checker.kind == Checker::Kind::kReference) {
      result = checker.check(input, settings);
    }
    if (!choice.rules.empty()) {
      std::erase_if(result.findings, [&](const Finding& finding) {
        return std::find(choice.rules.begin(), choice.rules.end(),
                         finding.rule) == choice.rules.end();
      });
    }
    if (unjudged.empty() && result.findings.empty() && !result.notes.empty()) {
      unjudged = result.notes[0];
    }
    advice.sections.push_back({.checker = &checker,
                               .findings = std::move(result.findings),
                               .notes = std::move(result.notes),
                               .unjudged = std::move(unjudged)});
  }
  LimitSavings(input.views, advice);
  DropDoubles(advice);
  return advice;
}

std::vector<RankedFinding> Rank(const Advice& advice) {
  std::vector<RankedFinding> ranked;
  for (const Advice::Section& section : advice.sections) {
    for (const Finding& finding : section.findings) {
      if (!finding.IsReported()) continue;
      ranked.push_back({.checker = section.checker, .finding = &finding});
    }
  }
  // Each step away from the cause halves the weight of the lost time.
  const auto says = [](const RankedFinding& f) {
    if (f.finding->names_cause) return Rule::Says::kCause;
    const Rule* rule = FindRule(*f.checker, f.finding->rule);
    return rule == nullptr ? Rule::Says::kCause : rule->says;
  };
  const auto weight = [&](const RankedFinding& f) {
    return util::SaturatingMul(f.finding->saving_micros, 2) >>
           static_cast<int>(says(f));
  };
  // A warning ranks as critical if it explains a critical finding: one that is
  // further from the cause and whose weight is no larger.
  constexpr size_t kLevels = 4;
  std::array<int64_t, kLevels> least;
  least.fill(std::numeric_limits<int64_t>::max());
  for (const RankedFinding& f : ranked) {
    if (f.finding->severity != Finding::Severity::kCritical) continue;
    for (size_t level = 0; level < static_cast<size_t>(says(f)); ++level) {
      if (weight(f) > 0) least[level] = std::min(least[level], weight(f));
    }
  }
  const auto severity = [&](const RankedFinding& f) {
    return f.finding->severity == Finding::Severity::kWarning &&
                   weight(f) >= least[static_cast<size_t>(says(f))]
               ? Finding::Severity::kCritical
               : f.finding->severity;
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const RankedFinding& a, const RankedFinding& b) {
                     return std::pair(severity(a), weight(a)) >
                            std::pair(severity(b), weight(b));
                   });
  return ranked;
}

size_t CountFindings(const Advice& advice, Finding::Severity severity) {
  size_t count = 0;
  for (const Advice::Section& section : advice.sections) {
    count += static_cast<size_t>(
        std::count_if(section.findings.begin(), section.findings.end(),
                      [&](const Finding& f) {
                        return f.severity == severity && f.IsReported();
                      }));
  }
  return count;
}

std::string_view SeverityName(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::kInfo:
      return "info";
    case Finding::Severity::kWarning:
      return "warning";
    case Finding::Severity::kCritical:
      return "critical";
  }
  return "";
}

const Rule* FindRule(const Checker& checker, std::string_view id) {
  for (const Rule& rule : checker.rules) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

const CheckerOption* ThresholdOption(const Checker& checker, const Rule& rule) {
  for (const CheckerOption& option : checker.options) {
    if (option.name == rule.threshold_option) return &option;
  }
  return nullptr;
}

}  // namespace tfprof::advisor
