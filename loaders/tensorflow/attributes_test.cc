#include "loaders/tensorflow/attributes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/graph.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::SizeIs;

constexpr uint32_t kAttr = 5;  // NodeDef.attr

std::string Attr(const std::string& key, int value) {
  return loaders::Binary<proto::NodeDef>(
      "attr { key: '" + key + "' value { i: " + std::to_string(value) + " } }");
}

TEST(AttributesTest, InOrderOfSightTheLastValueCounts) {
  const std::string node =
      Attr("b", 1) + loaders::Binary<proto::NodeDef>("name: 'n' op: 'Op'") +
      Attr("a", 2) + Attr("b", 3);
  const profile::AttributeList attributes = ReadAttributes(node, kAttr);
  ASSERT_THAT(attributes, SizeIs(2));
  EXPECT_EQ(attributes[0].first, "b");
  EXPECT_EQ(attributes[0].second, "\x18\x03");
  EXPECT_EQ(attributes[1].first, "a");
}

TEST(AttributesTest, ManyAttributes) {
  std::string node;
  for (int i = 0; i < 100; ++i) node += Attr("k" + std::to_string(i), 1);
  for (int i = 0; i < 100; ++i) node += Attr("k" + std::to_string(i), 2);
  const profile::AttributeList attributes = ReadAttributes(node, kAttr);
  ASSERT_THAT(attributes, SizeIs(100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(attributes[static_cast<size_t>(i)].first,
              "k" + std::to_string(i));
    EXPECT_EQ(attributes[static_cast<size_t>(i)].second, "\x18\x02");
  }
}

TEST(AttributesTest, OtherFieldsAndDamageAreSkipped) {
  EXPECT_THAT(ReadAttributes(Attr("a", 1), kAttr + 1), SizeIs(0));
  EXPECT_THAT(ReadAttributes("\x2a\x02\x0a\x7f" + Attr("a", 1), kAttr),
              SizeIs(1));
  EXPECT_THAT(ReadAttributes("", kAttr), SizeIs(0));
}

}  // namespace
}  // namespace tfprof::tensorflow
