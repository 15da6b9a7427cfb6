#include "util/run/huge_pages.h"

#include <cstddef>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(HugePagesTest, MemoryKeepsItsValues) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{5} << 20}) {
    std::vector<char> memory(size + 2, 'a');
    AdviseHugePages(memory.data() + 1, size);
    EXPECT_EQ(memory, std::vector<char>(size + 2, 'a'));
  }
}

}  // namespace
}  // namespace tfprof::util
