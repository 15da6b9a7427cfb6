#include "exporters/reference/pprof.h"

#include <string>
#include <string_view>
#include <vector>

#include "exporters/pprof_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// One line for each part of a Profile message, in the order of the message.
std::vector<std::string> DescribePprof(const std::string& bytes) {
  std::vector<std::string> lines, strings;
  util::WireReader table(bytes);
  while (table.Next()) {
    if (table.tag() == util::LengthTag(6)) strings.emplace_back(table.view());
  }
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.number() == 6) continue;
    if (r.number() == 13) {
      lines.push_back("comment " + strings[Ints(r)[0]]);
    } else if (r.number() == 2 || r.number() == 4) {
      // These nested messages contain only numbers.
      std::string line = r.number() == 2 ? "sample" : "location";
      util::WireReader part(r.view());
      while (part.Next()) {
        const bool nested = part.number() == (r.number() == 2 ? 3 : 4);
        if (!nested) {
          line += fmt::format(" {}=[{}]", part.number(),
                              fmt::join(Ints(part), ","));
          continue;
        }
        for (const auto& [number, values] : IntFields(part.view())) {
          line += fmt::format(" {}.{}={}", part.number(), number, values[0]);
        }
      }
      lines.push_back(line);
    } else {
      std::string line = r.number() == 1 ? "type" : "function";
      for (const auto& [number, values] : IntFields(r.view())) {
        line += fmt::format(" {}={}", number, values[0]);
      }
      lines.push_back(line);
    }
  }
  EXPECT_FALSE(r.damaged());
  for (size_t i = 0; i < strings.size(); ++i) {
    lines.push_back(fmt::format("{} {}", i, strings[i]));
  }
  return lines;
}

TEST(PprofTest, ForwardAndGradient) {
  const profile::Profile profile = CodeProfile();
  views::Views views(profile);
  const views::ViewOptions options = AllRows(-1);
  const auto bytes =
      EncodePprof(views.Show(views::View::kCode, options), accounting::kMicros,
                  *views.context().NodeStats(options.step));
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(
      DescribePprof(*bytes),
      ElementsAre(
          "type 1=7 2=7", "type 1=8 2=9", "sample 1=[1] 2=[1,100] 3.1=3 3.2=4",
          "sample 1=[2] 2=[1,40] 3.1=3 3.2=6", "location 1=[1] 4.1=1 4.2=10",
          "location 1=[2] 4.1=2 4.2=10", "function 1=1 2=1 4=2 5=5",
          "function 1=2 2=5 4=2 5=5",
          "comment Sum of accelerator execution time and cpu "
          "execution time.",
          "0 ", "1 model:build", "2 /a/model.py", "3 graph node:", "4 conv",
          "5 model:build (gradient)", "6 gradients/conv_grad/Bprop", "7 count",
          "8 micros", "9 microseconds",
          "10 Sum of accelerator execution time and cpu execution "
          "time."));
}

TEST(PprofTest, NodesOfHiddenRowsCountAbove) {
  const profile::Profile profile = CodeProfile();
  views::Views views(profile);
  views::ViewOptions options = AllRows(-1);
  options.max_depth = 2;
  const auto bytes = EncodePprof(views.Show(views::View::kCode, options),
                                 accounting::kCpuMicros,
                                 *views.context().NodeStats(options.step));
  ASSERT_TRUE(bytes.ok());
  // The row is directly below the root and has no location.
  EXPECT_THAT(
      DescribePprof(*bytes),
      ElementsAre(
          "type 1=4 2=4", "type 1=5 2=6", "sample 2=[1,100] 3.1=1 3.2=2",
          "sample 2=[1,40] 3.1=1 3.2=3", "comment CPU execution time.", "0 ",
          "1 graph node:", "2 conv", "3 gradients/conv_grad/Bprop", "4 count",
          "5 cpu_micros", "6 microseconds", "7 CPU execution time."));
}

// As in the reference; pprof_full.h includes such nodes.
TEST(PprofTest, NodesOfRowsThatCallOthersAreNotInIt) {
  Maker maker;
  const profile::NodeId outer = maker.Node("outer"),
                        inner = maker.Node("inner");
  maker.Stack(outer, {{"/a/main.py", 10, "main", 1}});
  maker.Stack(inner,
              {{"/a/main.py", 10, "main", 1}, {"/a/model.py", 20, "build", 5}});
  maker.Run(outer, kCpu0, 10, 100);
  maker.Run(inner, kCpu0, 20, 40);
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  const auto bytes =
      EncodePprof(views.Show(views::View::kCode, AllRows(-1)),
                  accounting::kMicros, *views.context().NodeStats(-1));
  ASSERT_TRUE(bytes.ok());
  const std::vector<std::string> lines = DescribePprof(*bytes);
  EXPECT_THAT(lines, Contains("sample 1=[1] 2=[1,40] 3.1=3 3.2=4"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("outer"))));
}

TEST(PprofTest, NodesOfALineAreSamplesInTheOrderOfTheirNames) {
  Maker maker;
  for (const char* name : {"z", "a", "m"}) {
    const profile::NodeId n = maker.Node(name);
    maker.Stack(n, {{"m.py", 1, "f", 1}});
    maker.Run(n, kCpu0, 10, name[0]);
  }
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  const auto bytes =
      EncodePprof(views.Show(views::View::kCode, AllRows(-1)),
                  accounting::kMicros, *views.context().NodeStats(-1));
  ASSERT_TRUE(bytes.ok());
  std::vector<std::string> samples;
  for (const std::string& line : DescribePprof(*bytes)) {
    if (line.starts_with("sample")) samples.push_back(line);
  }
  EXPECT_THAT(samples,
              ElementsAre(HasSubstr("2=[1,97]"), HasSubstr("2=[1,109]"),
                          HasSubstr("2=[1,122]")));
}

TEST(PprofTest, AnEmptyProfile) {
  const profile::Profile profile;
  views::Views views(profile);
  const auto bytes =
      EncodePprof(views.Show(views::View::kCode, AllRows(-1)),
                  accounting::kMicros, *views.context().NodeStats(-1));
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(DescribePprof(*bytes), Contains(HasSubstr("micros")));
  EXPECT_THAT(DescribePprof(*bytes), Not(Contains(HasSubstr("sample"))));
}

TEST(PprofTest, FieldsThatAreNoNumbers) {
  const profile::Profile profile = CodeProfile();
  views::Views views(profile);
  EXPECT_TRUE(PprofSupports(accounting::kFloatOps));
  EXPECT_FALSE(PprofSupports(views::Field::kDevice));
  const auto bytes =
      EncodePprof(views.Show(views::View::kCode, AllRows(-1)),
                  views::Field::kDevice, *views.context().NodeStats(-1));
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
  // The message lists the words that may be selected.
  EXPECT_THAT(
      std::string(bytes.status().message()),
      AllOf(HasSubstr("micros"), HasSubstr("bytes"), Not(HasSubstr("device"))));
}

}  // namespace
}  // namespace tfprof::exporters
