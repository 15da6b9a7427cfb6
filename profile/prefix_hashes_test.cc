#include "profile/prefix_hashes.h"

#include <string>

#include "gtest/gtest.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {
namespace {

TEST(PrefixHashesTest, EveryPrefixHasTheHashOfThePool) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37);
  PrefixHashes hashes;
  hashes.Assign(text);
  for (size_t size = 0; size <= text.size(); ++size) {
    EXPECT_EQ(hashes.Of(size), StringPool::Hash(text.substr(0, size))) << size;
  }
}

TEST(PrefixHashesTest, TheLastAssignedStringCounts) {
  PrefixHashes hashes;
  hashes.Assign("a long string of more than two blocks");
  hashes.Assign("ab");
  EXPECT_EQ(hashes.Of(0), StringPool::Hash(""));
  EXPECT_EQ(hashes.Of(2), StringPool::Hash("ab"));
}

}  // namespace
}  // namespace tfprof::profile
