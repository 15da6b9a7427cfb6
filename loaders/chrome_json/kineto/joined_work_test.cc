#include "loaders/chrome_json/kineto/joined_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "fmt/format.h"
#include "loaders/chrome_json/kineto/kineto_testing.h"
#include "loaders/gpu_trace/gpu_trace.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A recording of process 1, thread 5, whose clock is `ahead` nanoseconds ahead
// of that of Operations().
class Recording {
 public:
  explicit Recording(int64_t ahead, int64_t process = 1)
      : ahead_(ahead), process_(process) {
    context_.builder.SetRules(accounting::SelfTimeRules());
    trace_.label = "program";
  }

  Recording& Add(gpu_trace::HostKind kind, std::string_view name, int64_t start,
                 int64_t end) {
    const profile::StringId text = Intern(name);
    trace_.host.push_back({.start = start + ahead_,
                           .end = end + ahead_,
                           .op = text,
                           .text = text,
                           .thread = trace_.Thread(process_, thread_),
                           .kind = kind});
    return *this;
  }
  // What is added next is of this thread.
  Recording& On(int64_t process, int64_t thread) {
    process_ = process;
    thread_ = thread;
    return *this;
  }
  Recording& Range(std::string_view name, int64_t start, int64_t end) {
    return Add(gpu_trace::HostKind::kRange, name, start, end);
  }
  // A call, and the kernel that it launches.
  Recording& Kernel(std::string_view name, int64_t start, int64_t duration) {
    Add(gpu_trace::HostKind::kCall, "cudaLaunchKernel", start, start + 100);
    trace_.work.push_back(
        {.start = start + 500 + ahead_,
         .end = start + 500 + duration + ahead_,
         .name = Intern(name),
         .lane = trace_.Lane({.device = 0, .process = process_, .stream = 7}),
         .launch = static_cast<uint32_t>(trace_.host.size() - 1)});
    return *this;
  }

  profile::Profile Build() {
    std::vector<gpu_trace::GpuTrace> traces;
    traces.push_back(std::move(trace_));
    gpu_trace::AddGpuTraces(std::move(traces), context_);
    return std::move(context_.builder).Build();
  }

 private:
  profile::StringId Intern(std::string_view text) {
    return context_.builder.mutable_graph().strings.Intern(text);
  }

  const int64_t ahead_;
  int64_t process_, thread_ = 5;
  loaders::LoadContext context_;
  gpu_trace::GpuTrace trace_;
};

struct Joined {
  absl::Status status;
  LoadedTrace trace;
  std::vector<std::string> Texts() const {
    for (const loaders::ImportLog::Entry& entry : trace.log.entries()) {
      if (entry.kind == "joined recording") return entry.texts;
    }
    return {};
  }
  std::string Text() const { return Texts().empty() ? "" : Texts().front(); }
};

Joined Join(const std::vector<std::pair<std::string, std::string>>& texts,
            std::vector<profile::Profile> recordings) {
  loaders::LoadContext context;
  context.builder.SetRules(accounting::SelfTimeRules());
  for (profile::Profile& recording : recordings) {
    const size_t number = context.joined.size();
    context.joined.push_back(
        {number == 0 ? "other.db" : fmt::format("other{}.db", number),
         std::move(recording)});
  }
  std::vector<std::shared_ptr<const loaders::InputFile>> files;
  for (const auto& [path, text] : texts) {
    files.push_back(loaders::InputFile::FromBytes(path, text));
  }
  Joined joined;
  joined.status = LoadKineto(files, context);
  joined.trace.profile = std::move(context.builder).Build();
  joined.trace.log = std::move(context.log);
  return joined;
}
Joined Join(const std::string& text, std::vector<profile::Profile> recordings) {
  return Join({{"trace.json", text}}, std::move(recordings));
}
Joined Join(const std::string& text, Recording& recording) {
  std::vector<profile::Profile> recordings;
  recordings.push_back(recording.Build());
  return Join(text, std::move(recordings));
}

// Three operations of 10 us, 20, 35 and 41 us apart; the second has one inside.
std::vector<std::string> Operations() {
  return {Op("aten::a", "100", "10"), Op("aten::b", "120", "12"),
          Op("aten::inner", "122", "5"), Op("aten::c", "155", "10")};
}
Recording& SameRanges(Recording& recording) {
  return recording.Range("aten::a", 100'000, 110'000)
      .Range("aten::b", 120'000, 132'000)
      .Range("aten::inner", 122'000, 127'000)
      .Range("aten::c", 155'000, 165'000);
}

TEST(JoinedWorkTest, WorkBelongsToTheOperationAroundItsLaunch) {
  Recording recording(9'000'000'000);
  SameRanges(recording)
      .Kernel("early", 1'000, 40)
      .Kernel("k_a", 101'000, 3'000)
      .Kernel("k_inner", 123'000, 4'000)
      .Kernel("k_b", 130'000, 5'000)
      .Kernel("k_between", 140'000, 6'000)
      .Kernel("late", 900'000, 50);
  const Joined joined = Join(Trace(Operations()), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  const auto sums = joined.trace.ByName();
  EXPECT_EQ(sums.at("aten::a").accelerator, 3'000);
  EXPECT_EQ(sums.at("aten::inner").accelerator, 4'000);
  EXPECT_EQ(sums.at("aten::b").accelerator, 5'000);
  EXPECT_EQ(sums.at("cudaLaunchKernel").accelerator, 6'000)
      << "launched between the operations";
  // Calls are inside of operations, so their time is not the operation's own.
  EXPECT_EQ(sums.at("aten::a").cpu, 10'000 - 100);
  EXPECT_FALSE(sums.contains("early"));
  EXPECT_EQ(joined.Text(),
            "other.db: 3 of 4 pieces of work of devices (0.012 of 0.018 ms) "
            "were launched inside of operations of trace.json; the clocks are "
            "related by 4 of 4 events that both have, half of them within 0.0 "
            "us; 2 more (0.000 ms), launched before its first or after its "
            "last operation, are left out");
  const profile::Profile& profile = joined.trace.profile;
  std::vector<std::string> kernels;
  for (const auto& step : profile.steps()) {
    for (size_t e = 0; e < step->num_executions(); ++e) {
      if (profile.lanes()[step->LaneOf(e)].kind !=
          profile::LaneKind::kKernels) {
        continue;
      }
      kernels.emplace_back(
          profile.Text(static_cast<profile::RecordRef>(step->exec_record[e]))
              .name);
    }
  }
  EXPECT_THAT(kernels, ::testing::UnorderedElementsAre("k_a", "k_inner", "k_b",
                                                       "k_between"));
  EXPECT_EQ(profile.links().size(), 4u);
}

// The recorder of the file ends an operation sooner, and the call that began
// inside of it goes on.
TEST(JoinedWorkTest, OnlyTheStartOfALaunchCounts) {
  Recording recording(0);
  SameRanges(recording).Kernel("k_inner", 126'950, 4'000);
  const Joined joined = Join(Trace(Operations()), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  const auto sums = joined.trace.ByName();
  EXPECT_EQ(sums.at("aten::inner").accelerator, 4'000);
  EXPECT_EQ(sums.at("aten::inner").cpu, 5'000 - 50);
  EXPECT_THAT(joined.Text(), HasSubstr("1 of 1 pieces of work"));
}

// The ranges of the recording say what a launch is in, so that a jitter of the
// times does not give it to a neighbour, to what is around, or to nothing.
TEST(JoinedWorkTest, TheRangesOfTheRecordingSayWhatALaunchIsIn) {
  Recording recording(0);
  recording.Range("aten::a", 101'000, 109'000)
      .Range("aten::b", 120'000, 132'000)
      .Range("aten::inner", 121'100, 127'000)
      .Range("aten::c", 155'000, 165'000)
      .Kernel("k_inner", 121'500, 3'000)
      .Kernel("k_b", 127'100, 4'000)
      .Kernel("k_c", 155'000, 5'000)
      .Kernel("k_between", 109'500, 6'000);
  std::vector<std::string> operations = Operations();
  operations[2] = Op("aten::inner", "122", "5.2");
  operations[3] = Op("aten::c", "155.9", "9");
  const Joined joined = Join(Trace(operations), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  const auto sums = joined.trace.ByName();
  EXPECT_EQ(sums.at("aten::inner").accelerator, 3'000);
  EXPECT_EQ(sums.at("aten::b").accelerator, 4'000);
  EXPECT_EQ(sums.at("aten::c").accelerator, 5'000);
  EXPECT_EQ(sums.at("aten::a").accelerator, 0);
  EXPECT_EQ(sums.at("cudaLaunchKernel").accelerator, 6'000);
}

// An operation that only the file has is inside of the one that both have.
TEST(JoinedWorkTest, OperationsOfTheFileAloneAreFoundByTime) {
  Recording recording(0);
  SameRanges(recording)
      .Kernel("k_own", 158'000, 3'000)
      .Kernel("k_c", 162'500, 4'000);
  std::vector<std::string> operations = Operations();
  operations.push_back(Op("aten::own", "157", "5"));
  const auto sums = Join(Trace(operations), recording).trace.ByName();
  EXPECT_EQ(sums.at("aten::own").accelerator, 3'000);
  EXPECT_EQ(sums.at("aten::c").accelerator, 4'000);
}

TEST(JoinedWorkTest, WorkInRangesAloneIsSaid) {
  Recording recording(0);
  SameRanges(recording)
      .Range("optimizer", 200'000, 220'000)
      .Kernel("k_a", 101'000, 3'000)
      .Kernel("k_range", 201'000, 4'000);
  std::vector<std::string> events = Operations();
  events.push_back(Range("optimizer", "200", "20"));
  const Joined joined = Join(Trace(events), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_THAT(joined.Text(),
              HasSubstr("1 of 2 pieces of work of devices (0.003 of 0.007 ms) "
                        "were launched inside of operations of trace.json, and "
                        "1 (0.004 ms) only inside of its ranges; the clocks"));
}

TEST(JoinedWorkTest, ClocksThatDriftAreRelated) {
  Recording recording(7'000'000);
  std::mt19937 random(1);
  std::vector<std::string> operations;
  for (int64_t i = 0; i < 500; ++i) {
    const int64_t start = 2'000'000 * i + random() % 1'000'000;
    recording.Range("aten::op", start, start + 10'000)
        .Kernel("kernel", start + 100, 3'000);
    const auto micros = [](int64_t nanos) {
      return std::to_string(nanos / 1'000) + "." +
             std::to_string(1'000 + nanos % 1'000).substr(1);
    };
    operations.push_back(
        Op("aten::op", micros(start + start / 50'000).c_str(), "10"));
  }
  const Joined joined = Join(Trace(operations), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_EQ(joined.trace.ByName().at("aten::op").accelerator, 500 * 3'000);
  EXPECT_THAT(joined.Text(),
              HasSubstr("related by 500 of 500 events that both have, half of "
                        "them within 0.0 us; that of other.db runs 20.0 ppm "
                        "too slowly"));
}

TEST(JoinedWorkTest, ItReplacesWhatTheFileRecordedItself) {
  std::vector<std::string> events = Operations();
  events.push_back(Launch("cudaLaunchKernel", "101", "2", 7));
  events.push_back(OnStream("kernel", "own", "103", "4", 7, 7));
  Recording recording(50);
  SameRanges(recording).Kernel("k_a", 101'000, 3'000);
  const Joined joined = Join(Trace(events), recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_EQ(joined.trace.ByName().at("aten::a").accelerator, 3'000);
  EXPECT_THAT(joined.Text(), HasSubstr("they replace 1 of the file itself"));
}

TEST(JoinedWorkTest, WithoutARelationOfTheClocksItIsRefused) {
  Recording recording(50);
  recording.Kernel("k_a", 101'000, 3'000);
  const Joined joined = Join(Trace(Operations()), recording);
  ASSERT_FALSE(joined.status.ok());
  EXPECT_THAT(std::string(joined.status.message()),
              HasSubstr("other.db cannot be joined to trace.json: no event has "
                        "the same name and thread in both, and not both count "
                        "their times from 1970"));
}

TEST(JoinedWorkTest, ClocksThatCountFrom1970AreRelated) {
  constexpr int64_t kBase = 1'790'857'026'000'000'000;
  Recording recording(kBase);
  recording.Kernel("k_a", 101'000, 3'000);
  const Joined joined =
      Join(Trace(Operations(), "\"schemaVersion\":1,\"baseTimeNanoseconds\":" +
                                   std::to_string(kBase)),
           recording);
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_EQ(joined.trace.ByName().at("aten::a").accelerator, 3'000);
  EXPECT_THAT(joined.Text(), HasSubstr("the clocks of both count from 1970"));
}

// The operations of another rank, at other times. Its process is 1 or `pid`,
// and its thread 5 or `tid`.
std::string OtherRank(std::string_view pid = "1", std::string_view tid = "5") {
  return absl::StrReplaceAll(
      Trace({Op("aten::a", "300", "10"), Op("aten::b", "317", "12"),
             Op("aten::inner", "319", "5"), Op("aten::c", "341", "10")}),
      {{"\"pid\":1", fmt::format("\"pid\":{}", pid)},
       {"\"tid\":5", fmt::format("\"tid\":{}", tid)}});
}
Recording& RangesOfOtherRank(Recording& recording) {
  return recording.Range("aten::a", 300'000, 310'000)
      .Range("aten::b", 317'000, 329'000)
      .Range("aten::inner", 319'000, 324'000)
      .Range("aten::c", 341'000, 351'000);
}

// In containers, all ranks may have one process number.
TEST(JoinedWorkTest, EqualProcessesAreToldApartByTheirEvents) {
  std::vector<profile::Profile> recordings;
  Recording second(0);
  recordings.push_back(RangesOfOtherRank(second)
                           .Kernel("k_a", 301'000, 3'000)
                           .Kernel("k_b", 325'000, 4'000)
                           .Build());
  Recording first(77);
  recordings.push_back(SameRanges(first).Kernel("k_c", 156'000, 5'000).Build());
  const Joined joined =
      Join({{"rank0.json", Trace(Operations())}, {"rank1.json", OtherRank()}},
           std::move(recordings));
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_THAT(joined.Texts(),
              ElementsAre(HasSubstr("other1.db: 1 of 1 pieces of work of "
                                    "devices (0.005 of 0.005 ms) were launched "
                                    "inside of operations of rank0.json"),
                          HasSubstr("other.db: 2 of 2 pieces of work of "
                                    "devices (0.007 of 0.007 ms) were launched "
                                    "inside of operations of rank1.json")));
}

TEST(JoinedWorkTest, EqualProcessesWithoutEqualEventsAreRefused) {
  std::vector<profile::Profile> recordings;
  Recording recording(0);
  recordings.push_back(recording.Kernel("k_a", 301'000, 3'000).Build());
  const Joined joined =
      Join({{"rank0.json", Trace(Operations())}, {"rank1.json", OtherRank()}},
           std::move(recordings));
  ASSERT_FALSE(joined.status.ok());
  EXPECT_THAT(std::string(joined.status.message()),
              HasSubstr("other.db: rank0.json and rank1.json have a process "
                        "with its number"));
}

// Nsight Systems adds the number of the machine to that of a process.
TEST(JoinedWorkTest, EachProcessBelongsToItsFile) {
  constexpr int64_t kMachine = int64_t{1} << 48;
  std::vector<profile::Profile> recordings;
  for (const int64_t pid : {2, 1}) {
    Recording recording(0, kMachine + pid);
    recordings.push_back(
        (pid == 1 ? SameRanges(recording) : RangesOfOtherRank(recording))
            .Kernel("k", pid == 1 ? 101'000 : 301'000, 1'000 * pid)
            .Build());
  }
  const Joined joined = Join(
      {{"rank0.json", Trace(Operations())}, {"rank1.json", OtherRank("2")}},
      std::move(recordings));
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_THAT(joined.Texts(), ElementsAre(HasSubstr("0.001 of 0.001 ms"),
                                          HasSubstr("0.002 of 0.002 ms")));
}

TEST(JoinedWorkTest, OneRecordingMayHaveTheProcessesOfSeveralFiles) {
  Recording recording(123);
  SameRanges(recording).Kernel("k_a", 101'000, 3'000).On(2, 6);
  RangesOfOtherRank(recording).Kernel("k_b", 325'000, 4'000);
  recording.On(3, 8).Kernel("other program", 325'000, 4'000);
  std::vector<profile::Profile> recordings;
  recordings.push_back(recording.Build());
  const Joined joined = Join({{"rank0.json", Trace(Operations())},
                              {"rank1.json", OtherRank("2", "6")}},
                             std::move(recordings));
  ASSERT_TRUE(joined.status.ok()) << joined.status;
  EXPECT_THAT(
      joined.Texts(),
      ElementsAre(HasSubstr("1 of 1 pieces of work of devices (0.003 of "
                            "0.003 ms) were launched inside of operations of "
                            "rank0.json"),
                  HasSubstr("1 of 1 pieces of work of devices (0.004 of "
                            "0.004 ms) were launched inside of operations of "
                            "rank1.json")));
}

TEST(JoinedWorkTest, OneProcessHasOneRecording) {
  std::vector<profile::Profile> two;
  for (int i = 0; i < 2; ++i) {
    Recording recording(50);
    SameRanges(recording).Kernel("k_a", 101'000, 3'000);
    two.push_back(recording.Build());
  }
  EXPECT_THAT(
      std::string(Join(Trace(Operations()), std::move(two)).status.message()),
      HasSubstr("are both recordings of the process of trace.json"));
  std::vector<profile::Profile> nothing(1);
  EXPECT_THAT(
      std::string(
          Join(Trace(Operations()), std::move(nothing)).status.message()),
      HasSubstr("found no work of a device"));
}

}  // namespace
}  // namespace tfprof::kineto
