#include "profiler/commands/help/glossary.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/options/options.h"
#include "util/text/ascii.h"

namespace tfprof::commands {
namespace {

TEST(GlossaryTest, FindsWordsAsTheyAreWritten) {
  ASSERT_NE(FindTerm("host-bound"), nullptr);
  EXPECT_EQ(FindTerm("Host_Bound"), FindTerm("host-bound"));
  EXPECT_EQ(FindTerm("mfu")->word, "MFU");
  EXPECT_EQ(FindTerm("nothing"), nullptr);
  EXPECT_EQ(FindTerm(""), nullptr);
}

TEST(GlossaryTest, IsSorted) {
  EXPECT_TRUE(std::is_sorted(
      Glossary().begin(), Glossary().end(), [](const Term& a, const Term& b) {
        return util::LowerCase(a.word) < util::LowerCase(b.word);
      }));
}

// help would never show such a term.
TEST(GlossaryTest, NoTermIsACommandOrAnOption) {
  for (const Term& term : Glossary()) {
    EXPECT_EQ(FindCommand(term.word), nullptr) << term.word;
    EXPECT_EQ(options::FindOption(term.word), nullptr) << term.word;
  }
}

}  // namespace
}  // namespace tfprof::commands
