#include "profile/tables/modules.h"

#include "gtest/gtest.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {
namespace {

TEST(ModulesTest, TheUnnamedModuleAlwaysExists) {
  const Modules modules;
  EXPECT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules.name(kUnnamedModule), kNone);
}

TEST(ModulesTest, ANameHasOneModule) {
  StringPool strings;
  const StringId step = strings.Intern("jit_step");
  const StringId init = strings.Intern("jit_init");
  Modules modules;
  EXPECT_EQ(modules.Intern(step), 1u);
  EXPECT_EQ(modules.Intern(init), 2u);
  EXPECT_EQ(modules.Intern(step), 1u);
  EXPECT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules.name(2), init);
  EXPECT_EQ(modules.Find(init), 2u);
  EXPECT_EQ(modules.Find(strings.Intern("jit_other")), kNone);
}

TEST(ModulesTest, ACopyIsIndependent) {
  Modules modules;
  modules.Intern(7);
  Modules copy = modules;
  EXPECT_EQ(copy.Intern(8), 2u);
  EXPECT_EQ(copy.Find(7), 1u);
  EXPECT_EQ(modules.Find(8), kNone);
  EXPECT_EQ(modules.size(), 2u);
  EXPECT_GT(copy.bytes(), 0u);
}

}  // namespace
}  // namespace tfprof::profile
