#include "exporters/formats/perfetto_trace.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/self_time_rules.h"
#include "exporters/formats/saved_trace.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "loaders/perfetto/saved_part.h"
#include "profile/profile_builder.h"
#include "timeline/trace_testing.h"
#include "util/files/wire.h"

namespace tfprof::exporters {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What a reader of Perfetto sees: tracks by their whole names, and events as
// "begin 2500 main/worker: Op [compute] node=a step=0 flow=1". Names that the
// file gives a number must be there before they are used.
class PerfettoFile {
 public:
  explicit PerfettoFile(std::string_view bytes) {
    util::WireReader r(bytes);
    while (r.Next()) {
      EXPECT_EQ(r.tag(), util::LengthTag(1)) << "a trace has packets only";
      Packet(r.view());
    }
    EXPECT_FALSE(r.damaged());
  }

  std::vector<std::string> tracks;
  std::vector<std::string> events;

 private:
  using Texts = std::map<uint64_t, std::string>;

  void Packet(std::string_view bytes) {
    std::map<uint32_t, std::string_view> parts;
    std::map<uint32_t, uint64_t> numbers;
    for (util::WireReader r(bytes); r.Next();) {
      if (r.is_length()) {
        parts[r.number()] = r.view();
      } else {
        numbers[r.number()] = r.value();
      }
    }
    EXPECT_EQ(numbers[10], 1u) << "of the one writer";
    if (parts.contains(perfetto::kSavedPiece)) {
      EXPECT_EQ(num_packets_, 0u) << "the saved trace comes first";
      EXPECT_EQ(parts.size() + numbers.size(), 2u);
      return;
    }
    EXPECT_FALSE(has_length_) << "the length of the file comes last";
    has_length_ = numbers.contains(perfetto::kLengthOfFile);
    if (has_length_) return;
    // SEQ_INCREMENTAL_STATE_CLEARED is for the first packet alone.
    EXPECT_EQ(numbers[13], num_packets_++ == 0 ? 3u : 2u);
    if (parts.contains(12)) Intern(parts[12]);
    if (parts.contains(60)) Track(parts[60]);
    if (parts.contains(11)) {
      Event(static_cast<int64_t>(numbers[8]), parts[11]);
    }
  }

  void Intern(std::string_view bytes) {
    for (util::WireReader r(bytes); r.Next();) {
      uint64_t id = 0;
      std::string text;
      for (util::WireReader part(r.view()); part.Next();) {
        if (part.number() == 1) id = part.value();
        if (part.number() == 2) text = part.view();
      }
      EXPECT_GT(id, 0u);
      EXPECT_TRUE(interned_[r.number()].emplace(id, text).second);
    }
  }
  std::string Text(uint32_t field, uint64_t id) {
    const auto at = interned_[field].find(id);
    EXPECT_NE(at, interned_[field].end()) << field << " " << id;
    return at == interned_[field].end() ? "?" : at->second;
  }

  void Track(std::string_view bytes) {
    uint64_t id = 0, parent = 0;
    std::string name, more;
    for (util::WireReader r(bytes); r.Next();) {
      if (r.number() == 1) id = r.value();
      if (r.number() == 2) name = r.view();
      if (r.number() == 5) parent = r.value();
      if (r.number() == 3) {
        for (util::WireReader process(r.view()); process.Next();) {
          if (process.number() == 1)
            more = fmt::format(" pid={}", process.value());
          if (process.number() == 6) name = process.view();
        }
      }
      if (r.number() == 8) {
        more = " counter";
        for (util::WireReader counter(r.view()); counter.Next();) {
          more += " " + std::string(counter.view());
        }
      }
    }
    if (parent != 0) {
      EXPECT_TRUE(names_.contains(parent)) << "a parent comes first";
      name = names_[parent] + "/" + name;
    }
    EXPECT_TRUE(names_.emplace(id, name).second);
    tracks.push_back(name + more);
  }

  void Event(int64_t time, std::string_view bytes) {
    constexpr std::string_view kTypes[] = {"?", "begin", "end", "moment",
                                           "level"};
    std::string type, track, name, category, more;
    for (util::WireReader r(bytes); r.Next();) {
      switch (r.number()) {
        case 3:
          category = Text(1, r.value());
          break;
        case 4:
          more += Annotation(r.view());
          break;
        case 9:
          type = kTypes[r.value() % 5];
          break;
        case 10:
          name = Text(2, r.value());
          break;
        case 11:
          EXPECT_TRUE(names_.contains(r.value()));
          track = names_[r.value()];
          break;
        case 44:
          more += fmt::format(" {}", std::bit_cast<double>(r.value()));
          break;
        case 47:
          more += fmt::format(" flow={}", r.value());
          break;
        case 48:
          more += fmt::format(" flow_end={}", r.value());
          break;
        default:
          ADD_FAILURE() << "field " << r.number();
      }
    }
    std::string& line =
        events.emplace_back(fmt::format("{} {} {}", type, time, track));
    if (!name.empty()) line += fmt::format(": {} [{}]", name, category);
    line += more;
  }

  std::string Annotation(std::string_view bytes) {
    std::string key, value;
    for (util::WireReader r(bytes); r.Next();) {
      if (r.number() == 1) key = Text(3, r.value());
      if (r.number() == 4) value = fmt::format("{}", r.int64());
      if (r.number() == 17) value = Text(29, r.value());
    }
    return fmt::format(" {}={}", key, value);
  }

  bool has_length_ = false;
  size_t num_packets_ = 0;
  std::map<uint64_t, std::string> names_;
  std::map<uint32_t, Texts> interned_;
};

PerfettoFile Written(const profile::Profile& profile,
                     const TraceOptions& options = {}) {
  util::StringSink sink;
  WritePerfettoTrace(profile, options, sink);
  return PerfettoFile(sink.text());
}

// A node that ran in step 0 and in step 1, a moment, a link and a counter.
profile::Profile Made() {
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  builder.SetTicksPerMicro(1000);
  profile::GraphTables& graph = builder.mutable_graph();
  graph.self_times = true;
  profile::Process process;
  process.name = "main";
  const profile::ProcessId p = graph.lanes.AddProcess(process);
  const profile::LaneId lane =
      graph.lanes.Add({.process = p,
                       .name = graph.strings.Intern("worker"),
                       .kind = profile::LaneKind::kCompute});
  const profile::NodeId n = builder.AddNode("a", "Op", profile::kNoRecord);
  for (const int64_t step : {0, 1}) {
    profile::LaneExecutions batch = {.lane = lane, .ticks_per_micro = 1000};
    batch.records.push_back(
        {.node = n, .start = 2500 + 1000 * step, .duration = 70});
    builder.AddExecutions(step, {batch}, {});
  }
  builder.AddOutside(
      0, {.name = graph.strings.Intern("now"), .lane = lane, .start = 1}, 1000);
  builder.FinishSteps({0, 1});
  builder.AddLink({{0, 0}, {1, 0}, profile::LinkKind::kData});
  builder.AddCounter({.name = graph.strings.Intern("used"),
                      .unit = graph.strings.Intern("bytes"),
                      .process = p},
                     {{1500, 0.5}});
  return std::move(builder).Build();
}

TEST(PerfettoTraceTest, AllOfATrace) {
  const PerfettoFile file = Written(Made());
  EXPECT_THAT(file.tracks,
              ElementsAre("main pid=1", "main/worker", "main/steps",
                          "main/used counter bytes"));
  EXPECT_THAT(
      file.events,
      ElementsAre(
          "begin 1 main/steps: step 0 [step] step=0", "end 2570 main/steps",
          "begin 3500 main/steps: step 1 [step] step=1", "end 3570 main/steps",
          "moment 1 main/worker: now [compute] step=0",
          "begin 2500 main/worker: Op [compute] node=a step=0 flow=1",
          "end 2570 main/worker",
          "begin 3500 main/worker: Op [compute] node=a step=1 "
          "flow_end=1",
          "end 3570 main/worker", "level 1500 main/used 0.5"));
}

TEST(PerfettoTraceTest, OneStepHasNoCountersAndNoArrowsToOthers) {
  const PerfettoFile file = Written(Made(), {.step = 1});
  EXPECT_THAT(file.events,
              ElementsAre("begin 3500 main/steps: step 1 [step] step=1",
                          "end 3570 main/steps",
                          "begin 3500 main/worker: Op [compute] node=a step=1",
                          "end 3570 main/worker"));
  EXPECT_THAT(Written(Made(), {.arrows = false}).events,
              Not(Contains(HasSubstr("flow"))));
}

// The events of a track end from the inside to the outside.
TEST(PerfettoTraceTest, CallsEndBeforeTheirCallers) {
  timeline::TraceModel model;
  const profile::LaneId lane = model.Ops();
  model.Add({.name = "outer", .lane = lane, .start = 100, .duration = 50});
  model.Add({.name = "inner", .lane = lane, .start = 110, .duration = 40});
  model.Add({.name = "next", .lane = lane, .start = 150, .duration = 5});
  const PerfettoFile file = Written(std::move(model).Build());
  std::vector<std::string> order;
  for (const std::string& event : file.events) {
    if (event.find("/steps") != event.npos) continue;
    order.push_back(
        event.substr(0, event.find(' ', event.find(' ') + 1)) +
        (event.find(": ") == event.npos
             ? ""
             : event.substr(event.find(": ") + 1,
                            event.find(" [") - event.find(": ") - 1)));
  }
  EXPECT_THAT(order,
              ElementsAre("begin 100 outer", "begin 110 inner", "end 150",
                          "end 150", "begin 150 next", "end 155"));
}

// Calls of Python can begin before the first operation, which is time 0.
TEST(PerfettoTraceTest, NoTimeIsNegative) {
  timeline::TraceModel model;
  const profile::LaneId lane = model.Ops();
  model.Add({.name = "outer", .lane = lane, .start = -40, .duration = 60});
  model.Add({.name = "inner", .lane = lane, .start = 5, .duration = 10});
  const PerfettoFile file = Written(std::move(model).Build());
  std::vector<std::string> times;
  for (const std::string& event : file.events) {
    if (event.find("/steps") != event.npos) continue;
    times.push_back(event.substr(0, event.find(' ', event.find(' ') + 1)));
  }
  EXPECT_THAT(times, ElementsAre("begin 0", "begin 45", "end 55", "end 60"));
}

TEST(PerfettoTraceTest, DevicesAreBetweenProcessesAndTracks) {
  timeline::TraceModel model;
  model.Add(
      {.name = "call", .lane = model.Launches(), .start = 1, .duration = 1});
  model.Add({.name = "gemm",
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 5,
             .duration = 5,
             .launch = 0});
  model.NextRank(3);
  model.Add({.name = "gemm",
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 5,
             .duration = 5});
  const PerfettoFile file = Written(std::move(model).Build());
  EXPECT_THAT(file.tracks, Contains(EndsWith("gpu:0/stream 7")).Times(2));
  EXPECT_THAT(file.tracks, Contains(EndsWith("/gpu:0")).Times(2))
      << "each process has its own";
  EXPECT_THAT(file.events,
              Contains(HasSubstr("gemm [kernels] step=0 flow_end=1")));
}

// Times may have parts of a nanosecond, and texts any bytes.
TEST(PerfettoTraceTest, TimesAreRoundedDownAndTextsAreUtf8) {
  timeline::TraceModel model(/*ticks_per_micro=*/1'000'000);
  model.Add({.name = "a\xff",
             .lane = model.Ops(),
             .start = -1,
             .duration = 1001,
             .arguments = {{"key", "\xc3\xa4\x80"}}});
  const PerfettoFile file = Written(std::move(model).Build());
  EXPECT_THAT(file.events,
              Contains(AllOf(StartsWith("begin 0 "),
                             HasSubstr(": a\xef\xbf\xbd [compute] "
                                       "key=\xc3\xa4\xef\xbf\xbd"))));
  // From nanosecond -1, which is where the file begins, to nanosecond 1.
  EXPECT_THAT(file.events, Contains(StartsWith("end 2 ")));
}

TEST(PerfettoTraceTest, NothingToWrite) {
  util::StringSink sink;
  const TraceCounts contents = WritePerfettoTrace(profile::Profile(), {}, sink);
  EXPECT_EQ(contents.events, 0);
  EXPECT_EQ(sink.text(), "");
}

// It is written while it is made: memory does not grow with the file.
TEST(PerfettoTraceTest, PacketsAreWrittenAsTheyAreMade) {
  class CountingSink : public util::Sink {
   public:
    size_t writes = 0, most = 0;

    void Write(std::string_view bytes) override {
      ++writes;
      most = std::max(most, bytes.size());
    }
  };
  timeline::TraceModel model;
  const profile::LaneId lane = model.Ops();
  for (int i = 0; i < 20'000; ++i) {
    model.Add({.name = fmt::format("op number {}", i),
               .lane = lane,
               .start = 10 * i,
               .duration = 5});
  }
  CountingSink sink;
  const TraceCounts contents =
      WritePerfettoTrace(std::move(model).Build(), {}, sink);
  EXPECT_EQ(contents.events, 20'000);
  EXPECT_GT(sink.writes, 3u);
  EXPECT_LT(sink.most, size_t{300} << 10);
}

std::string Saved(const profile::Profile& profile) {
  util::StringSink sink;
  EXPECT_TRUE(WriteSavedTrace(profile, sink).ok());
  return sink.text();
}

std::string AsPerfetto(const profile::Profile& profile,
                       const TraceOptions& options = {}) {
  util::StringSink sink;
  WritePerfettoTrace(profile, options, sink);
  return sink.text();
}

loaders::Loaded Loaded(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/t.pftrace";
  std::ofstream(path, std::ios::binary) << bytes;
  loaders::LoadRequest request;
  request.files = {path};
  auto loaded = loaders::Load(request);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return *std::move(loaded);
}

TEST(PerfettoTraceTest, AllStepsComeBackAsTheyWere) {
  const profile::Profile profile = Made();
  EXPECT_EQ(Saved(Loaded(AsPerfetto(profile)).profile), Saved(profile));
}

TEST(PerfettoTraceTest, AFileOfOneStepHasOnlyThatStep) {
  const std::string bytes = AsPerfetto(Made(), {.step = 1});
  EXPECT_EQ(perfetto::FindSavedPart(bytes).end, 0u);
  EXPECT_THAT(Loaded(bytes).profile.steps(), ::testing::SizeIs(1));
}

// Packets may be added to a trace. They are not lost.
TEST(PerfettoTraceTest, AddedPacketsAreRead) {
  const std::string bytes = AsPerfetto(Made());
  const loaders::Loaded loaded =
      Loaded(bytes + bytes.substr(perfetto::FindSavedPart(bytes).end));
  EXPECT_THAT(loaded.log.Lines(),
              Contains(HasSubstr("is not of the whole file")));
  EXPECT_GT(loaded.profile.nodes().size(), 0u);
}

TEST(PerfettoTraceTest, ADamagedSavedTraceLeavesTheSlices) {
  std::string bytes = AsPerfetto(Made());
  const size_t end = perfetto::FindSavedPart(bytes).end;
  ASSERT_GT(end, 20u);
  bytes[end - 6] = static_cast<char>(bytes[end - 6] ^ 1);  // the sum of gzip
  const loaders::Loaded loaded = Loaded(bytes);
  EXPECT_THAT(loaded.log.Lines(),
              Contains(HasSubstr("is damaged, so its slices are read")));
  EXPECT_GT(loaded.profile.nodes().size(), 0u);
}

}  // namespace
}  // namespace tfprof::exporters
