#include "loaders/nsys/nsys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "loaders/core/load_testing.h"
#include "loaders/sqlite/sqlite_testing.h"

namespace tfprof::nsys {
namespace {

using loaders::WorkOf;

constexpr char kSchema[] =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId,"
    " correlationId, globalPid, demangledName, shortName);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId,"
    " streamId, correlationId, globalPid, graphId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid,"
    " correlationId, nameId);"
    "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, textId);"
    "INSERT INTO StringIds VALUES (1, 'kernel'), (2, 'cudaLaunchKernel_v7000'),"
    " (3, 'outer'), (4, 'aten::mm, seq = 3'), (5, 'TOKEN=secret');";

// The id of a thread or process of Nsight Systems.
std::string Global(int64_t process, int64_t thread) {
  return std::to_string((process << 24) | thread);
}

class NsysTest : public loaders::FolderTest {
 protected:
  loaders::Loaded LoadSql(const std::string& sql) {
    auto loaded = loaders::LoadFiles(
        {Write("f.sqlite", sqlite::MakeDatabase(kSchema + sql))});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
};

// The CPU time of each operation that ran.
std::map<std::string, int64_t> CpuOf(const loaders::Loaded& loaded) {
  std::map<std::string, int64_t> times;
  const profile::GraphTables& graph = loaded.profile.graph();
  const auto stats = accounting::ComputeNodeStats(loaded.profile, -1);
  for (profile::NodeId node = 0; node < stats.size(); ++node) {
    if (stats[node][accounting::Stat::kRunCount] == 0) continue;
    times[std::string(graph.strings.Get(graph.nodes.op[node]))] +=
        stats[node][accounting::Stat::kCpuMicros];
  }
  return times;
}

TEST_F(NsysTest, WorkBelongsToTheInnermostRangeOfItsLaunch) {
  const std::string thread = Global(7, 70), process = Global(7, 0);
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO NVTX_EVENTS VALUES (0, 1000, 59, NULL, " + thread +
      ", 3),"
      " (100, 200, 59, NULL, " +
      thread + ", 4), (0, 900, 60, 'async', " + thread +
      ", NULL), (0, NULL, 59, 'open', " + thread +
      ", NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, " +
      thread + ", 1, 2), (300, 310, " + thread + ", 2, 2), (2000, 2010, " +
      thread + ", 3, 2), (110, 120, " + Global(8, 70) +
      ", 2, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (500, 600, 1, 7, 1, " +
      process +
      ", 1, 1),"
      " (600, 620, 1, 7, 2, " +
      process +
      ", 1, 1),"
      " (2100, 2103, 1, 7, 3, " +
      process +
      ", NULL, 1),"
      " (3000, 3004, 1, 7, 99, " +
      process + ", 1, 1);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"aten::mm", 100},
                                            {"outer", 20},
                                            {"cudaLaunchKernel", 3},
                                            {"kernel", 4}}));
  EXPECT_EQ(loaded.profile.links().size(), 3u);
  EXPECT_EQ(Count(loaded, "NVTX range that was never closed"), 1);
}

TEST_F(NsysTest, ARangeKeepsItsTextAndItsOperationHasTheName) {
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO NVTX_EVENTS VALUES"
      " (0, 10, 59, 'aten::add, op_id = 7', 1, NULL),"
      " (20, 30, 59, 'plain', 1, NULL), (40, 50, 59, NULL, 1, 4);");
  const profile::Step& step = *loaded.profile.steps()[0];
  std::map<std::string_view, std::string_view> op_of;
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const auto node = static_cast<profile::NodeId>(step.node[g]);
    for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
      const auto record = static_cast<profile::RecordRef>(step.exec_record[e]);
      op_of[loaded.profile.Text(record).name] =
          loaded.profile.graph().strings.Get(
              loaded.profile.graph().nodes.op[node]);
    }
  }
  EXPECT_EQ(op_of, (std::map<std::string_view, std::string_view>{
                       {"aten::add, op_id = 7", "aten::add"},
                       {"plain", "plain"},
                       {"aten::mm, seq = 3", "aten::mm"}}));
}

TEST_F(NsysTest, OfRangesThatCrossTheLaterOneIsTheInnerOne) {
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO NVTX_EVENTS VALUES (0, 100, 59, 'first', 1, NULL),"
      " (50, 150, 70, 'second', 1, NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (60, 70, 1, 1, 2),"
      " (20, 30, 1, 2, 2), (120, 130, 1, 3, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (200, 201, 0, 7, 1, NULL, 1, 1), (300, 310, 0, 7, 2, NULL, 1, 1),"
      " (400, 500, 0, 7, 3, NULL, 1, 1);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"first", 10}, {"second", 101}}));
}

TEST_F(NsysTest, CopiesFromPageableMemorySaySo) {
  const loaders::Loaded loaded = LoadSql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, streamId,"
      " bytes, copyKind, srcKind, dstKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
      " (10, 20, 0, 7, 64, 1, 0, 2), (30, 40, 0, 7, 64, 2, 2, 1),"
      " (50, 60, 0, 7, 64, 1, NULL, 9);");
  const profile::Step& step = *loaded.profile.steps()[0];
  std::vector<std::string> places;
  for (size_t e = 0; e < step.num_executions(); ++e) {
    const profile::Transfer transfer = loaded.profile.TransferOf(
        static_cast<profile::RecordRef>(step.exec_record[e]));
    std::string text(transfer.from);
    text += '>';
    text += transfer.to;
    places.push_back(std::move(text));
  }
  std::ranges::sort(places);
  EXPECT_EQ(places, (std::vector<std::string>{">", "Device>Pinned",
                                              "Pageable>Device"}));
}

TEST_F(NsysTest, TablesThatAreMissingOrNotReadAreSaid) {
  auto loaded = loaders::LoadFiles(
      {Write("f.sqlite",
             sqlite::MakeDatabase(
                 "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId,"
                 " streamId);"
                 "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start, end);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7);"
                 "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (1, 2), (3, "
                 "4);"))});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Count(*loaded, "calls are not in the file"), 1);
  EXPECT_EQ(
      Count(*loaded, "row of CUDA_UM_GPU_PAGE_FAULT_EVENTS that is not read"),
      2);
  EXPECT_EQ(Count(*loaded, "column missing"), 1);  // correlationId
  EXPECT_EQ(loaded->log.Lines().size(), 3u);
}

TEST_F(NsysTest, CallsOfMpiAreCallsOfTheHost) {
  const loaders::Loaded loaded = LoadSql(
      "CREATE TABLE MPI_COLLECTIVES_EVENTS(start, end, globalTid, textId);"
      "CREATE TABLE MPI_P2P_EVENTS(start, end, globalTid, textId);"
      "INSERT INTO StringIds VALUES (20, 'MPI_Allreduce'), (21, 'MPI_Send');"
      "INSERT INTO NVTX_EVENTS VALUES (0, 9000, 59, NULL, 1, 3);"
      "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (1000, 5000, 1, 20);"
      "INSERT INTO MPI_P2P_EVENTS VALUES (6000, 7000, 1, 21);");
  EXPECT_EQ(CpuOf(loaded),
            (std::map<std::string, int64_t>{
                {"MPI_Allreduce", 4000}, {"MPI_Send", 1000}, {"outer", 4000}}));
}

TEST_F(NsysTest, ProcessesThatCommunicateAreRanks) {
  std::string sql =
      "INSERT INTO StringIds VALUES (9, 'ncclDevKernel_AllReduce"
      "_Sum_f32_RING_LL(args)');";
  for (const int64_t process : {7, 8}) {
    const std::string number = std::to_string(process);
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, " +
           Global(process, 70) + ", 1, 2);" +
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (500, 600, " +
           number + ", 7, 1, " + Global(process, 0) + ", 9, 9);";
  }
  const loaders::Loaded loaded = LoadSql(sql);
  const profile::LaneTable& lanes = loaded.profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 2u);
  EXPECT_EQ(lanes.process(1).process_id, 8);
  EXPECT_EQ(lanes.process(1).name, "process 8");
  EXPECT_EQ(loaded.profile.links().size(), 2u);
}

TEST_F(NsysTest, ARunOfAGraphIsWorkOnlyWithoutItsKernels) {
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (200, 201, 0, 7, 1, 0, 1, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
      " (200, 300, 0, 7, 1, 0, 5), (400, 450, 0, 7, 2, 0, 6);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"kernel", 1}, {"graph 6", 50}}));
}

TEST_F(NsysTest, StringsThatNoEventNamesAreNotInTheProfile) {
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (200, 201, 0, 7, 1, 0, 1, 1);");
  const auto& strings = loaded.profile.graph().strings;
  EXPECT_NE(strings.Find("kernel"), profile::kNone);
  EXPECT_EQ(strings.Find("TOKEN=secret"), profile::kNone);
}

TEST_F(NsysTest, RowsWithWrongTimesAreCounted) {
  const loaders::Loaded loaded = LoadSql(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (200, 100, 0, 7, 1, 0, 1, 1), ('x', 100, 0, 7, 1, 0, 1, 1),"
      " (-9223372036854775808, 9223372036854775807, 0, 7, 1, 0, 1, 1),"
      " (1.5, 3.7, 0, 7, 1, 0, 1, 1);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"kernel", 2}}));
  EXPECT_EQ(Count(loaded, "work of a GPU without its times"), 3);
  EXPECT_NE(loaded.log.Lines()[0].find(
                "the first is row 1 of CUPTI_ACTIVITY_KIND_KERNEL"),
            std::string::npos);
  EXPECT_TRUE(loaded.log.damaged());
}

TEST_F(NsysTest, AViewInPlaceOfATableIsNotRun) {
  const std::string error = Error(loaders::LoadFiles({Write(
      "f.sqlite",
      sqlite::MakeDatabase("CREATE TABLE META_DATA_EXPORT(name, value);"
                           "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH "
                           "RECURSIVE r(start) AS (SELECT 1 UNION ALL SELECT "
                           "start + 1 FROM r) SELECT start FROM r;"))}));
  EXPECT_NE(error.find("is a view, which is not run"), std::string::npos);
}

TEST_F(NsysTest, RefusesTheSqliteFileOfAnotherProgram) {
  EXPECT_NE(Error(loaders::LoadFiles({Write(
                      "f.sqlite", sqlite::MakeDatabase("CREATE TABLE x(a);"))}))
                .find("an SQLite file with 1 tables"),
            std::string::npos);
}

constexpr char kSampleTables[] =
    "CREATE TABLE OSRT_API(start, end, globalTid, nameId, callchainId);"
    "CREATE TABLE COMPOSITE_EVENTS(id, start, cpu, threadState, globalTid);"
    "CREATE TABLE SAMPLING_CALLCHAINS(id, symbol, module, stackDepth);"
    "INSERT INTO StringIds VALUES (10, 'poll'), (11, 'inner()'),"
    " (12, 'main'), (13, '/usr/lib/libmodel.so');";

TEST_F(NsysTest, CallsOfTheSystemNestInRangesAndOtherCalls) {
  const loaders::Loaded loaded = LoadSql(
      std::string(kSampleTables) +
      "INSERT INTO NVTX_EVENTS VALUES (0, 1000, 59, NULL, 1, 3);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 300, 1, 1, 2);"
      "INSERT INTO OSRT_API VALUES (150, 200, 1, 10, 0),"
      " (400, 500, 1, 10, 0), (500, 400, 1, 10, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (500, 600, 1, 7, 1, NULL, 1, 1);");
  EXPECT_EQ(CpuOf(loaded),
            (std::map<std::string, int64_t>{
                {"cudaLaunchKernel", 150}, {"outer", 700}, {"poll", 150}}));
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"outer", 100}}));
  EXPECT_EQ(Count(loaded, "call without its times"), 1);
}

TEST_F(NsysTest, SamplesAreTimeOfTheirStacksInsideOfTheRangeAroundThem) {
  // The thread waits after 130, so only three of four gaps are a period.
  const loaders::Loaded loaded = LoadSql(
      std::string(kSampleTables) +
      "INSERT INTO NVTX_EVENTS VALUES (0, 100, 59, NULL, 1, 3);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1, 50, 0, 1, 1),"
      " (2, 60, 0, 1, 1), (3, 70, 0, NULL, 1), (4, 130, 0, 0, 1),"
      " (5, 90, 0, 7, 1), ('x', 10, 0, 1, 1);"
      // Not in their order.
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 12, 13, 1),"
      " (2, 11, 13, 0), (1, 11, 13, 0), (2, 12, 13, 1), (3, 11, 13, 0);");
  EXPECT_EQ(CpuOf(loaded),
            (std::map<std::string, int64_t>{
                {"(no call stack)", 10}, {"inner()", 30}, {"outer", 70}}));
  EXPECT_EQ(Count(loaded, "CPU sample"), 4);
  EXPECT_EQ(Count(loaded, "CPU sample of a thread that was not running"), 1);
  EXPECT_EQ(Count(loaded, "CPU sample without its time"), 1);
  EXPECT_EQ(Count(loaded, "CPU sample without a call stack"), 1);
  const profile::GraphTables& graph = loaded.profile.graph();
  EXPECT_TRUE(graph.has_code_traces);
  // Samples 1 and 2 have the same stack, so they are runs of one node.
  std::map<std::string, int> depths;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const profile::StackId stack = graph.nodes.stack[node];
    if (stack == profile::kNoStack) continue;
    std::string text;
    for (const profile::FrameId frame : graph.stacks.Frames(stack)) {
      const profile::Frame& of = graph.stacks.frame(frame);
      text += graph.strings.Get(of.function);
      if (of.file != profile::kNone) {
        text += '@';
        text += graph.strings.Get(of.file);
      }
      text += ' ';
    }
    ++depths[text];
  }
  EXPECT_EQ(
      depths,
      (std::map<std::string, int>{
          {"(no call stack) ", 1},
          {"inner()@/usr/lib/libmodel.so ", 1},
          {"main@/usr/lib/libmodel.so inner()@/usr/lib/libmodel.so ", 1}}));
}

TEST_F(NsysTest, ALonelySampleHasNoTime) {
  const loaders::Loaded loaded =
      LoadSql(std::string(kSampleTables) +
              "INSERT INTO COMPOSITE_EVENTS VALUES (1, 50, 0, 1, 1);"
              "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 11, 13, 0);");
  EXPECT_EQ(CpuOf(loaded), (std::map<std::string, int64_t>{{"inner()", 0}}));
}

TEST_F(NsysTest, EventsThatAreNotReadAreCounted) {
  const loaders::Loaded loaded = LoadSql(
      "CREATE TABLE SCHED_EVENTS(start, cpu, isSchedIn, globalTid);"
      "CREATE TABLE CUDNN_EVENTS(start, end);"
      "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id, name);"
      "INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (1, 'x');"
      "INSERT INTO SCHED_EVENTS VALUES (1, 0, 1, 1), (2, 0, 0, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
      " (200, 201, 0, 7, 1, 0, 1, 1);");
  EXPECT_EQ(Count(loaded, "row of SCHED_EVENTS that is not read"), 2);
  EXPECT_FALSE(loaded.log.damaged());
}

// Random ranges, also such that cross, and a naive search for the owner.
TEST_F(NsysTest, RandomWorkHasTheOwnersOfANaiveSearch) {
  std::mt19937 random(1);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 20; ++round) {
    struct Range {
      int64_t start, end, thread;
      std::string name;
    };
    std::vector<Range> ranges;
    std::string sql;
    const auto list = [](std::initializer_list<int64_t> values) {
      std::string text;
      for (const int64_t v : values) text += std::to_string(v) + ", ";
      return text;
    };
    for (int i = 0; i < 40; ++i) {
      const int64_t start = below(100);
      ranges.push_back({start, start + below(60), below(2),
                        std::string("range ") + "abcdefgh"[below(8)]});
      const Range& r = ranges.back();
      sql += "INSERT INTO NVTX_EVENTS VALUES (" + list({r.start, r.end, 59}) +
             "'" + r.name + "', " + list({r.thread}) + "NULL);";
    }
    std::ranges::stable_sort(
        ranges, {}, [](const Range& r) { return std::pair(r.start, -r.end); });
    std::map<std::string, int64_t> want;
    for (int i = 1; i <= 60; ++i) {
      const int64_t at = below(150), thread = below(2), time = 1 + below(50);
      sql += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" +
             list({at, at + below(5), thread, i}) + "2);";
      sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" +
             list({200, 200 + time, 0, 7, i}) + "NULL, 1, 1);";
      std::string owner = "cudaLaunchKernel";
      for (const Range& r : ranges) {
        if (r.thread == thread && r.start <= at && at <= r.end) owner = r.name;
      }
      want[owner] += time;
    }
    EXPECT_EQ(WorkOf(LoadSql(sql).profile), want) << round;
  }
}

}  // namespace
}  // namespace tfprof::nsys
