#include "loaders/rocprof/csv_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "loaders/core/load_testing.h"
#include "loaders/core/registry.h"
#include "loaders/counters/format.h"
#include "loaders/rocprof/format.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"

namespace tfprof::rocprof {
namespace {

using loaders::WorkOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kKernels[] =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\","
    "\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n";
constexpr char kCopies[] =
    "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\","
    "\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\","
    "\"End_Timestamp\"\n";
constexpr char kCalls[] =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n";

std::string Kernel(const std::string& name, const std::string& rest,
                   const std::string& agent = "Agent 1") {
  return "\"KERNEL_DISPATCH\",\"" + agent + "\",1,2,908,1,0,\"" + name + "\"," +
         rest + "\n";
}

class CsvRunTest : public loaders::FolderTest {
 protected:
  loaders::Loaded LoadAll(const std::vector<std::string>& files) {
    auto loaded = loaders::LoadFiles(files);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
  loaders::Loaded LoadKernels(const std::string& rows) {
    return LoadAll({Write("k.csv", kKernels + rows)});
  }
  // The files of a run, in an order in which the launches come last.
  std::vector<std::string> WriteRun(const std::string& prefix) {
    return {Write(prefix + "_kernel_trace.csv",
                  kKernels + Kernel("gemm", "11,100,110") +
                      Kernel("ncclKernel", "12,200,230", "Agent 2") +
                      Kernel("relu", "99,300,301")),
            Write(prefix + "_memory_copy_trace.csv",
                  std::string(kCopies) +
                      "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",2,"
                      "\"Agent 0\",\"Agent 1\",13,400,403\n"
                      "\"MEMORY_COPY\",\"MEMORY_COPY_DEVICE_TO_HOST\",2,"
                      "\"Agent 2\",\"Agent 0\",14,500,504\n"),
            Write(prefix + "_marker_api_trace.csv",
                  std::string(kCalls) +
                      "\"MARKER_CORE_API\",\"step\",908,7,5000,0,60\n"
                      "\"MARKER_CORE_RANGE_API\",\"layer\",908,7,5001,15,30\n"),
            Write(prefix + "_hip_api_trace.csv",
                  std::string(kCalls) +
                      "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",908,7,11,10,12\n"
                      "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",908,7,12,20,22\n"
                      "\"HIP_RUNTIME_API\",\"hipMemcpy\",908,7,13,40,42\n"
                      "\"HIP_RUNTIME_API\",\"hipMemcpy\",908,8,14,40,42\n")};
  }
};

TEST_F(CsvRunTest, SeveralFilesAreOneRun) {
  const loaders::Loaded loaded = LoadAll(WriteRun("908"));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("hipMemcpy", 4), Pair("layer", 30),
                          Pair("relu", 1), Pair("step", 13)));
  EXPECT_EQ(loaded.profile.links().size(), 4u);
  const profile::LaneTable& lanes = loaded.profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 1u);
  EXPECT_EQ(lanes.process(0).process_id, 908);
  std::map<std::string, int> of_device;
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    ++of_device[lanes.physical(lanes[lane].physical).label];
    if (lanes[lane].kind == profile::LaneKind::kCommunication) {
      EXPECT_EQ(lanes.physical(lanes[lane].physical).label, "gpu:2");
    }
  }
  EXPECT_THAT(of_device, ElementsAre(Pair("cpu:0", 3), Pair("gpu:1", 2),
                                     Pair("gpu:2", 2)));
  EXPECT_FALSE(loaded.log.damaged());
}

TEST_F(CsvRunTest, AFolderAndPackedFilesAreTheSame) {
  const auto want = WorkOf(LoadAll(WriteRun("908")).profile);
  EXPECT_EQ(WorkOf(LoadAll({dir_.string()}).profile), want);
  std::vector<std::string> packed;
  for (const std::string& path : WriteRun("908")) {
    std::ifstream in(path);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    util::StringSink sink;
    util::GzipSink gzip(sink);
    gzip.Write(bytes);
    EXPECT_TRUE(gzip.Finish().ok());
    const std::string name = std::filesystem::path(path).filename().string();
    packed.push_back(Write("p/" + name + ".gz", sink.text()));
  }
  EXPECT_EQ(WorkOf(LoadAll(packed).profile), want);
}

TEST_F(CsvRunTest, TwoRunsAreTwoProcesses) {
  // Correlation ids of different processes are equal.
  std::vector<std::string> files = WriteRun("a/908");
  for (const std::string& file : WriteRun("a/909")) files.push_back(file);
  const loaders::Loaded loaded = LoadAll(files);
  ASSERT_EQ(loaded.profile.lanes().num_processes(), 2u);
  EXPECT_EQ(loaded.profile.lanes().process(0).label, "908");
  EXPECT_EQ(loaded.profile.lanes().process(1).label, "909");
  EXPECT_EQ(loaded.profile.links().size(), 8u);
}

TEST_F(CsvRunTest, FilesAreOfTheRunWhoseNamesTheyHave) {
  const auto file = [](const std::string& path) {
    return loaders::InputFile::FromBytes(path, "x");
  };
  const auto groups = GroupCsvFiles(
      {file("d/1_kernel_trace.csv"), file("d/2_kernel_trace.csv.gz"),
       file("e/1_kernel_trace.csv"), file("d/1_agent_info.csv")});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].path, "d/1");
  EXPECT_EQ(groups[0].files.size(), 2u);
  EXPECT_EQ(groups[1].path, "d/2");
  EXPECT_EQ(groups[2].path, "e/1");
  // Names that say nothing.
  EXPECT_EQ(GroupCsvFiles({file("a.csv"), file("d/1_hip_api_trace.csv"),
                           file("/dev/stdin")})
                .size(),
            1u);
  EXPECT_EQ(GroupCsvFiles({file("a.csv"), file("b.csv")}).size(), 1u);
  EXPECT_EQ(GroupCsvFiles({file("kernel_trace.csv"), file("agent_info.csv")})
                .front()
                .path,
            "");
}

TEST_F(CsvRunTest, AgentInfoHasTheModels) {
  const loaders::Loaded loaded =
      LoadAll({Write("x_agent_info.csv",
                     "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\","
                     "\"Product_Name\"\n"
                     "0,0,\"CPU\",\"cpu\",\"EPYC\"\n"
                     "4,1,\"GPU\",\"gfx942\",\"MI300X\"\n"
                     "x,y,\"GPU\",\"gfx942\",\"MI300X\"\n"),
               Write("x_kernel_trace.csv", kKernels + Kernel("k", "1,2,3"))});
  const profile::LaneTable& lanes = loaded.profile.lanes();
  EXPECT_EQ(lanes.physical(lanes[0].physical).model, "MI300X");
  EXPECT_EQ(Count(loaded, "event with a number that is none"), 1);
}

TEST_F(CsvRunTest, ColumnsMayBeFewerAndInAnyOrder) {
  // rocprofv3 of ROCm 6.2 writes no stream, and the number of the agent alone.
  const loaders::Loaded loaded = LoadAll({Write(
      "k.csv",
      "End_Timestamp,Start_Timestamp,Kernel_Name,Kind,Agent_Id,Queue_Id\r\n"
      "20,10,\"f, g\",KERNEL_DISPATCH,3,5\r\n")});
  EXPECT_THAT(WorkOf(loaded.profile), ElementsAre(Pair("f, g", 10)));
  const profile::LaneTable& lanes = loaded.profile.lanes();
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes.physical(lanes[0].physical).label, "gpu:3");
  EXPECT_EQ(lanes[0].stream, 5);
}

TEST_F(CsvRunTest, NamesMayHaveQuotesAndLineEnds) {
  const loaders::Loaded loaded =
      LoadKernels(Kernel("a\"\"b", "1,10,11") + Kernel("c\nd", "1,20,22") +
                  Kernel("e \"f\"", "1,30,34") + Kernel("", "1,40,48"));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("(no name)", 8), Pair("a\"b", 1),
                          Pair("c\nd", 2), Pair("e \"f\"", 4)));
  EXPECT_FALSE(loaded.log.damaged());
}

TEST_F(CsvRunTest, BadRowsAreCountedWithTheirPlaces) {
  const std::string good = Kernel("k", "1,10,14");
  const loaders::Loaded loaded = LoadKernels(
      good + Kernel("k", "1,20,19") + Kernel("k", "1,,30") +
      Kernel("k", "1,9223372036854775808,9223372036854775809") +
      Kernel("k", "1,18446744073709551616,30") + Kernel("k", "-1,10,20") +
      Kernel("k", "1,10,x") + Kernel("k", "1,10,20", "Agent") + "a,b\n" +
      Kernel("k", "1,10,20,30") + good);
  EXPECT_THAT(WorkOf(loaded.profile), ElementsAre(Pair("k", 8)));
  EXPECT_EQ(Count(loaded, "event without its times"), 3);
  EXPECT_EQ(Count(loaded, "event with a number that is none"), 4);
  EXPECT_EQ(Count(loaded, "row without all its cells"), 2);
  EXPECT_TRUE(loaded.log.damaged());
  std::string text;
  for (const std::string& line : loaded.log.Lines()) text += line + "\n";
  const size_t second = sizeof(kKernels) - 1 + good.size();
  EXPECT_THAT(text, HasSubstr("k.csv: byte " + std::to_string(second) +
                              ": found an event from 20 to 19, expected"));
  EXPECT_THAT(text, HasSubstr("found '-1', expected an integer"));
  EXPECT_THAT(text, HasSubstr("found 'Agent', expected an integer"));
}

TEST_F(CsvRunTest, AFileCutAnywhereKeepsItsWholeRows) {
  std::string bytes = kKernels;
  std::vector<size_t> ends;
  for (int i = 0; i < 4; ++i) {
    bytes +=
        "\"KERNEL_DISPATCH\",\"Agent 1\",\"1\",\"2\",\"9\",\"1\",\"0\","
        "\"a \"\"b\"\",\nc\",\"1\",\"10\",\"11\"\n";
    ends.push_back(bytes.size() - 1);
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto file =
        loaders::InputFile::FromBytes("k.csv", bytes.substr(0, size));
    loaders::LoadContext context;
    const auto trace = ReadCsvRun({.path = "", .files = {file}}, context);
    if (size < sizeof(kKernels) - 2) {
      EXPECT_FALSE(trace.ok()) << size;
      continue;
    }
    ASSERT_TRUE(trace.ok()) << size << trace.status();
    size_t whole = 0;
    while (whole < ends.size() && ends[whole] <= size) ++whole;
    EXPECT_EQ(trace->work.size(), whole) << size;
    const bool between =
        size < sizeof(kKernels) || (whole > 0 && size <= ends[whole - 1] + 1);
    EXPECT_EQ(context.log.damaged(), !between) << size;
  }
}

TEST_F(CsvRunTest, RecognisesItsColumnsAndNoOthers) {
  const auto format = [](std::string_view bytes) {
    return loaders::SniffFormat(bytes, loaders::Formats()).format;
  };
  EXPECT_EQ(format(kKernels), &kRocprofFormat);
  EXPECT_EQ(format(kCopies), &kRocprofFormat);
  EXPECT_EQ(format(kCalls), &kRocprofFormat);
  EXPECT_EQ(format(std::string("\xef\xbb\xbf") + kCalls), &kRocprofFormat);
  // Counters of rocprofv3 and of its predecessors.
  const char counters[] =
      "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\","
      "\"Process_Id\",\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\","
      "\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\","
      "\"Start_Timestamp\",\"End_Timestamp\"\n";
  EXPECT_EQ(format(counters), &counters::kCountersFormat);
  EXPECT_EQ(format("Index,KernelName,gpu-id,grd,SQ_WAVES\n"),
            &counters::kCountersFormat);
  // Else its first bytes would be taken for a protocol buffer.
  EXPECT_EQ(format("\"Name\",\"Calls\",\"TotalDurationNs\"\n"),
            &kRocprofFormat);
  EXPECT_EQ(format("Function,Domain\n"), nullptr);
}

TEST_F(CsvRunTest, OtherTablesOfARunAreSkipped) {
  const loaders::Loaded loaded = LoadAll(
      {Write("1_kernel_trace.csv", kKernels + Kernel("k", "1,2,3")),
       Write("1_kernel_stats.csv",
             "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"k\",1,1\n"),
       Write("1_scratch_memory_trace.csv",
             "\"Kind\",\"Operation\",\"Agent_Id\",\"Start_Timestamp\","
             "\"End_Timestamp\"\n\"SCRATCH\",\"ALLOC\",\"Agent 1\",1,2\n")});
  EXPECT_THAT(WorkOf(loaded.profile), ElementsAre(Pair("k", 1)));
  EXPECT_EQ(loaded.profile.lanes().num_processes(), 1u);
  EXPECT_EQ(Count(loaded, "table of rocprofv3 that is not read"), 2);
  EXPECT_FALSE(loaded.log.damaged());
}

TEST_F(CsvRunTest, RefusesAFileOfAnotherKindUnderItsFlag) {
  const auto loaded =
      loaders::LoadFlagged({{"rocprof_path", Write("f.csv", "a,b\n1,2\n")}});
  EXPECT_THAT(Error(loaded), HasSubstr("f.csv: byte 0: the first row"));
  EXPECT_THAT(Error(loaded), HasSubstr("--output-format csv"));
}

TEST_F(CsvRunTest, ARunWithoutRowsIsSaid) {
  EXPECT_EQ(Count(LoadKernels(""), "rocprof file without events"), 1);
}

}  // namespace
}  // namespace tfprof::rocprof
