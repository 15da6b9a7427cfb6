#include "loaders/perfetto/trace_events.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "loaders/perfetto/perfetto_testing.h"
#include "loaders/perfetto/places.h"
#include "loaders/perfetto/work_kinds.h"

namespace tfprof::perfetto {
namespace {

using Work = std::map<std::string, int64_t>;

TEST(TraceEventsTest, WorkBelongsToTheOperatorOfItsLaunch) {
  const LoadedPerfetto loaded = LoadPerfetto(SmallTrace().bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  EXPECT_EQ(loaded.Work(), (Work{{"aten::mm", 50}}));
  EXPECT_TRUE(loaded.log.entries().empty());
}

TEST(TraceEventsTest, DetailsComeFromTheBytesOfTheTrace) {
  TraceMaker trace = SmallTrace();
  trace.Texts({{2, 1, "say \"\xc3\xa9\""}, {3, 1, "key"}, {29, 1, "old"}},
              /*cleared=*/true);
  trace.Event(2000, [](auto& w) {
    w.Int64(9, 1);
    w.Int64(11, 2);
    w.Bytes(22, "cpu_op");
    w.Int64(10, 1);
    const util::WireMessage annotation(w, 4);
    w.Int64(1, 1);
    w.Int64(17, 1);
  });
  trace.End(2010, 2);
  trace.Texts({{29, 1, "new"}}, /*cleared=*/true);
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  EXPECT_EQ(loaded.Durations().count("say \"\xc3\xa9\""), 1u);
  EXPECT_EQ(loaded.ArgumentsOf("say \"\xc3\xa9\""),
            (std::map<std::string, std::string>{{"key", "old"}}));
  EXPECT_EQ(loaded.ArgumentsOf("gemm").at("stream"), "3");
}

TEST(TraceEventsTest, AnnotationsThatAreNoFactsAreCheckedToo) {
  for (const int text : {1, 2}) {
    TraceMaker trace = SmallTrace();
    trace.Texts({{29, 1, "sent"}}, /*cleared=*/false);
    trace.Slice(2000, 10, 2, "aten::add", "cpu_op", [&](auto& w) {
      const util::WireMessage annotation(w, 4);
      w.Bytes(10, "note");
      w.Int64(17, text);
    });
    const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
    ASSERT_TRUE(loaded.status.ok()) << loaded.status;
    EXPECT_EQ(loaded.log.damaged(), text == 2);
    EXPECT_EQ(loaded.ArgumentsOf("aten::add").at("note"),
              text == 1 ? "sent" : "(name lost)");
  }
}

TEST(TraceEventsTest, AFlowJoinsWorkAndItsLaunch) {
  TraceMaker trace;
  trace.Process(1, 100, "python");
  trace.Thread(2, 1, 100, 101, "main");
  trace.Begin(1000, 2, "aten::mm", "cpu_op");
  trace.Slice(1010, 5, 2, "cudaLaunchKernel", "cuda_runtime",
              [](auto& w) { w.Fixed64(47, 33); });
  trace.End(1100, 2);
  trace.Slice(1020, 70, 3, "gemm", "kernel",
              [](auto& w) { w.Fixed64(48, 33); });
  EXPECT_EQ(LoadPerfetto(trace.bytes()).Work(), (Work{{"aten::mm", 70}}));
}

TEST(TraceEventsTest, TypedWorkNeedsNoTrack) {
  TraceMaker trace;
  trace.Process(1, 100, "python");
  trace.Thread(2, 1, 100, 101, "main");
  trace.Slice(10, 5, 2, "hipLaunchKernel", "cuda_runtime", [](auto& w) {
    const util::WireMessage gpu(w, 3000);
    w.Int64(1, 8);
  });
  trace.Packet([](auto& w) {
    w.Int64(8, 20);
    const util::WireMessage work(w, 53);
    w.Int64(1, 8);
    w.Int64(2, 40);
    w.Bytes(17, "gemm");
  });
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  EXPECT_EQ(loaded.Work(), (Work{{"hipLaunchKernel", 40}}));
}

TEST(TraceEventsTest, ATraceWithoutCategoriesIsReadByItsAnnotations) {
  TraceMaker trace;
  trace.Process(1, 100, "python");
  trace.Thread(2, 1, 100, 101, "main");
  trace.Begin(0, 2, "aten::copy_", "",
              [](auto& w) { Annotate(w, "External id", 1); });
  trace.Slice(10, 2, 2, "cudaMemcpyAsync", "",
              [](auto& w) { Annotate(w, "correlation", 4); });
  trace.End(50, 2);
  const auto on_stream = [](auto& w) {
    Annotate(w, "device", 0);
    Annotate(w, "stream", 7);
    Annotate(w, "correlation", 4);
  };
  trace.Slice(20, 9, 3, "Memcpy HtoD", "", on_stream);
  trace.Slice(20, 90, 4, "Event Sync", "", [&](auto& w) {
    on_stream(w);
    Annotate(w, "cuda_sync_kind", "Event");
  });
  EXPECT_EQ(LoadPerfetto(trace.bytes()).Work(), (Work{{"aten::copy_", 9}}));
}

TEST(TraceEventsTest, ANumberCountsHoweverItIsWritten) {
  enum Way { kInteger, kUnsigned, kText, kFloat, kTwice };
  for (const Way way : {kInteger, kUnsigned, kText, kFloat, kTwice}) {
    const auto number = [&](auto& w, std::string_view key, int64_t value) {
      if (way == kTwice) Annotate(w, key, value + 1);  // the last one counts
      const util::WireMessage annotation(w, 4);
      w.Bytes(10, key);
      if (way == kUnsigned) {
        w.Uint64(3, static_cast<uint64_t>(value));
      } else if (way == kText) {
        w.Bytes(6, std::to_string(value));
      } else if (way == kFloat) {
        w.Fixed64(5, std::bit_cast<uint64_t>(static_cast<double>(value)));
      } else {
        w.Int64(4, value);
      }
    };
    TraceMaker trace;
    trace.Process(1, 100, "python");
    trace.Thread(2, 1, 100, 101, "main");
    trace.Track(3, 1, "a stream");
    int64_t correlation = 4;
    for (const std::string op : {"aten::mm", "aten::add"}) {
      const int64_t at = 1000 * correlation;
      trace.Begin(at, 2, op, "cpu_op");
      trace.Slice(at + 10, 5, 2, "cudaLaunchKernel", "cuda_runtime",
                  [&](auto& w) { number(w, "correlation", correlation); });
      trace.End(at + 100, 2);
      trace.Slice(at + 20, 10 * correlation, 3, "gemm", "kernel", [&](auto& w) {
        number(w, "correlation", correlation);
        number(w, "device", 1);
        number(w, "stream", 7);
      });
      correlation += 2;
    }
    const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
    ASSERT_TRUE(loaded.status.ok()) << loaded.status;
    EXPECT_EQ(loaded.Work(), (Work{{"aten::mm", 40}, {"aten::add", 60}}))
        << way;
    const profile::LaneTable& lanes = loaded.profile.lanes();
    std::set<std::pair<std::string, int64_t>> streams;
    for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
      if (lanes[lane].kind != profile::LaneKind::kKernels) continue;
      streams.emplace(lanes.physical(lanes[lane].physical).label,
                      lanes[lane].stream);
    }
    EXPECT_EQ(streams,
              (std::set<std::pair<std::string, int64_t>>{{"gpu:1", 7}}))
        << way;
  }
}

TEST(TraceEventsTest, RecordingsBehindEachOtherAreRanks) {
  TraceMaker trace;
  for (uint64_t rank = 0; rank < 2; ++rank) {
    const uint64_t at = rank * 100;
    trace.Process(at + 1, 100, "python");
    trace.Thread(at + 2, at + 1, 100, 101, "main");
    trace.Track(at + 3, at + 1, "stream 7");
    trace.Begin(1000, at + 2, rank == 0 ? "aten::mm" : "aten::add", "cpu_op");
    trace.Kernel(1010, 50, at + 2, at + 3, "gemm", 9);
    trace.End(1100, at + 2);
  }
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  EXPECT_EQ(loaded.Work(), (Work{{"aten::add", 50}, {"aten::mm", 50}}));
}

// Work is below a track of its device, not of its process.
LoadedPerfetto LoadTwoProcesses(bool own_numbers, int64_t second_starts) {
  TraceMaker trace;
  for (uint64_t rank = 0; rank < 2; ++rank) {
    const uint64_t at = rank * 100;
    const auto number = static_cast<int64_t>(own_numbers ? 9 + rank : 9);
    trace.Process(at + 1, 100 + static_cast<int>(rank), "python");
    trace.Thread(at + 2, at + 1, 100 + static_cast<int>(rank), 101, "main");
    trace.Track(at + 3, 0, "GPU");
    trace.Slice(1010, 5, at + 2, "cudaLaunchKernel", "cuda_runtime",
                [&](auto& w) { Annotate(w, "correlation", number); });
    trace.Slice(rank == 0 ? 1030 : second_starts, 50, at + 3, "gemm", "kernel",
                [&](auto& w) {
                  Annotate(w, "correlation", number);
                  Annotate(w, "device", static_cast<int64_t>(rank));
                  Annotate(w, "stream", 7);
                });
  }
  return LoadPerfetto(trace.bytes());
}

TEST(TraceEventsTest, ProcessesWhoseLaunchesHaveTheirOwnNumbersAreRanks) {
  EXPECT_EQ(LoadTwoProcesses(/*own_numbers=*/true, 1030)
                .profile.lanes()
                .num_processes(),
            2u);
}

// Each process counts its launches from the same number on.
TEST(TraceEventsTest, ProcessesHaveTheirDevicesByOrderUnlessTimesSayOtherwise) {
  EXPECT_EQ(LoadTwoProcesses(/*own_numbers=*/false, 1030)
                .profile.lanes()
                .num_processes(),
            2u);
  EXPECT_EQ(LoadTwoProcesses(/*own_numbers=*/false, 1005)
                .profile.lanes()
                .num_processes(),
            1u);
}

TEST(TraceEventsTest, OtherTracesAreLikeChromeTraces) {
  TraceMaker trace;
  trace.Process(1, 100, "chrome");
  trace.Thread(2, 1, 100, 101, "main");
  trace.Thread(3, 1, 100, 102, "worker");
  trace.Begin(1000, 2, "post", "toplevel", [](auto& w) { w.Fixed64(47, 7); });
  trace.Slice(1010, 10, 2, "inner", "toplevel");
  trace.End(1100, 2);
  trace.Slice(1200, 30, 3, "run", "toplevel",
              [](auto& w) { w.Fixed64(48, 7); });
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  const auto durations = loaded.Durations();
  EXPECT_EQ(durations.size(), 3u);
  EXPECT_EQ(durations.find("run")->second, 30);
  EXPECT_EQ(loaded.profile.links().size(), 1u);
}

TEST(TraceEventsTest, FilesOfTfprofHaveKindsOfLanesAsCategories) {
  TraceMaker trace;
  trace.Texts({{1, 1, "tfprof"}}, /*cleared=*/true);
  trace.Process(1, 100, "python");
  trace.Track(2, 1, "gpu:3");
  trace.Track(3, 2, "stream 7");
  trace.Slice(0, 40, 3, "node", "kernels", [](auto& w) {
    Annotate(w, "event", "gemm");
    Annotate(w, "stream", 7);
    Annotate(w, "node", "layer/node");
  });
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_TRUE(loaded.status.ok()) << loaded.status;
  EXPECT_EQ(loaded.Work(), (Work{{"gemm", 40}}));
  EXPECT_EQ(loaded.ArgumentsOf("gemm"),
            (std::map<std::string, std::string>{{"stream", "7"}}));
}

TEST(TraceEventsTest, CountersAreKept) {
  TraceMaker trace = SmallTrace();
  trace.Track(9, 1, "memory");
  trace.Event(1000, [](auto& w) {
    w.Int64(9, 4);
    w.Int64(11, 9);
    w.Double(44, 0.5);
  });
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  ASSERT_EQ(loaded.profile.counters().size(), 1u);
  EXPECT_EQ(loaded.profile.strings().Get(loaded.profile.counters()[0].name),
            "memory");
  EXPECT_EQ(loaded.profile.counters()[0].value[0], 0.5);
}

TEST(TraceEventsTest, CountersHaveTheirUnitAndThread) {
  TraceMaker trace = SmallTrace();
  for (const int64_t id : {20, 21}) {
    trace.Packet([&](auto& w) {
      const util::WireMessage descriptor(w, 60);
      w.Int64(1, id);
      w.Bytes(2, id == 20 ? "main" : "worker");
      const util::WireMessage thread(w, 4);
      w.Int64(1, 1);
      w.Int64(2, id);
    });
    trace.Packet([&](auto& w) {
      const util::WireMessage descriptor(w, 60);
      w.Int64(1, id + 10);
      w.Int64(5, id);
      w.Bytes(2, "heap");
      const util::WireMessage counter(w, 8);
      w.Int64(3, 3);
    });
    trace.Event(1000, [&](auto& w) {
      w.Int64(9, 4);
      w.Int64(11, id + 10);
      w.Int64(30, 512);
    });
  }
  const LoadedPerfetto loaded = LoadPerfetto(trace.bytes());
  const auto& counters = loaded.profile.counters();
  const auto& strings = loaded.profile.strings();
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(strings.Get(counters[0].name), "heap (main)");
  EXPECT_EQ(strings.Get(counters[1].name), "heap (worker)");
  EXPECT_EQ(strings.Get(counters[0].unit), "bytes");
}

TEST(PlacesTest, ATrackTakesProcessAndThreadFromTheTracksAbove) {
  TraceTables tables;
  tables.state = std::make_shared<TraceState>();
  const auto add = [&](Track track) {
    track.is_described = true;
    tables.tracks[tables.TrackOf(track.uuid)] = track;
  };
  Track process, thread, row, cycle;
  process.uuid = 1;
  process.is_process = true;
  process.pid = 10;
  process.process_name = "python";
  thread.uuid = 2;
  thread.parent = 1;
  thread.is_thread = true;
  thread.tid = 11;
  thread.thread_name = "main";
  row.uuid = 3;
  row.parent = 2;
  row.name = "row";
  cycle.uuid = 4;
  cycle.parent = 4;
  cycle.name = "cycle";
  for (const Track& track : {process, thread, row, cycle}) add(track);
  const uint32_t unknown = tables.TrackOf(99);
  Places places(tables);
  const Place& place = places.Of(tables.TrackOf(3));
  EXPECT_EQ(place.pid, "10");
  EXPECT_EQ(place.tid, "11");
  EXPECT_EQ(place.process, "python");
  EXPECT_EQ(place.thread, "main");
  EXPECT_EQ(place.root, 0u);
  EXPECT_EQ(places.Of(tables.TrackOf(4)).thread, "cycle");
  EXPECT_EQ(places.Of(unknown).tid, "99");
  EXPECT_EQ(places.Of(unknown).root, unknown);
}

TEST(WorkKindsTest, CallsOfPythonGetTheirNamesBack) {
  std::string buffer;
  const auto name = [&](std::string_view text) {
    return std::string(TorchFunctionName(text, buffer));
  };
  EXPECT_EQ(name("a/b.py:12:step"), "a/b.py(12): step");
  EXPECT_EQ(name("<string>:1:<module>"), "<string>(1): <module>");
  for (const std::string_view other :
       {"", ":", "::", "a:b", "aten::mm", "a:b:c"}) {
    EXPECT_EQ(name(other), other);
  }
}

TEST(WorkKindsTest, AFileOfTfprofHasKindsOfLanes) {
  TraceTables tables;
  tables.state = std::make_shared<TraceState>();
  tables.state->is_own = true;
  Track device, lane;
  device.uuid = 1;
  device.name = "gpu:0";
  lane.uuid = 2;
  lane.parent = 1;
  lane.name = "stream 7";
  for (Track track : {device, lane}) {
    track.is_described = true;
    tables.tracks[tables.TrackOf(track.uuid)] = track;
  }
  tables.categories = {"copies", "compute", "annotation", "launches"};
  Places places(tables);
  WorkKinds kinds(tables, places);
  const auto kind = [&](uint32_t category, uint64_t track,
                        std::string_view name) {
    Slice slice;
    slice.category = category;
    slice.track = tables.TrackOf(track);
    slice.name = name;
    return kinds.Of(slice);
  };
  EXPECT_EQ(kind(0, 2, "Memset"), "gpu_memset");
  EXPECT_EQ(kind(0, 2, "Memcpy"), "gpu_memcpy");
  EXPECT_EQ(kind(1, 2, "gemm"), "kernel");
  EXPECT_EQ(kind(1, 1, "aten::mm"), "cpu_op");
  EXPECT_EQ(kind(1, 1, "forward"), "user_annotation");
  EXPECT_EQ(kind(2, 2, "range"), "gpu_user_annotation");
  EXPECT_EQ(kind(3, 1, "cudaLaunchKernel"), "cuda_runtime");
}

}  // namespace
}  // namespace tfprof::perfetto
