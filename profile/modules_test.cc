#include "profile/modules.h"

#include "gtest/gtest.h"
#include "profile/string_pool.h"

namespace tfprof {
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

}  // namespace
}  // namespace tfprof
