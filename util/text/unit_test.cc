#include "util/text/unit.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

constexpr Unit kUnits[] = {Unit::kText,  Unit::kCount, Unit::kMicros,
                           Unit::kBytes, Unit::kShare, Unit::kNumber};

TEST(UnitTest, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (const Unit unit : kUnits) {
    EXPECT_TRUE(names.insert(UnitName(unit)).second) << UnitName(unit);
  }
}

TEST(UnitTest, ANameGivesItsUnit) {
  for (const Unit unit : kUnits) {
    EXPECT_EQ(UnitNamed(UnitName(unit)), unit) << UnitName(unit);
  }
}

TEST(UnitTest, OtherNamesAreNumbers) {
  for (const std::string_view name : {"", "Micros", "micros ", "seconds"}) {
    EXPECT_EQ(UnitNamed(name), Unit::kNumber) << name;
  }
}

TEST(UnitTest, ProgramsReadTheseNames) {
  static_assert(UnitName(Unit::kMicros) == "micros");
  static_assert(UnitNamed("bytes") == Unit::kBytes);
}

}  // namespace
}  // namespace tfprof::util
