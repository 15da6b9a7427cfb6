// The fixture for tests of health checkers.

#ifndef TFPROF_ADVISOR_CHECKERS_HEALTH_HEALTH_TESTING_H_
#define TFPROF_ADVISOR_CHECKERS_HEALTH_HEALTH_TESTING_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/advisor_testing.h"
#include "advisor/health_table.h"

namespace tfprof::advisor {

inline constexpr char kCpuA[] = "/job:a/replica:0/task:0/device:CPU:0";
inline constexpr char kCpuB[] = "/job:b/replica:0/task:0/device:CPU:0";

class HealthTest : public AdvisorTest {
 protected:
  // "warn: one step, …": the verdict of a checker and the text of its finding;
  // "" if it has nothing to judge. Consumes the profile built so far.
  std::string Verdict(std::string_view checker,
                      const std::map<std::string, double>& set = {}) {
    const std::vector<std::string> texts = Check(checker, set);
    if (texts.empty()) return "";
    EXPECT_EQ(texts.size(), 1u) << checker;
    const Finding& finding = findings_.back();
    // Only problems have advice.
    EXPECT_EQ(finding.advice.empty(),
              finding.severity == Finding::Severity::kInfo)
        << checker;
    return std::string(HealthVerdict(finding.severity)) + ": " + finding.text;
  }
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_HEALTH_HEALTH_TESTING_H_
