// The command check.

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Files "a" and "b" are the small model; "damaged" is too, but damaged.
Workspace CheckWorkspace() {
  Workspace workspace;
  workspace.load =
      [](loaders::LoadRequest request) -> absl::StatusOr<loaders::Loaded> {
    loaders::Loaded loaded;
    loaded.profile = accounting::SmallModel();
    const std::string& file = request.files.at(0);
    if (file == "missing") return absl::NotFoundError("missing; not there");
    if (file == "damaged") {
      loaded.log.Add(loaders::ImportLog::kDamage, "record", "damaged: byte 7");
    }
    return loaded;
  };
  return workspace;
}

tables::Answer Check(std::string_view line) {
  auto workspace = std::make_shared<Workspace>(CheckWorkspace());
  return RunLine(line, *workspace);
}

std::string WriteRules(std::string_view text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "rules.txt";
  std::ofstream(path) << text;
  return path.string();
}

TEST(CheckTest, EqualProfilesPassTheDefaultRules) {
  const tables::Answer answer = Check("check a b");
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  const std::string text = Written(answer, "text");
  EXPECT_THAT(text, StartsWith("pass   mean step.span_micros > +10%\n"));
  EXPECT_THAT(text, HasSubstr("\npass   mean total.requested_bytes > +10%\n"));
  EXPECT_THAT(text, HasSubstr("\nskip   op:.*.accelerator_micros > +5% min 1%\n"
                              "       needs 3 steps on each side\n"));
  EXPECT_THAT(text, HasSubstr("8 rules: 6 passed, 2 skipped.\n"));
}

TEST(CheckTest, ARuleThatFailsIsANegativeVerdict) {
  const tables::Answer answer = Check(
      "check a b -fail-if 'total.micros > 1us' -fail-if "
      "'total.micros > 1s'");
  EXPECT_TRUE(IsNegativeVerdict(answer.status));
  EXPECT_EQ(std::string(answer.status.message()),
            "2 rules: 1 failed, 1 passed.");
  EXPECT_THAT(Written(answer, "text"), StartsWith("FAIL   total.micros > 1us"));
}

TEST(CheckTest, RulesOfAFileAreAdded) {
  const std::string path =
      WriteRules("# limits\ntotal.micros > 1s\n\nop:Conv2D.micros > 1us\n");
  const tables::Answer answer =
      Check("check a b -fail-if 'total.runs > 99' -rules " + path);
  EXPECT_EQ(std::string(answer.status.message()),
            "3 rules: 1 failed, 2 passed.");
}

TEST(CheckTest, AFileWithoutRulesIsAnError) {
  const std::string path = WriteRules("# no rule\n\n");
  const tables::Answer answer = Check("check a b -rules " + path);
  EXPECT_TRUE(absl::IsInvalidArgument(answer.status));
  EXPECT_EQ(std::string(answer.status.message()),
            path + ": the file contains no rule");
  EXPECT_TRUE(absl::IsNotFound(Check("check a b -rules /no/such").status));
}

TEST(CheckTest, AnErrorInAFileHasItsPlace) {
  const std::string path = WriteRules("total.micros > 1s\nop:x\n");
  EXPECT_THAT(std::string(Check("check a b -rules " + path).status.message()),
              HasSubstr("line 2"));
}

TEST(CheckTest, InputsThatCannotBeComparedAreErrorsAndNoVerdicts) {
  const tables::Answer missing = Check("check a missing");
  EXPECT_TRUE(absl::IsNotFound(missing.status));
  const tables::Answer damaged = Check("check damaged b");
  EXPECT_TRUE(absl::IsDataLoss(damaged.status));
  EXPECT_EQ(std::string(damaged.status.message()),
            "damaged is damaged, and a damaged profile is not compared");
  // The notes of the loader say what is wrong.
  EXPECT_THAT(damaged.notes, ElementsAre("damaged: byte 7"));
  EXPECT_FALSE(IsNegativeVerdict(damaged.status));
}

TEST(CheckTest, ARuleWithoutARowIsAnError) {
  const tables::Answer answer =
      Check("check a b -fail-if 'op:Nothing.micros > 1us'");
  EXPECT_TRUE(absl::IsInvalidArgument(answer.status));
  EXPECT_THAT(std::string(answer.status.message()), HasSubstr("'Nothing'"));
}

TEST(CheckTest, WithAFileTheSummaryIsANoteToo) {
  const tables::Answer answer =
      Check("check a b -output junit:outfile=report.xml");
  ASSERT_TRUE(answer.met);
  EXPECT_THAT(answer.met(), ElementsAre("8 rules: 6 passed, 2 skipped."));
  EXPECT_THAT(Written(answer, "junit"), HasSubstr("<testsuites "));
  EXPECT_FALSE(Check("check a b -output json").met);
}

TEST(CheckTest, TheAnswerKeepsBothProfiles) {
  // The workspace and its profiles are gone.
  const tables::Answer answer =
      Check("check a b -fail-if 'op:Conv2D.micros > 1s'");
  EXPECT_THAT(Written(answer, "json"), HasSubstr("\"name\":\"Conv2D\""));
}

TEST(CheckTest, ABaseMayHaveSeveralFiles) {
  Workspace workspace;
  std::vector<std::vector<std::string>> loads;
  workspace.load = [&](const loaders::LoadRequest& request)
      -> absl::StatusOr<loaders::Loaded> {
    loads.push_back(request.files);
    loaders::Loaded loaded;
    loaded.profile = accounting::SmallModel();
    return loaded;
  };
  EXPECT_TRUE(RunLine("check graph,run_1 b", workspace).status.ok());
  EXPECT_THAT(loads,
              ElementsAre(ElementsAre("graph", "run_1"), ElementsAre("b")));
}

}  // namespace
}  // namespace tfprof::commands
