// The fixture for tests of checkers: it runs one checker on a profile made by
// hand or on a bundled one.

#ifndef TFPROF_ADVISOR_ADVISOR_TESTING_H_
#define TFPROF_ADVISOR_ADVISOR_TESTING_H_

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/import_log.h"
#include "loaders/core/load.h"
#include "loaders/tensorflow/profile_testing.h"
#include "views/views.h"

namespace tfprof::advisor {

class AdvisorTest : public tensorflow::ProfileTest {
 protected:
  // The texts of the findings of one checker, or of the reference's checkers if
  // `name` is empty. Rules after the name select their findings:
  // "IdleChecker:idle_gaps,input_gaps". Consumes the profile built so far.
  std::vector<std::string> Check(
      std::string_view name = "",
      const std::map<std::string, double>& set = {}) {
    return CheckProfile(Build(), name, set);
  }
  // The same for a bundled profile: files of tests/golden/profiles.
  std::vector<std::string> CheckFiles(const std::vector<std::string>& files,
                                      std::string_view name) {
    loaders::LoadRequest request;
    for (const std::string& file : files) {
      request.files.push_back("tests/golden/profiles/" + file);
    }
    absl::StatusOr<loaders::Loaded> loaded = loaders::Load(request);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) return {};
    return CheckProfile(loaded->profile, name);
  }

  std::vector<std::string> CheckProfile(
      const profile::Profile& profile, std::string_view name,
      const std::map<std::string, double>& set = {}) {
    views::Views views(profile);
    const size_t colon = std::min(name.find(':'), name.size());
    const std::string rules =
        colon == name.size() ? "" : std::string(name.substr(colon + 1)) + ",";
    name = name.substr(0, colon);
    std::vector<std::string> texts;
    for (const Checker* checker : Checkers()) {
      const bool wanted = name.empty()
                              ? checker->kind == Checker::Kind::kReference
                              : checker->name == name;
      if (!wanted) continue;
      const CheckerSettings settings(checker->options, set);
      CheckResult result = checker->check({views, log_}, settings);
      for (Finding& f : result.findings) {
        if (!rules.empty() &&
            rules.find(std::string(f.rule) + ",") == rules.npos) {
          continue;
        }
        texts.push_back(f.text);
        findings_.push_back(std::move(f));
      }
      notes_.insert(notes_.end(), result.notes.begin(), result.notes.end());
    }
    return texts;
  }

  // The import log, which health checkers judge.
  loaders::ImportLog log_;
  // The findings and notes of all checks so far.
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_ADVISOR_TESTING_H_
