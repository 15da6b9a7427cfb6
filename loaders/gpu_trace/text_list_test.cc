#include "loaders/gpu_trace/text_list.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tfprof::gpu_trace {
namespace {

TEST(TextList, KeepsTextsOfAllSizesWhereTheyAre) {
  std::vector<std::string> expected = {"", "short", std::string(200000, 'x')};
  for (int i = 0; i < 20000; ++i)
    expected.push_back("op_id = " + std::to_string(i));
  expected.push_back("short");  // again
  TextList texts;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(texts.Add(expected[i]), i);
  }
  const std::string_view first = texts[1];
  const TextList moved = std::move(texts);
  EXPECT_EQ(moved[1].data(), first.data());
  ASSERT_EQ(moved.size(), expected.size());
  for (uint32_t i = 0; i < moved.size(); ++i) EXPECT_EQ(moved[i], expected[i]);
}

}  // namespace
}  // namespace tfprof::gpu_trace
