// The command redact.

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace redact_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTrace =
    R"({"schemaVersion":1,"deviceProperties":[],"host_name":"node7","traceEvents":)"
    R"([{"ph":"X","cat":"cpu_op","name":"/home/ann/f","ts":1,"dur":1,"pid":1,)"
    R"("tid":1}]})";

std::string Input() {
  std::string path = testing::TempDir() + "/redact_in.json";
  std::ofstream(path, std::ios::trunc) << kTrace;
  return path;
}

TEST(RedactCommandTest, WritesTheFileAndSaysWhatWasReplaced) {
  const std::string in = Input(), out = testing::TempDir() + "/redact_new.json";
  Workspace workspace;
  for (const std::string& line :
       {"redact " + in + " -o " + out, "redact -o " + out + " " + in,
        "redact " + in + " " + out}) {
    const tables::Answer answer = RunLine(line, workspace);
    ASSERT_TRUE(answer.status.ok()) << answer.status;
    ASSERT_EQ(answer.files.size(), 1u);
    EXPECT_EQ(answer.files[0].path, out);
    const std::string text = Content(answer.files[0]);
    EXPECT_THAT(text, HasSubstr("/home/user1/f"));
    EXPECT_THAT(text, HasSubstr("\"host_name\":\"host1\""));
    EXPECT_EQ(text.size(), kTrace.size() + 2);
    EXPECT_THAT(answer.met(),
                ElementsAre("Replaced: 1 host name (n…), 1 user name (a…).",
                            "The redacted file is written to " + out + "."));
  }
}

TEST(RedactCommandTest, NothingIsOverwritten) {
  const std::string in = Input();
  Workspace workspace;
  EXPECT_THAT(ErrorOf("redact " + in + " -o " + in, workspace),
              HasSubstr("is the file itself"));
  const std::string mine = testing::TempDir() + "/redact_mine";
  std::ofstream(mine) << "mine";
  EXPECT_EQ(ErrorOf("redact " + in + " -o " + mine, workspace),
            mine + " exists; to replace it: redact -force " + in + " " + mine);
  EXPECT_TRUE(
      RunLine("redact -force " + in + " -o " + mine, workspace).status.ok());
  EXPECT_THAT(ErrorOf("redact " + in, workspace),
              HasSubstr("Name the new file: redact " + in + " -o FILE"));
  EXPECT_THAT(ErrorOf("redact /no/such -o x", workspace),
              HasSubstr("/no/such"));
}

}  // namespace redact_test
}  // namespace
}  // namespace tfprof::commands
