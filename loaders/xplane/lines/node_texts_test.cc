#include "loaders/xplane/lines/node_texts.h"

#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

TEST(NodeTextsTest, OneNameOrSeveral) {
  const std::string gemm = "gemm", same = "gemm";
  NodeTexts texts;
  texts.Note(0, gemm);
  texts.Note(3, gemm);
  texts.Note(0, same);
  texts.Note(3, "fill");
  texts.Note(3, gemm);
  // A name that is missing is another one than "fill".
  texts.Note(1, std::string_view());
  texts.Note(1, "fill");
  profile::NodeTable nodes;
  nodes.name.resize(5);
  std::move(texts).Finish(nodes);
  EXPECT_TRUE(nodes.HasSameTexts(0));
  EXPECT_FALSE(nodes.HasSameTexts(1));
  EXPECT_FALSE(nodes.HasSameTexts(2));  // no event
  EXPECT_FALSE(nodes.HasSameTexts(3));
  EXPECT_FALSE(nodes.HasSameTexts(4));  // no event, and after all others
  EXPECT_EQ(nodes.same_texts.size(), 5u);
}

}  // namespace
}  // namespace tfprof::xplane
