#include "loaders/core/import_log.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using ::testing::SizeIs;

TEST(ImportLogTest, CountsAllKeepsAFew) {
  ImportLog log;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(log.WantsText("odd"), i < ImportLog::kMaxTexts);
    log.Add(ImportLog::kNotice, "odd", std::to_string(i));
  }
  log.Count(ImportLog::kNotice, "odd", 5);
  log.Count(ImportLog::kDamage, "nothing", 0);
  EXPECT_FALSE(log.damaged());
  log.Count(ImportLog::kDamage, "bad", 2);
  EXPECT_TRUE(log.damaged());
  ASSERT_THAT(log.entries(), SizeIs(2));
  EXPECT_EQ(log.entries()[0].kind, "odd");
  EXPECT_EQ(log.entries()[0].count, 105);
  EXPECT_THAT(log.entries()[0].texts, SizeIs(ImportLog::kMaxTexts));
  EXPECT_EQ(log.entries()[1].count, 2);
}

TEST(ImportLogTest, AppendAddsCountsAndKeepsTheFirstTexts) {
  ImportLog log, other;
  log.Add(ImportLog::kNotice, "odd", "a");
  other.Add(ImportLog::kDamage, "bad", "x");
  other.Add(ImportLog::kNotice, "odd", "b");
  other.Count(ImportLog::kNotice, "odd", 20);
  for (int i = 0; i < 2 * ImportLog::kMaxTexts; ++i) log.Append(other);
  ASSERT_THAT(log.entries(), SizeIs(2));
  EXPECT_EQ(log.entries()[0].kind, "odd");
  EXPECT_EQ(log.entries()[0].count, 1 + 2 * ImportLog::kMaxTexts * 21);
  EXPECT_THAT(log.entries()[0].texts, SizeIs(ImportLog::kMaxTexts));
  EXPECT_EQ(log.entries()[0].texts[0], "a");
  EXPECT_EQ(log.entries()[0].texts[1], "b");
  EXPECT_EQ(log.entries()[1].severity, ImportLog::kDamage);
  EXPECT_TRUE(log.damaged());
}

TEST(ImportLogTest, LinesSayHowManyMoreThereAre) {
  ImportLog log;
  log.Count(ImportLog::kNotice, "for status alone", 3);
  log.Count(ImportLog::kDamage, "bad", 2);
  log.Add(ImportLog::kNotice, "few", "a");
  for (int i = 0; i < ImportLog::kMaxTexts + 5; ++i) {
    log.Add(ImportLog::kNotice, "many", "b");
  }
  const std::vector<std::string> lines = log.Lines();
  ASSERT_THAT(lines, SizeIs(2 + ImportLog::kMaxTexts + 1));
  EXPECT_EQ(lines[0], "… and 2 more: bad");
  EXPECT_EQ(lines[1], "a");
  EXPECT_EQ(lines[2], "b");
  EXPECT_EQ(lines.back(), "… and 5 more: many");
}

TEST(ImportLogTest, ANameWithANewlineStaysInItsLine) {
  ImportLog log;
  log.Add(ImportLog::kNotice, "odd", "node a\nE: forged is odd");
  EXPECT_EQ(log.Lines(),
            std::vector<std::string>{"node a\\x0aE: forged is odd"});
}

}  // namespace
}  // namespace tfprof::loaders
