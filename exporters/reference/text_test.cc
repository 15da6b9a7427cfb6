// The reports of the reference's own tests, byte for byte, and numbers.

#include "exporters/reference/text.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "tables/numbers.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- Numbers (spec 4.3)

struct Named {
  int64_t value;
  const char* text;
};

TEST(NumbersTest, Counts) {
  const Named cases[] = {{0, "0"},
                         {999, "999"},
                         {1000, "1.00k"},
                         {10440, "10.44k"},
                         {999999, "1000.00k"},
                         {1000000, "1.00m"},
                         {999999999, "1000.00m"},
                         {1000000000, "1.00b"},
                         {1234567890123, "1234.57b"},
                         {INT64_MAX, "9223372036.85b"},
                         {-1, "-1"},
                         {-5000, "-5000"},
                         {INT64_MIN, "-9223372036854775808"}};
  for (const Named& c : cases) EXPECT_EQ(tables::FormatCount(c.value), c.text);
}

TEST(NumbersTest, Micros) {
  const Named cases[] = {{0, "0us"},
                         {999, "999us"},
                         {1000, "1.00ms"},
                         {4541, "4.54ms"},
                         {999999, "1000.00ms"},
                         {1000000, "1.00sec"},
                         {1000000000, "1000.00sec"},
                         {3600000000, "3600.00sec"},
                         {INT64_MAX, "9223372036854.78sec"},
                         {-13, "-13us"},
                         {-1300000, "-1300000us"}};
  for (const Named& c : cases) EXPECT_EQ(tables::FormatMicros(c.value), c.text);
}

TEST(NumbersTest, Bytes) {
  const Named cases[] = {{0, "0B"},
                         {999, "999B"},
                         {1000, "1.00KB"},
                         {2560, "2.56KB"},
                         {999999, "1000.00KB"},
                         {1000000, "1.00MB"},
                         {2500000000, "2500.00MB"},
                         {INT64_MAX, "9223372036854.78MB"},
                         {-5, "-5B"},
                         {-5000000, "-5000000B"}};
  for (const Named& c : cases) EXPECT_EQ(tables::FormatBytes(c.value), c.text);
}

// The reference divides doubles and lets printf round: 1005 is "1.00k" or
// "1.01k", depending on the double nearest to 1.005.
std::string Printf(int64_t n, double unit, const char* suffix) {
  char text[64];
  snprintf(text, sizeof(text), "%.2f%s", static_cast<double>(n) / unit, suffix);
  return text;
}

TEST(NumbersTest, RoundedAsPrintfDoes) {
  for (int64_t n = 1000; n < 1000000; ++n) {
    ASSERT_EQ(tables::FormatCount(n), Printf(n, 1e3, "k"));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    // All lengths from 7 digits to 19, half of them next to a tie.
    const int digits = 6 + static_cast<int>(random() % 13);
    const auto power = static_cast<int64_t>(std::pow(10, digits));
    int64_t n = power + static_cast<int64_t>(random() % (9 * power / 10 * 9));
    if (n < 1000000) continue;
    if (i % 2)
      n = n / 10000 * 10000 + 5000 + static_cast<int64_t>(i / 2 % 3) - 1;
    ASSERT_EQ(tables::FormatBytes(n), Printf(n, 1e6, "MB")) << n;
    ASSERT_EQ(tables::FormatMicros(n), Printf(n, 1e6, "sec")) << n;
    ASSERT_EQ(tables::FormatCount(n),
              n < 1000000000 ? Printf(n, 1e6, "m") : Printf(n, 1e9, "b"))
        << n;
  }
}

// ---- Worked examples (spec 18)

views::FieldSet Select(std::initializer_list<views::Field> fields) {
  views::FieldSet set;
  for (const views::Field field : fields) set.Add(field);
  return set;
}

views::ViewOptions OrderBy(accounting::Stat stat) {
  views::ViewOptions options;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = stat;
  return options;
}

class SmallModelTest : public ::testing::Test {
 protected:
  std::string Text(views::View view, const views::ViewOptions& options) {
    util::StringSink sink;
    WriteText(
        views_.Show(view, options), nullptr, [](std::string_view) {}, sink);
    return sink.text();
  }
  // The text after "Profile:".
  std::string Body(views::View view, const views::ViewOptions& options) {
    const std::string text = Text(view, options);
    constexpr std::string_view kProfile = "\nProfile:\n";
    const size_t at = text.find(kProfile);
    EXPECT_NE(at, text.npos);
    return text.substr(at + kProfile.size());
  }

  profile::Profile profile_ = accounting::SmallModel();
  views::Views views_{profile_};
};

TEST_F(SmallModelTest, ScopeOfVariables) {
  views::ViewOptions options;
  options.max_depth = 5;
  options.account_types = {"VariableV2"};
  options.select = Select({accounting::kParameters, accounting::kRequestedBytes,
                           accounting::kPeakBytes, accounting::kResidualBytes,
                           accounting::kOutputBytes, accounting::kMicros,
                           accounting::kAcceleratorMicros,
                           accounting::kCpuMicros, accounting::kFloatOps});
  EXPECT_EQ(
      Text(views::View::kScope, options),
      "\n"
      "Doc:\n"
      "scope: The nodes in the model graph are organized by their names, "
      "which is hierarchical like filesystem.\n"
      "accelerator execution time: Time spent executing on the accelerator. "
      "This is normally measured by the actual hardware library.\n"
      "requested bytes: The memory requested by the operation, "
      "accumulatively.\n"
      "cpu execution time: The time from the start to the end of the "
      "operation. It's the sum of actual cpu run time plus the time that it "
      "spends waiting if part of computation is launched asynchronously.\n"
      "flops: Number of float operations. Note: Please read the "
      "implementation for the math behind it.\n"
      "total execution time: Sum of accelerator execution time and cpu "
      "execution time.\n"
      "cpu execution time: The time from the start to the end of the "
      "operation. It's the sum of actual cpu run time plus the time that it "
      "spends waiting if part of computation is launched asynchronously.\n"
      "accelerator execution time: Time spent executing on the accelerator. "
      "This is normally measured by the actual hardware library.\n"
      "output bytes: The memory that is output from the operation (not "
      "necessarily allocated by the operation)\n"
      "param: Number of parameters (in the Variable).\n"
      "peak bytes: The peak amount of memory that the operation is holding at "
      "some point.\n"
      "residual bytes: The memory not de-allocated after the operation "
      "finishes.\n"
      "\n"
      "Profile:\n"
      "node name | # parameters | # float_ops | requested bytes | peak bytes "
      "| residual bytes | output bytes | total execution time | accelerator "
      "execution time | cpu execution time\n"
      "_TFProfRoot (--/451 params, --/0 flops, --/2.56KB, --/2.56KB, "
      "--/2.56KB, --/2.56KB, --/13us, --/0us, --/13us)\n"
      "  DW (3x3x3x6, 162/162 params, 0/0 flops, 1.28KB/1.28KB, "
      "1.28KB/1.28KB, 1.28KB/1.28KB, 1.28KB/1.28KB, 2us/2us, 0us/0us, "
      "2us/2us)\n"
      "  DW2 (2x2x6x12, 288/288 params, 0/0 flops, 1.28KB/1.28KB, "
      "1.28KB/1.28KB, 1.28KB/1.28KB, 1.28KB/1.28KB, 11us/11us, 0us/0us, "
      "11us/11us)\n"
      "  ScalarW (1, 1/1 params, 0/0 flops, 0B/0B, 0B/0B, 0B/0B, 0B/0B, "
      "0us/0us, 0us/0us, 0us/0us)\n");
}

TEST_F(SmallModelTest, ScopeByCpuMicros) {
  views::ViewOptions options = OrderBy(accounting::kCpuMicros);
  options.max_depth = 5;
  options.select =
      Select({accounting::kAcceleratorMicros, accounting::kCpuMicros});
  const auto below = [](const std::string& name) {
    const std::string zero = " (0us/0us, 0us/0us)\n";
    const std::string init = name + "/Initializer";
    std::string rows;
    for (const auto& [indent, row] : std::vector<std::pair<int, std::string>>{
             {4, name + "/Assign"},
             {4, init},
             {6, init + "/random_normal"},
             {8, init + "/random_normal/RandomStandardNormal"},
             {8, init + "/random_normal/mean"},
             {8, init + "/random_normal/mul"},
             {8, init + "/random_normal/shape"},
             {8, init + "/random_normal/stddev"},
             {4, name + "/read"}}) {
      rows += std::string(indent, ' ') + row + zero;
    }
    return rows;
  };
  EXPECT_EQ(Body(views::View::kScope, options),
            "node name | accelerator execution time | cpu execution time\n"
            "_TFProfRoot (--/404us, --/4.54ms)\n"
            "  Conv2D (226us/226us, 4.07ms/4.07ms)\n"
            "  Conv2D_1 (178us/178us, 419us/419us)\n"
            "  _retval_Conv2D_1_0_0 (0us/0us, 41us/41us)\n"
            "  DW2 (0us/0us, 11us/11us)\n" +
                below("DW2") + "  DW (0us/0us, 2us/2us)\n" + below("DW") +
                "  zeros (0us/0us, 2us/2us)\n"
                "  ScalarW (0us/0us, 0us/0us)\n" +
                below("ScalarW") + "  init (0us/0us, 0us/0us)\n");
}

TEST_F(SmallModelTest, OpsByParameters) {
  views::ViewOptions options = OrderBy(accounting::kParameters);
  options.max_depth = 5;
  options.min[accounting::kRunCount] = 1;
  options.select = Select({accounting::kParameters, accounting::kRequestedBytes,
                           accounting::kMicros, accounting::kFloatOps,
                           accounting::kRunCount, views::Field::kInputShapes});
  EXPECT_EQ(
      Body(views::View::kOp, options),
      "node name | requested bytes | total execution time | accelerator "
      "execution time | cpu execution time | # parameters | # float_ops | op "
      "occurrence (run|defined) | input shapes\n"
      "VariableV2                      2.56KB (100.00%, 8.40%),          13us "
      "(100.00%, 0.26%),           0us (100.00%, 0.00%),          13us "
      "(100.00%, 0.29%),  451 params (100.00%, 100.00%),   0 float_ops "
      "(100.00%, 0.00%),        2|3\n"
      "\n"
      "input_type: \t(run*2|defined*3)\texec_time: 13us\n"
      "\n"
      "Add                                   0B (0.00%, 0.00%),            "
      "0us (99.74%, 0.00%),           0us (100.00%, 0.00%),            0us "
      "(99.71%, 0.00%),        0 params (0.00%, 0.00%),   0 float_ops "
      "(100.00%, 0.00%),        0|3\n"
      "\n"
      "input_type: 0:1,\t1:1\t(run*0|defined*1)\texec_time: 0us\n"
      "input_type: 0:2x2x6x12,\t1:1\t(run*0|defined*1)\texec_time: 0us\n"
      "input_type: 0:3x3x3x6,\t1:1\t(run*0|defined*1)\texec_time: 0us\n"
      "\n"
      "Assign                                0B (0.00%, 0.00%),            "
      "0us (99.74%, 0.00%),           0us (100.00%, 0.00%),            0us "
      "(99.71%, 0.00%),        0 params (0.00%, 0.00%),   0 float_ops "
      "(100.00%, 0.00%),        0|3\n"
      "\n"
      "input_type: 0:1,\t1:1\t(run*0|defined*1)\texec_time: 0us\n"
      "input_type: 0:2x2x6x12,\t1:2x2x6x12\t(run*0|defined*1)\texec_time: "
      "0us\n"
      "input_type: 0:3x3x3x6,\t1:3x3x3x6\t(run*0|defined*1)\texec_time: 0us\n"
      "\n"
      "Const                                 0B (0.00%, 0.00%),            "
      "2us (99.74%, 0.04%),           0us (100.00%, 0.00%),            2us "
      "(99.71%, 0.04%),        0 params (0.00%, 0.00%),   0 float_ops "
      "(100.00%, 0.00%),       1|10\n"
      "\n"
      "input_type: \t(run*1|defined*10)\texec_time: 2us\n"
      "\n"
      "Conv2D                         27.90KB (91.60%, 91.60%),        4.89ms "
      "(99.70%, 98.87%),       404us (100.00%, 100.00%),        4.49ms "
      "(99.67%, 98.77%),        0 params (0.00%, 0.00%), 10.44k float_ops "
      "(100.00%, 100.00%),        2|2\n"
      "\n"
      "input_type: 0:2x3x3x6,\t1:2x2x6x12\t(run*1|defined*1)\texec_time: "
      "597us\n"
      "input_type: 0:2x6x6x3,\t1:3x3x3x6\t(run*1|defined*1)\texec_time: "
      "4.29ms\n"
      "\n"
      "Identity                              0B (0.00%, 0.00%),             "
      "0us (0.83%, 0.00%),             0us (0.00%, 0.00%),             0us "
      "(0.90%, 0.00%),        0 params (0.00%, 0.00%),     0 float_ops "
      "(0.00%, 0.00%),        0|3\n"
      "\n"
      "input_type: 0:1\t(run*0|defined*1)\texec_time: 0us\n"
      "input_type: 0:2x2x6x12\t(run*0|defined*1)\texec_time: 0us\n"
      "input_type: 0:3x3x3x6\t(run*0|defined*1)\texec_time: 0us\n"
      "\n");
}

TEST_F(SmallModelTest, GraphFromAStart) {
  views::ViewOptions options;
  options.max_depth = 100;
  options.start_names = {"DW/Initializer/random_normal/mul"};
  EXPECT_EQ(
      Body(views::View::kGraph, options),
      "node name | total execution time | accelerator execution time | cpu "
      "execution time\n"
      "_TFProfRoot (--/4.95ms, --/404us, --/4.54ms)\n"
      "  DW/Initializer/random_normal/mul (0us/0us, 0us/0us, 0us/0us)\n"
      "    DW/Initializer/random_normal/RandomStandardNormal (0us/0us, "
      "0us/0us, 0us/0us)\n"
      "      DW/Initializer/random_normal/shape (0us/0us, 0us/0us, 0us/0us)\n"
      "    DW/Initializer/random_normal/stddev (0us/0us, 0us/0us, 0us/0us)\n");
}

TEST_F(SmallModelTest, DisplayedOnly) {
  views::ViewOptions options;
  options.show_names = {"Conv2D_1"};
  options.account_displayed_only = true;
  options.select = Select(
      {accounting::kParameters, accounting::kFloatOps, accounting::kRunCount});
  EXPECT_EQ(Body(views::View::kScope, options),
            "node name | # parameters | # float_ops | op count (run|defined)\n"
            "_TFProfRoot (--/0 params, --/4.61k flops, --/1|--/2)\n"
            "  Conv2D_1 (0/0 params, 4.61k/4.61k flops, 1/1|1/1)\n");
}

TEST_F(SmallModelTest, DevicesTypesAndOccurrence) {
  views::ViewOptions options;
  options.max_depth = 2;
  options.show_names = {"DW.*", "zeros"};
  options.select = Select({accounting::kMicros, views::Field::kDevice,
                           views::Field::kOpTypes, accounting::kRunCount});
  EXPECT_EQ(
      Body(views::View::kScope, options),
      "node name | total execution time | accelerator execution time | cpu "
      "execution time | assigned devices | op types | op count (run|defined)\n"
      "_TFProfRoot (--/4.95ms, --/404us, --/4.54ms, _kTFScopeParent, "
      "--/6|--/35)\n"
      "  DW (2us/2us, 0us/0us, 2us/2us, "
      "/job:localhost/replica:0/task:0/gpu:0, "
      "/job:localhost/replica:0/task:0/gpu:0|VariableV2|_trainable_variables, "
      "1/1|1/10)\n"
      "  DW2 (11us/11us, 0us/0us, 11us/11us, "
      "/job:localhost/replica:0/task:0/gpu:0, "
      "/job:localhost/replica:0/task:0/gpu:0|VariableV2|_trainable_variables, "
      "1/1|1/10)\n"
      "  zeros (2us/2us, 0us/0us, 2us/2us, "
      "/job:localhost/replica:0/task:0/gpu:0, "
      "/job:localhost/replica:0/task:0/gpu:0|Const, 1/1|1/1)\n");
}

TEST_F(SmallModelTest, OpsByMicros) {
  views::ViewOptions options = OrderBy(accounting::kMicros);
  options.select = Select(
      {accounting::kMicros, accounting::kRunCount, views::Field::kDevice});
  EXPECT_EQ(
      Body(views::View::kOp, options),
      "node name | total execution time | accelerator execution time | cpu "
      "execution time | assigned devices | op occurrence (run|defined)\n"
      "Conv2D                         4.89ms (100.00%, 98.87%),       404us "
      "(100.00%, 100.00%),       4.49ms (100.00%, 98.77%), "
      "/job:localhost/replica:0/task:0/gpu:0,        2|2\n"
      "_retval_Conv2D_1_0_0                41us (1.13%, 0.83%),             "
      "0us (0.00%, 0.00%),            41us (1.23%, 0.90%), "
      "/job:localhost/replica:0/task:0/cpu:0,        1|1\n"
      "VariableV2                          13us (0.30%, 0.26%),             "
      "0us (0.00%, 0.00%),            13us (0.33%, 0.29%), "
      "|/job:localhost/replica:0/task:0/gpu:0,        2|3\n"
      "Const                                2us (0.04%, 0.04%),             "
      "0us (0.00%, 0.00%),             2us (0.04%, 0.04%), "
      "|/job:localhost/replica:0/task:0/gpu:0,       1|10\n"
      "Add                                  0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|3\n"
      "Assign                               0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|3\n"
      "Identity                             0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|3\n"
      "Mul                                  0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|3\n"
      "NoOp                                 0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|1\n"
      "RandomStandardNormal                 0us (0.00%, 0.00%),             "
      "0us (0.00%, 0.00%),             0us (0.00%, 0.00%), ,        0|3\n");
}

TEST_F(SmallModelTest, GraphOfSomeTypes) {
  views::ViewOptions options = OrderBy(accounting::kMicros);
  options.max_depth = 4;
  options.account_types = {"Conv2D", "VariableV2"};
  options.select = Select({accounting::kMicros, views::Field::kInputShapes});
  EXPECT_EQ(
      Body(views::View::kGraph, options),
      "node name | total execution time | accelerator execution time | cpu "
      "execution time | input shapes\n"
      "_TFProfRoot (--/4.90ms, --/404us, --/4.50ms, )\n"
      "  Conv2D_1 (597us/4.90ms, 178us/404us, 419us/4.50ms, "
      "0:2x3x3x6|1:2x2x6x12)\n"
      "    Conv2D (4.29ms/4.29ms, 226us/226us, 4.07ms/4.07ms, "
      "0:2x6x6x3|1:3x3x3x6)\n"
      "      DW (2us/2us, 0us/0us, 2us/2us, )\n"
      "    DW2 (11us/11us, 0us/0us, 11us/11us, )\n"
      "  ScalarW (0us/0us, 0us/0us, 0us/0us, )\n");
}

TEST_F(SmallModelTest, NothingSelected) {
  views::ViewOptions options;
  options.max_depth = 1;
  options.select = views::FieldSet();
  EXPECT_EQ(Text(views::View::kScope, options),
            "\nDoc:\nscope: The nodes in the model graph are organized by "
            "their names, which is hierarchical like filesystem.\n\n\n"
            "Profile:\nnode name | \n_TFProfRoot ()\n");
}

// ---- Around the rows

TEST(TextTest, MissingStreamsAreWarnedOf) {
  profile::GraphTables graph;
  graph.misses_accelerator_stream = true;
  EXPECT_THAT(
      ReportPrefix(views::View::kOp, Select({views::Field::kDevice}), graph),
      StartsWith(
          "\n\nFound accelerator operation but misses accelerator stream "
          "stats!\n\nIt's likely a gpu tracing issue rather than tf-profiler "
          "issue.\nIf you found your operation missing accelerator time, "
          "consider to post to discuss@tensorflow.org!\n\n\nDoc:\nop: "));
  graph.misses_accelerator_stream = false;
  EXPECT_THAT(
      ReportPrefix(views::View::kOp, Select({views::Field::kDevice}), graph),
      StartsWith("\nDoc:\nop: "));
}

TEST(TextTest, TimesOfATraceAreExplained) {
  profile::GraphTables graph;
  graph.self_times = true;
  EXPECT_EQ(ReportPrefix(
                views::View::kOp,
                Select({accounting::kCpuMicros, accounting::kRunCount}), graph),
            "\nDoc:\nop: All operations of one type are one row.\n"
            "cpu execution time: Time on threads of the host, without the "
            "operations inside.\nruns: How often operations ran; reports also "
            "show the number of nodes.\n\nProfile:\n");
}

TEST(TextTest, EmptyProfile) {
  const profile::Profile profile;
  views::Views views(profile);
  util::StringSink sink;
  views::ViewOptions options;
  options.select = Select({accounting::kParameters, accounting::kRunCount});
  WriteText(
      views.Show(views::View::kOp, options), nullptr, [](std::string_view) {},
      sink);
  // Only the root row, without a legend.
  EXPECT_THAT(sink.text(),
              HasSubstr("\nProfile:\n_TFProfRoot                     "
                        "0 params (0.00%, 0.00%),        0|0\n"));
}

class OneTensor : public profile::TensorSource {
 public:
  const std::vector<profile::TensorInfo>& tensors() const override {
    return tensors_;
  }
  absl::StatusOr<profile::TensorValue> Read(
      std::string_view name) const override {
    if (name != "w") {
      return absl::NotFoundError("Key " + std::string(name) +
                                 " not found in checkpoint");
    }
    profile::TensorValue value;
    value.dtype = 1;
    value.shape = {2};
    value.doubles = {1.5, -2};
    return value;
  }

 private:
  std::vector<profile::TensorInfo> tensors_ = {{"w", 1, {2}}};
};

TEST(TextTest, TensorValues) {
  profile::ProfileBuilder builder;
  profile::AddNodeWithInputs(builder, "w", "VariableV2", {}, {2});
  profile::AddNodeWithInputs(builder, "x", "Identity", {"w"}, {2});
  profile::AddNodeWithInputs(builder, "x/y", "Identity", {"w"}, {2});
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = Select({views::Field::kTensorValue});
  util::StringSink sink;
  std::vector<std::string> warnings;
  const OneTensor tensors;
  WriteText(
      views.Show(views::View::kScope, options), &tensors,
      [&](std::string_view line) { warnings.emplace_back(line); }, sink);
  EXPECT_THAT(sink.text(), HasSubstr("\n_TFProfRoot ()\n  w ()\n[1.50 -2.00 "
                                     "],\n  x ()\n    x/y ()\n"));
  // The warning of a row comes after those of its children, as in the
  // reference.
  EXPECT_THAT(warnings,
              ::testing::ElementsAre("Key x/y not found in checkpoint",
                                     "Key x not found in checkpoint"));
}

// One node on each of two lines, one below the other.
profile::Profile CodeOfTwoLines() {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  const auto line = [&](profile::StackId caller, std::string_view function) {
    return graph.stacks.Push(caller,
                             {.file = graph.strings.Intern("/m.py"),
                              .function = graph.strings.Intern(function),
                              .lineno = 1});
  };
  const profile::NodeId outer = builder.AddNode("a", "Add", profile::kNoRecord);
  const profile::NodeId inner = builder.AddNode("b", "Mul", profile::kNoRecord);
  graph.nodes.stack[outer] = line(profile::kNoStack, "f");
  graph.nodes.stack[inner] = line(graph.nodes.stack[outer], "g");
  return std::move(builder).Build();
}

TEST(TextTest, TheCodeViewHasNoOccurrenceNorInputShapes) {
  const profile::Profile profile = CodeOfTwoLines();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = Select({accounting::kRunCount, views::Field::kInputShapes,
                           views::Field::kOpTypes});
  util::StringSink sink;
  WriteText(
      views.Show(views::View::kCode, options), nullptr, [](std::string_view) {},
      sink);
  EXPECT_THAT(
      sink.text(),
      HasSubstr("\n_TFProfRoot (, occurrence N/A in code view, input_shapes "
                "N/A in code view)\n"
                "  m.py:1:f (Add, occurrence N/A in code view, input_shapes "
                "N/A in code view)\n"
                "    m.py:1:g (Mul, occurrence N/A in code view, input_shapes "
                "N/A in code view)\n"));
}

TEST(TextTest, TheCodeViewHasNoTensorValues) {
  const profile::Profile profile = CodeOfTwoLines();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = Select({views::Field::kTensorValue});
  util::StringSink sink;
  std::vector<std::string> warnings;
  WriteText(
      views.Show(views::View::kCode, options), nullptr,
      [&](std::string_view line) { warnings.emplace_back(line); }, sink);
  // The root has a warning, too.
  EXPECT_THAT(warnings, ::testing::SizeIs(3));
  EXPECT_EQ(warnings[0], "code view has no tensor value to show");
}

TEST(TextTest, WithoutACheckpointThereAreNoTensorValues) {
  profile::ProfileBuilder builder;
  profile::AddNodeWithInputs(builder, "w", "VariableV2", {}, {2});
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = Select({views::Field::kTensorValue});
  util::StringSink sink;
  std::vector<std::string> warnings;
  WriteText(
      views.Show(views::View::kScope, options), nullptr,
      [&](std::string_view line) { warnings.emplace_back(line); }, sink);
  EXPECT_THAT(sink.text(), HasSubstr("\n_TFProfRoot ()\n  w ()\n"));
  EXPECT_TRUE(warnings.empty());
}

// Pieces of a megabyte are written in their order.
TEST(TextTest, AReportOfSeveralPieces) {
  constexpr int kNodes = 20000;
  profile::ProfileBuilder builder;
  const std::string prefix(100, 'n');
  for (int i = 0; i < kNodes; ++i) {
    builder.AddNode(prefix + std::to_string(100000 + i), "Op",
                    profile::kNoRecord);
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = Select({accounting::kParameters});
  util::StringSink sink;
  WriteText(
      views.Show(views::View::kScope, options), nullptr,
      [](std::string_view) {}, sink);
  const std::string& text = sink.text();
  size_t at = text.find("_TFProfRoot");
  for (int i = 0; i < kNodes; ++i) {
    const size_t next =
        text.find(std::to_string(100000 + i) + " (0/0 params)\n", at);
    ASSERT_NE(next, text.npos) << i;
    ASSERT_LT(next - at, 200u);
    at = next;
  }
}

}  // namespace
}  // namespace tfprof::exporters
