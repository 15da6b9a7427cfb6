#include "profile/details.h"

#include <cstdint>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

using ::testing::IsEmpty;

// Implements only the required functions.
class SmallestReader : public DetailReader {
 public:
  AttributeList Attributes(uint64_t) const override { return {}; }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  bool record_is_group() const override { return false; }
};

TEST(DetailReaderTest, WhatAFormatDoesNotHaveIsEmpty) {
  const SmallestReader reader;
  EXPECT_THAT(reader.OutputShapes(0), IsEmpty());
  EXPECT_THAT(reader.Inputs(0), IsEmpty());
  EXPECT_EQ(reader.Text(0).name, "");
  EXPECT_EQ(reader.Text(0).label, "");
  EXPECT_EQ(reader.NodeDef(0), "");
  EXPECT_EQ(reader.NodeExecStats(0), "");
  EXPECT_THAT(reader.Function(0).nodes, IsEmpty());
  EXPECT_THAT(reader.Function(0).arguments, IsEmpty());
}

TEST(DetailReaderTest, AFormatWithoutALibraryHasNoFunctions) {
  int functions = 0;
  SmallestReader().VisitFunctions(
      [&](std::string_view, uint64_t) { ++functions; });
  EXPECT_EQ(functions, 0);
}

}  // namespace
}  // namespace tfprof::profile
