#include "exporters/formats/pprof_full.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exporters/pprof_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;

// A sample as "outermost > … > innermost [values] label=text …".
struct FullSample {
  std::vector<std::string> stack;
  std::vector<int64_t> values;
  std::map<std::string, std::string> labels;
};

// A Profile, decoded and checked against the schema and Go's CheckValid.
class PprofFile {
 public:
  explicit PprofFile(const std::string& bytes) {
    util::WireReader strings(bytes);
    while (strings.Next()) {
      if (strings.number() == 6) strings_.emplace_back(strings.view());
    }
    EXPECT_FALSE(strings.damaged());
    EXPECT_EQ(Text(0), "");
    std::map<int64_t, std::string> functions, locations;
    std::set<int64_t> mappings;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.number() == 3) mappings.insert(IntFields(r.view())[1][0]);
      if (r.number() == 1) {
        auto type = IntFields(r.view());
        types.push_back(Text(type[1][0]) + "/" + Text(type[2][0]));
      }
      if (r.number() == 9) time_nanos = r.int64();
      if (r.number() == 10) duration_nanos = r.int64();
      if (r.number() == 14) default_type = Text(r.int64());
      if (r.number() != 5) continue;
      auto function = IntFields(r.view());
      const int64_t id = function[1][0];
      EXPECT_GT(id, 0);
      std::string text = Text(function[2][0]);
      EXPECT_NE(text, "");
      if (function.contains(4)) text += " in " + Text(function[4][0]);
      EXPECT_TRUE(functions.try_emplace(id, text).second);
    }
    EXPECT_FALSE(mappings.contains(0));
    r = util::WireReader(bytes);
    while (r.Next()) {
      if (r.number() != 4) continue;
      int64_t id = 0, mapping = 0;
      std::string text;
      util::WireReader part(r.view());
      while (part.Next()) {
        if (part.number() == 1) id = part.int64();
        if (part.number() == 2) mapping = part.int64();
        if (part.number() != 4) continue;
        auto line = IntFields(part.view());
        EXPECT_TRUE(functions.contains(line[1][0]));
        text = functions[line[1][0]];
        if (line.contains(2)) text += fmt::format(":{}", line[2][0]);
      }
      EXPECT_GT(id, 0);
      EXPECT_TRUE(mappings.contains(mapping));
      EXPECT_TRUE(locations.try_emplace(id, text).second);
    }
    r = util::WireReader(bytes);
    while (r.Next()) {
      if (r.number() != 2) continue;
      FullSample& sample = samples.emplace_back();
      util::WireReader part(r.view());
      while (part.Next()) {
        if (part.number() == 3) {
          auto label = IntFields(part.view());
          sample.labels[Text(label[1][0])] = Text(label[2][0]);
          continue;
        }
        for (const int64_t value : Ints(part)) {
          if (part.number() == 2) {
            sample.values.push_back(value);
          } else {
            EXPECT_TRUE(locations.contains(value));
            sample.stack.insert(sample.stack.begin(), locations[value]);
          }
        }
      }
      EXPECT_EQ(sample.values.size(), types.size());
      EXPECT_FALSE(sample.stack.empty());
    }
  }

  std::string Describe(size_t i) const {
    return fmt::format("{} [{}] {}", fmt::join(samples[i].stack, " > "),
                       fmt::join(samples[i].values, ","),
                       samples[i].labels.at("node"));
  }

  std::vector<std::string> types;
  std::vector<FullSample> samples;
  std::string default_type;
  int64_t time_nanos = 0;
  int64_t duration_nanos = 0;

 private:
  std::string Text(int64_t index) const {
    EXPECT_LT(static_cast<size_t>(index), strings_.size());
    return static_cast<size_t>(index) < strings_.size() ? strings_[index] : "";
  }

  std::vector<std::string> strings_;
};

views::FieldSet Fields(std::initializer_list<views::Field> list) {
  views::FieldSet fields;
  for (const views::Field field : list) fields.Add(field);
  return fields;
}

PprofFile FullFile(const profile::Profile& profile, views::View view,
                   const views::ViewOptions& options, views::FieldSet fields) {
  views::Views views(profile);
  const auto encoded = EncodeFullPprof(views.Show(view, options), fields);
  EXPECT_TRUE(encoded.ok());
  return PprofFile(encoded.ok() ? encoded->message : "");
}

TEST(FullPprofTest, NodesOfRowsThatCallOthers) {
  Maker maker;
  const profile::NodeId outer = maker.Node("outer"),
                        inner = maker.Node("inner");
  maker.Stack(outer, {{"/a/main.py", 10, "main", 1}});
  maker.Stack(inner,
              {{"/a/main.py", 10, "main", 1}, {"/a/model.py", 20, "build", 5}});
  maker.Run(outer, kCpu0, 1000, 100);
  maker.Run(inner, kCpu0, 1500, 40);
  const PprofFile file =
      FullFile(maker.Build(), views::View::kCode, AllRows(0),
               Fields({accounting::kRequestedBytes, accounting::kMicros}));
  EXPECT_THAT(file.types,
              ElementsAre("nodes/count", "micros/microseconds", "bytes/bytes"));
  EXPECT_EQ(file.default_type, "micros");
  EXPECT_EQ(file.time_nanos, 1000000);
  EXPECT_EQ(file.duration_nanos, 540000);
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(0), "main:main in /a/main.py:10 [1,100,0] outer");
  EXPECT_EQ(file.Describe(1),
            "main:main in /a/main.py:10 > model:build in /a/model.py:20 "
            "[1,40,0] inner");
  EXPECT_EQ(file.samples[0].labels.at("op"), "Op");
  EXPECT_EQ(file.samples[0].labels.at("device"), kCpu0);
}

TEST(FullPprofTest, ScopesAreTheStack) {
  Maker maker;
  maker.Run(maker.Node("a/b/\xff"), kCpu0, 1000, 100);
  maker.Run(maker.Node("a"), kCpu0, 2000, 7);
  maker.Node("c");
  const profile::Profile profile = maker.Build();
  views::ViewOptions options = AllRows(-1);
  PprofFile file = FullFile(profile, views::View::kScope, options,
                            Fields({accounting::kRunCount}));
  EXPECT_THAT(file.types, ElementsAre("nodes/count", "occurrence/count"));
  EXPECT_EQ(file.time_nanos, 0);
  ASSERT_EQ(file.samples.size(), 3u);
  EXPECT_EQ(file.Describe(0), "a [1,1] a");
  EXPECT_EQ(file.Describe(1), "a > a/b > a/b/\ufffd [1,1] a/b/\ufffd");
  EXPECT_EQ(file.Describe(2), "c [1,0] c");
  // A node below a hidden row counts for the row above; without one, it is left
  // out.
  options.max_depth = 2;
  options.hide_names = {"c"};
  file = FullFile(profile, views::View::kScope, options,
                  Fields({accounting::kMicros}));
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(1), "a [1,100] a/b/\ufffd");
  options.account_displayed_only = true;
  file = FullFile(profile, views::View::kScope, options,
                  Fields({accounting::kMicros}));
  EXPECT_EQ(file.samples.size(), 1u);
}

// The samples of the file add up to the values of the root.
TEST(FullPprofTest, SumsAreTheTotals) {
  Maker maker;
  const profile::NodeId first = maker.Node("x/first");
  maker.Run(first, kCpu0, 10, 3);
  maker.Run(maker.Node("x/y/second", {first}), kCpu1, 20, 4);
  maker.Run(maker.Node("third", {first}), kCpu0, 30, 5);
  const profile::Profile profile = maker.Build();
  for (const views::View view :
       {views::View::kScope, views::View::kGraph, views::View::kOp}) {
    SCOPED_TRACE(static_cast<int>(view));
    const PprofFile file =
        FullFile(profile, view, AllRows(0),
                 Fields({accounting::kMicros, accounting::kCpuMicros,
                         accounting::kParameters}));
    std::vector<int64_t> sums(4, 0);
    for (const FullSample& sample : file.samples) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += sample.values[i];
    }
    EXPECT_THAT(sums, ElementsAre(3, 12, 12, 0));
  }
  const PprofFile ops = FullFile(profile, views::View::kOp, AllRows(0),
                                 Fields({accounting::kMicros}));
  EXPECT_EQ(ops.Describe(0), "Op > third [1,5] third");
}

TEST(FullPprofTest, GradientsAreFramesOfTheirOwn) {
  const PprofFile file = FullFile(CodeProfile(), views::View::kCode,
                                  AllRows(-1), Fields({accounting::kMicros}));
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(0),
            "main:main in /a/main.py:10 > model:build in /a/model.py:20 "
            "[1,100] conv");
  EXPECT_EQ(file.Describe(1),
            "main:main (gradient) in /a/main.py:10 > "
            "model:build (gradient) in /a/model.py:20 "
            "[1,40] gradients/conv_grad/Bprop");
}

TEST(FullPprofTest, NodesOfHiddenLinesCountForTheLineAbove) {
  views::ViewOptions options = AllRows(-1);
  options.hide_names = {"model.*"};
  // The code view ignores it.
  options.account_displayed_only = true;
  const PprofFile file = FullFile(CodeProfile(), views::View::kCode, options,
                                  Fields({accounting::kMicros}));
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(0), "main:main in /a/main.py:10 [1,100] conv");
}

TEST(FullPprofTest, NodesThatAreNotAccountedAreNotInTheFile) {
  Maker maker;
  maker.Run(maker.Node("a/b"), kCpu0, 10, 3);
  const profile::NodeId n = maker.Node("a");
  maker.Run(n, kCpu0, 20, 4);
  maker.builder().AddType(
      n, maker.builder().mutable_graph().strings.Intern("mine"));
  const profile::Profile profile = maker.Build();
  views::ViewOptions options = AllRows(-1);
  options.account_types = {"mine"};
  for (const views::View view :
       {views::View::kScope, views::View::kGraph, views::View::kOp}) {
    const PprofFile file =
        FullFile(profile, view, options, Fields({accounting::kMicros}));
    ASSERT_EQ(file.samples.size(), 1u);
    EXPECT_EQ(file.samples[0].labels.at("node"), "a");
    EXPECT_EQ(file.samples[0].values[1], 4);
  }
}

TEST(FullPprofTest, LinesAndFilesThatAreNotKnown) {
  Maker maker;
  const profile::NodeId n = maker.Node("n");
  maker.Stack(n, {{"", 0, "f", 0}});
  maker.Run(n, kCpu0, 10, 3);
  const PprofFile file = FullFile(maker.Build(), views::View::kCode,
                                  AllRows(-1), Fields({accounting::kMicros}));
  ASSERT_EQ(file.samples.size(), 1u);
  EXPECT_EQ(file.Describe(0), ":f [1,3] n");
}

TEST(FullPprofTest, AStepWithoutStartsHasNoTime) {
  Maker maker;
  maker.Run(maker.Node("a"), kCpu0, profile::kNoStart, 3);
  maker.Node("b");
  const PprofFile file = FullFile(maker.Build(), views::View::kScope,
                                  AllRows(0), Fields({accounting::kMicros}));
  EXPECT_EQ(file.time_nanos, 0);
  EXPECT_EQ(file.duration_nanos, 0);
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.samples[0].labels.at("device"), kCpu0);
  // A node that never ran has no label for its device.
  EXPECT_FALSE(file.samples[1].labels.contains("device"));
}

TEST(FullPprofTest, AnEmptyProfileIsAValidFile) {
  for (const views::View view : {views::View::kScope, views::View::kGraph,
                                 views::View::kOp, views::View::kCode}) {
    const PprofFile file = FullFile(profile::Profile(), view, AllRows(-1),
                                    Fields({accounting::kMicros}));
    EXPECT_EQ(file.samples.size(), 0u);
    EXPECT_THAT(file.types, ElementsAre("nodes/count", "micros/microseconds"));
  }
}

TEST(FullPprofTest, FieldsThatAreNoNumbers) {
  const profile::Profile profile = CodeProfile();
  views::Views views(profile);
  const views::Report report = views.Show(views::View::kScope, AllRows(-1));
  EXPECT_TRUE(FullPprofSupports(accounting::kRunCount));
  EXPECT_FALSE(FullPprofSupports(views::Field::kOpTypes));
  for (const views::FieldSet fields :
       {views::FieldSet(),
        Fields({accounting::kMicros, views::Field::kDevice})}) {
    EXPECT_EQ(EncodeFullPprof(report, fields).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(FullPprofTest, StopsWhenItIsCancelled) {
  const profile::Profile profile = CodeProfile();
  views::Views views(profile);
  const views::Report report = views.Show(views::View::kScope, AllRows(-1));
  util::Cancellation cancelled;
  cancelled.Request();
  EXPECT_TRUE(absl::IsCancelled(
      EncodeFullPprof(report, Fields({accounting::kMicros}), &cancelled)
          .status()));
}

}  // namespace
}  // namespace tfprof::exporters
