#include "loaders/rocprof/rocpd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "loaders/core/load_testing.h"
#include "loaders/sqlite/sqlite_testing.h"

namespace tfprof::rocprof {
namespace {

using loaders::WorkOf;

class RocpdTest : public loaders::FolderTest {
 protected:
  loaders::Loaded LoadSql(const std::string& sql) {
    auto loaded =
        loaders::LoadFiles({Write("f.db", sqlite::MakeDatabase(sql))});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
};

TEST_F(RocpdTest, LaunchesOfRocpdHaveTheStackOfTheWork) {
  const loaders::Loaded loaded = LoadSql(
      "CREATE TABLE rocpd_string_0a(id, string);"
      "CREATE TABLE rocpd_event_0a(id, stack_id, category_id);"
      "CREATE TABLE rocpd_info_agent_0a(id, type, absolute_index);"
      "CREATE TABLE rocpd_info_kernel_symbol_0a(id, display_name);"
      "CREATE TABLE rocpd_region_0a(start, end, name_id, tid, event_id);"
      "CREATE TABLE rocpd_kernel_dispatch_0a(start, end, agent_id, kernel_id,"
      " stream_id, event_id);"
      "CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM"
      " rocpd_kernel_dispatch_0a;"
      "INSERT INTO rocpd_string_0a VALUES (1, 'hipLaunchKernel'),"
      " (2, 'forward'), (3, 'MARKER_CORE_API'), (4, 'HIP_RUNTIME_API');"
      "INSERT INTO rocpd_event_0a VALUES (1, 10, 4), (2, 11, 3), (3, 10, 4),"
      " (4, 12, 4), (5, 12, 4), (6, 99, 4);"
      "INSERT INTO rocpd_info_agent_0a VALUES (1, 'CPU', 0), (2, 'GPU', 5);"
      "INSERT INTO rocpd_info_kernel_symbol_0a VALUES (1, 'gemm');"
      "INSERT INTO rocpd_region_0a VALUES (10, 20, 1, 7, 1), (0, 50, 2, 7, 2),"
      " (60, 70, 1, 7, 4);"
      "INSERT INTO rocpd_kernel_dispatch_0a VALUES (30, 130, 2, 1, 0, 3),"
      " (200, 220, 2, 1, 0, 5), (300, 303, 2, 1, 0, 6);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{
                {"forward", 100}, {"hipLaunchKernel", 20}, {"gemm", 3}}));
  EXPECT_EQ(loaded.profile.links().size(), 2u);
}

// The tables of a run with a call and a kernel of the process `pid`.
std::string RunSql(const std::string& run, const std::string& pid) {
  const auto table = [&](const std::string& name, const std::string& columns,
                         const std::string& values) {
    return "CREATE TABLE rocpd_" + name + run + "(" + columns +
           "); INSERT INTO rocpd_" + name + run + " VALUES " + values + ";";
  };
  return table("string", "id, string", "(1, 'call')") +
         table("event", "id, stack_id", "(1, 10)") +
         table("info_process", "id, pid", "(4, " + pid + ")") +
         table("info_thread", "id, tid", "(8, 77)") +
         table("info_agent", "id, type, absolute_index", "(1, 'GPU', 5)") +
         table("region", "start, end, name_id, pid, tid, event_id",
               "(10, 20, 1, 4, 8, 1)") +
         table("kernel_dispatch",
               "start, end, agent_id, pid, stream_id, event_id",
               "(30, 40, 1, 4, 0, 1)");
}

std::set<std::string> LaneNames(const profile::Profile& profile) {
  std::set<std::string> names;
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    names.emplace(profile.graph().strings.Get(lanes[lane].name));
  }
  return names;
}

TEST_F(RocpdTest, ProcessesAndThreadsHaveTheNumbersOfTheSystem) {
  const loaders::Loaded one = LoadSql(RunSql("_0a", "908"));
  EXPECT_EQ(one.profile.lanes().process(0).process_id, 908);
  EXPECT_EQ(LaneNames(one.profile),
            (std::set<std::string>{"stream 0", "thread 77 launches"}));
  const loaders::Loaded two =
      LoadSql(RunSql("_0a", "908") + RunSql("_0b", "909"));
  EXPECT_EQ(LaneNames(two.profile),
            (std::set<std::string>{
                "process 908 stream 0", "process 908 thread 77 launches",
                "process 909 stream 0", "process 909 thread 77 launches"}));
  EXPECT_EQ(two.profile.links().size(), 2u);
}

TEST_F(RocpdTest, RunsWithoutANumberOfTheirOwnStayApart) {
  for (const std::string pid : {"1", "NULL", "-3"}) {
    const loaders::Loaded two =
        LoadSql(RunSql("_0a", pid) + RunSql("_0b", pid));
    EXPECT_EQ(two.profile.lanes().process(0).process_id, pid == "1" ? 1 : -1);
    EXPECT_EQ(two.profile.lanes().size(), 4u) << pid;
    EXPECT_EQ(LaneNames(two.profile),
              (std::set<std::string>{"stream 0", "thread 77 launches"}));
  }
}

TEST_F(RocpdTest, RpdNamesTheCallOfEachOperation) {
  const loaders::Loaded loaded = LoadSql(
      "CREATE TABLE rocpd_string(id, string);"
      "CREATE TABLE rocpd_api(id, pid, tid, start, end, apiName_id, args_id);"
      "CREATE TABLE rocpd_op(id, gpuId, queueId, start, end, description_id,"
      " opType_id);"
      "CREATE TABLE rocpd_api_ops(api_id, op_id);"
      "INSERT INTO rocpd_string VALUES (1, ''), (2, 'UserMarker'),"
      " (3, 'my range'), (4, 'hipLaunchKernel'), (5, 'KernelExecution'),"
      " (6, 'Barrier'), (7, 'gemm'), (8, 'CopyDeviceToHost');"
      "INSERT INTO rocpd_api VALUES (1, 1, 1, 0, 50, 2, 3),"
      " (2, 1, 1, 10, 20, 4, 1), (3, 1, 1, 60, 70, 4, 1);"
      "INSERT INTO rocpd_op VALUES (1, 0, 0, 30, 130, 7, 5),"
      " (2, 0, 0, 130, 140, 1, 8), (3, 0, 0, 140, 150, 1, 6),"
      " (4, 0, 0, 160, 150, 7, 5);"
      "INSERT INTO rocpd_api_ops VALUES (2, 1), (3, 3);");
  EXPECT_EQ(WorkOf(loaded.profile),
            (std::map<std::string, int64_t>{{"my range", 100},
                                            {"CopyDeviceToHost", 10}}));
  EXPECT_EQ(Count(loaded, "event without its times"), 1);
  EXPECT_EQ(
      Count(loaded, "operation of rpd that is no work, such as a barrier"), 1);
}

}  // namespace
}  // namespace tfprof::rocprof
