#include "profiler/options/flags.h"

#include <set>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/options/options.h"

namespace tfprof::options {
namespace {

using ::testing::ElementsAre;

bool Set(std::string_view name, std::string_view value, ProgramFlags& flags) {
  const FlagInfo* flag = FindFlag(name);
  EXPECT_NE(flag, nullptr) << name;
  return flag != nullptr && flag->set(value, flags);
}

TEST(FlagTableTest, NamesAreUniqueAndNoOptions) {
  std::set<std::string_view> names;
  for (const FlagInfo& flag : FlagTable()) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_EQ(FindFlag(flag.name), &flag);
    EXPECT_EQ(FindOption(flag.name), nullptr) << flag.name;
    EXPECT_NE(flag.help, "");
    EXPECT_NE(flag.value_name, "");
    EXPECT_TRUE(flag.set);
  }
  EXPECT_EQ(FindFlag("nothing"), nullptr);
}

TEST(FlagTableTest, Inputs) {
  ProgramFlags flags;
  EXPECT_TRUE(flags.inputs.empty());
  EXPECT_TRUE(Set("graph_path", "g", flags));
  EXPECT_FALSE(flags.inputs.empty());
}

TEST(FlagTableTest, Values) {
  ProgramFlags flags;
  EXPECT_TRUE(Set("base", "a,,b", flags));
  EXPECT_TRUE(Set("base", "c", flags));
  EXPECT_THAT(flags.base, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(Set("max_memory", "2G", flags));
  EXPECT_EQ(flags.inputs.max_memory, size_t{2} << 30);
  EXPECT_TRUE(Set("max_memory", "1000", flags));
  EXPECT_EQ(flags.inputs.max_memory, 1000u);
  EXPECT_TRUE(Set("threads", "4", flags));
  EXPECT_EQ(flags.inputs.work.threads, 4);
  EXPECT_TRUE(Set("same_step", "merge", flags));
  EXPECT_EQ(flags.inputs.same_step, loaders::SameStep::kMerge);
  EXPECT_TRUE(Set("max_seconds", "90", flags));
  EXPECT_EQ(flags.max_seconds, 90u);
  EXPECT_FALSE(flags.untrusted.has_value());
  EXPECT_TRUE(Set("untrusted", "false", flags));
  EXPECT_EQ(flags.untrusted, false);
  EXPECT_TRUE(Set("untrusted", "true", flags));
  EXPECT_EQ(flags.untrusted, true);
  EXPECT_TRUE(Set("f", "script", flags));
  EXPECT_EQ(flags.script, "script");
}

TEST(FlagTableTest, InvalidValuesAreRefused) {
  ProgramFlags flags;
  EXPECT_FALSE(Set("base", ",", flags));
  for (const char* value : {"", "x", "2X", "2GB", "-1", "99999999999999T"}) {
    EXPECT_FALSE(Set("max_memory", value, flags)) << value;
  }
  for (const char* value : {"0", "-1", "1025", "4x", ""}) {
    EXPECT_FALSE(Set("threads", value, flags)) << value;
  }
  EXPECT_FALSE(Set("same_step", "both", flags));
  for (const char* value : {"0", "-1", "1s", "1.5", "99999999999"}) {
    EXPECT_FALSE(Set("max_seconds", value, flags)) << value;
  }
  EXPECT_FALSE(Set("untrusted", "maybe", flags));
}

}  // namespace
}  // namespace tfprof::options
