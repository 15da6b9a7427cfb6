#include "loaders/rocprof/tool_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/core/load_testing.h"
#include "loaders/core/registry.h"
#include "loaders/rocprof/format.h"

namespace tfprof::rocprof {
namespace {

using loaders::WorkOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kAgents[] =
    R"("agents":[{"id":{"handle":70},"type":1,"name":"CPU","logical_node_id":0},)"
    R"({"id":{"handle":71},"type":2,"name":"gfx","product_name":"MI\u00b3",)"
    R"("node_id":9,"logical_node_id":1},{"id":{"handle":72},"type":2,)"
    R"("name":"gfx942","product_name":"","node_id":2}])";
constexpr char kStrings[] =
    R"("strings":{"callback_records":[1],"buffer_records":[)"
    R"({"kind":"NONE","operations":[]},)"
    R"({"kind":"HIP","operations":["hipLaunch\u004bernel","hipMemcpy"]},)"
    R"({"kind":"COPY","operations":["NONE","MEMORY_COPY_HOST_TO_DEVICE",)"
    R"("MEMORY_COPY_DEVICE_TO_HOST","MEMORY_COPY_DEVICE_TO_DEVICE"]},)"
    R"({"kind":"MARKER","operations":["roctxMarkA","roctxThreadRangeA",)"
    R"("roctxProcessRangeA"]},)"
    R"({"kind":"HSA","operations":["hsa_copy"]}],)"
    R"("marker_api":[{"key":50,"value":"step \"1\""},)"
    R"({"key":51,"value":"async"},{"key":52,"value":"mark"}]})";
constexpr char kSymbols[] =
    R"("kernel_symbols":[{"kernel_id":5,"kernel_name":"k.kd",)"
    R"j("formatted_kernel_name":"void gr\u00f6\u00dfe(\"x\")",)j"
    R"("demangled_kernel_name":"no"},{"kernel_id":6,"kernel_name":"m.kd",)"
    R"("demangled_kernel_name":"ncclKernel"},{"kernel_id":7,)"
    R"("kernel_name":"plain.kd"}])";

std::string Record(const std::string& start, const std::string& end,
                   const std::string& correlation, const std::string& rest) {
  return R"({"size":1,"thread_id":9,"correlation_id":{"internal":)" +
         correlation + R"(,"external":0},"start_timestamp":)" + start +
         R"(,"end_timestamp":)" + end + "," + rest + "}";
}

std::string KernelRecord(const std::string& start, const std::string& end,
                         const std::string& correlation, const std::string& id,
                         const std::string& agent = "71") {
  return Record(start, end, correlation,
                R"("dispatch_info":{"agent_id":{"handle":)" + agent +
                    R"(},"queue_id":{"handle":3},"kernel_id":)" + id +
                    R"(,"grid_size":{"x":1}})");
}

std::string CallRecord(const std::string& start, const std::string& end,
                       const std::string& correlation, const std::string& kind,
                       const std::string& operation) {
  return Record(start, end, correlation,
                R"("kind":)" + kind + R"(,"operation":)" + operation);
}

std::string CopyRecord(const std::string& start, const std::string& end,
                       const std::string& correlation,
                       const std::string& operation, const std::string& from,
                       const std::string& to) {
  return Record(start, end, correlation,
                R"("kind":2,"operation":)" + operation +
                    R"(,"stream_id":{"handle":4},"bytes":100,)"
                    R"("src_agent_id":{"handle":)" +
                    from + R"(},"dst_agent_id":{"handle":)" + to + "}");
}

std::string Array(const std::string& name,
                  const std::vector<std::string>& records) {
  std::string text = "\"" + name + "\":[";
  for (const std::string& record : records) {
    if (!text.ends_with('[')) text += ',';
    text += record;
  }
  return text + "]";
}

std::string Tool(const std::string& records,
                 const std::string& process = "908") {
  return R"({"metadata":{"node":{"id":0},"pid":)" + process + "}," + kAgents +
         "," + kStrings + "," + kSymbols + R"(,"buffer_records":{)" + records +
         "}}";
}

std::string File(const std::string& tools) {
  return R"({"rocprofiler-sdk-tool":[)" + tools + "]}";
}

std::string AllRecords() {
  return Array("kernel_dispatch", {KernelRecord("100", "101", "11", "5"),
                                   KernelRecord("101", "103", "12", "6", "72"),
                                   KernelRecord("103", "107", "0", "7")}) +
         "," +
         Array("hip_api", {CallRecord("10", "12", "11", "1", "0"),
                           CallRecord("80", "82", "12", "1", "0"),
                           CallRecord("20", "22", "13", "1", "1")}) +
         "," + Array("hsa_api", {CallRecord("20", "21", "14", "4", "0")}) +
         "," +
         Array("memory_copy",
               {CopyRecord("200", "208", "13", "1", "70", "71"),
                CopyRecord("300", "316", "14", "2", "72", "70"),
                CopyRecord("400", "432", "15", "3", "71", "72")}) +
         "," +
         Array("marker_api", {CallRecord("0", "50", "50", "3", "1"),
                              CallRecord("0", "500", "51", "3", "2"),
                              CallRecord("85", "85", "52", "3", "0")});
}

class ToolJsonTest : public loaders::FolderTest {
 protected:
  loaders::Loaded LoadText(const std::string& text) {
    auto loaded = loaders::LoadFiles({Write("f.json", text)});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return *std::move(loaded);
  }
};

TEST_F(ToolJsonTest, ReadsKernelsCopiesCallsAndRanges) {
  const loaders::Loaded loaded = LoadText(File(Tool(AllRecords())));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("MEMORY_COPY_DEVICE_TO_DEVICE", 32),
                          Pair("hipLaunchKernel", 2), Pair("plain.kd", 4),
                          Pair("step \"1\"", 25)));
  EXPECT_EQ(loaded.profile.links().size(), 4u);
  const profile::LaneTable& lanes = loaded.profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 1u);
  EXPECT_EQ(lanes.process(0).process_id, 908);
  std::string names;
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    const auto& physical = lanes.physical(lanes[lane].physical);
    names += physical.label + " " + physical.model + " " +
             std::string(loaded.profile.graph().strings.Get(lanes[lane].name)) +
             "\n";
  }
  EXPECT_EQ(names,
            "cpu:0  thread 9 launches\n"
            "cpu:0  thread 9\n"
            "cpu:0  thread 9 ranges\n"
            "gpu:1 MI\u00b3 stream 3\n"
            "gpu:2 gfx942 stream 3 communication\n"
            "gpu:1 MI\u00b3 stream 4 copies\n"
            "gpu:2 gfx942 stream 4 copies\n");
  EXPECT_FALSE(loaded.log.damaged());
}

TEST_F(ToolJsonTest, NamesOfKernelsAreDecoded) {
  const loaders::Loaded loaded = LoadText(
      File(Tool(Array("kernel_dispatch", {KernelRecord("1", "2", "0", "5")}))));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("void gr\u00f6\u00dfe(\"x\")", 1)));
}

TEST_F(ToolJsonTest, MembersMayBeInAnyOrder) {
  const std::string text = R"({"other":{"a":[1,"]}"]},)"
                           R"("rocprofiler-sdk-tool":[{"buffer_records":{)" +
                           AllRecords() + "}," + kSymbols + "," + kStrings +
                           "," + kAgents +
                           R"(,"metadata":{"pid":908}}],"more":null})";
  EXPECT_EQ(WorkOf(LoadText(text).profile),
            WorkOf(LoadText(File(Tool(AllRecords()))).profile));
}

TEST_F(ToolJsonTest, OneToolNeedsNoArray) {
  const loaders::Loaded loaded =
      LoadText(R"({"rocprofiler-sdk-tool":)" + Tool(AllRecords()) + "}");
  EXPECT_EQ(loaded.profile.links().size(), 4u);
}

TEST_F(ToolJsonTest, ToolsOfOneFileAreProcesses) {
  // Their correlation ids are equal.
  const auto records = [](const std::string& name) {
    return Array("hip_api", {CallRecord("10", "12", "11", "1", name)}) + "," +
           Array("kernel_dispatch", {KernelRecord("100", "101", "11", "5")});
  };
  const loaders::Loaded loaded =
      LoadText(File(Tool(records("0"), "1") + "," + Tool(records("1"), "2")));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("hipLaunchKernel", 1), Pair("hipMemcpy", 1)));
  EXPECT_EQ(loaded.profile.lanes().size(), 4u);
}

TEST_F(ToolJsonTest, BadRecordsAreCountedWithTheirPlaces) {
  const std::string good = KernelRecord("10", "14", "0", "7");
  const loaders::Loaded loaded = LoadText(File(Tool(Array(
      "kernel_dispatch",
      {good, KernelRecord("20", "19", "0", "7"),
       KernelRecord("9223372036854775807", "9223372036854775808", "0", "7"),
       KernelRecord("1", "18446744073709551616", "0", "7"),
       KernelRecord("1", "2", "-1", "7"), KernelRecord("\"x\"", "2", "0", "7"),
       KernelRecord("1", "2", "0", "[7]"), KernelRecord("null", "2", "0", "7"),
       "17", R"({"start_timestamp":5})", "{}", good}))));
  EXPECT_THAT(WorkOf(loaded.profile), ElementsAre(Pair("plain.kd", 8)));
  EXPECT_EQ(Count(loaded, "event without its times"), 4);
  EXPECT_EQ(Count(loaded, "event with a number that is none"), 5);
  EXPECT_EQ(Count(loaded, "record that is no object"), 1);
  std::string text;
  for (const std::string& line : loaded.log.Lines()) text += line + "\n";
  EXPECT_THAT(text, HasSubstr("f.json: byte "));
  EXPECT_THAT(text, HasSubstr("found an event from 20 to 19, expected"));
  EXPECT_THAT(text, HasSubstr("found '-1', expected an integer"));
}

TEST_F(ToolJsonTest, OffsetsAreThoseOfTheRecord) {
  const std::string text = File(
      Tool(Array("kernel_dispatch", {" " + KernelRecord("2", "1", "0", "7")})));
  loaders::LoadContext context;
  ASSERT_TRUE(
      ReadToolJson(loaders::InputFile::FromBytes("f", text), context).ok());
  EXPECT_THAT(
      context.log.Lines().front(),
      HasSubstr("byte " + std::to_string(text.find(R"({"size")")) + ":"));
}

TEST_F(ToolJsonTest, WhatTheFileDoesNotNameIsSaid) {
  const loaders::Loaded loaded = LoadText(File(
      Tool(Array("kernel_dispatch", {KernelRecord("1", "2", "0", "77"),
                                     KernelRecord("2", "4", "0", "7", "99")}) +
           "," + Array("hip_api", {CallRecord("1", "2", "3", "88", "99")}))));
  EXPECT_THAT(WorkOf(loaded.profile),
              ElementsAre(Pair("kernel 77", 1), Pair("plain.kd", 2)));
  EXPECT_EQ(Count(loaded, "kernel without its name"), 1);
  EXPECT_EQ(Count(loaded, "work of an unknown agent"), 1);
  EXPECT_NE(loaded.profile.graph().strings.Find("(no name)"), profile::kNone);
}

TEST_F(ToolJsonTest, AFileCutAnywhereKeepsItsWholeRecords) {
  const std::string text = File(Tool(AllRecords()));
  size_t most = 0;
  for (size_t size = 0; size < text.size(); ++size) {
    loaders::LoadContext context;
    const auto trace = ReadToolJson(
        loaders::InputFile::FromBytes("f.json", text.substr(0, size)), context);
    if (!trace.ok()) {
      EXPECT_EQ(most, 0u) << size;
      EXPECT_THAT(std::string(trace.status().message()),
                  HasSubstr("f.json: byte "));
      continue;
    }
    const size_t events = trace->host.size() + trace->work.size();
    EXPECT_GE(events, most) << size;
    most = events;
    EXPECT_GE(context.log.entries().size(), 1u) << size;
    EXPECT_EQ(context.log.entries().back().kind, "file that ends early")
        << size;
  }
  EXPECT_EQ(most, 12u);
}

TEST_F(ToolJsonTest, DamageKeepsWhatIsBeforeIt) {
  std::string text = File(Tool(AllRecords()));
  const size_t second = text.find(R"({"size")", text.find(R"({"size")") + 1);
  text[second + 1] = '?';
  const loaders::Loaded loaded = LoadText(text);
  EXPECT_EQ(Count(loaded, "JSON that is damaged"), 1);
  EXPECT_THAT(loaded.log.Lines().front(),
              HasSubstr("byte " + std::to_string(second + 1) + ": expected"));
  EXPECT_EQ(WorkOf(loaded.profile).size(), 1u);
}

TEST_F(ToolJsonTest, DeepNestingIsOnlySkipped) {
  const std::string deep(100000, '[');
  const std::string end(100000, ']');
  EXPECT_THAT(WorkOf(LoadText(R"({"x":)" + deep + end + "," +
                              File(Tool(AllRecords())).substr(1))
                         .profile)
                  .size(),
              4u);
  const auto loaded = loaders::LoadFiles(
      {Write("f.json", R"({"rocprofiler-sdk-tool":)" + deep)});
  EXPECT_THAT(Error(loaded), HasSubstr("f.json: byte"));
}

TEST_F(ToolJsonTest, CsvOfTheSameRunIsNotReadTwice) {
  Write("9_results.json", File(Tool(AllRecords())));
  Write("9_kernel_trace.csv",
        "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nK,k,1,2\n");
  Write("8_kernel_trace.csv",
        "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nK,other,1,2\n");
  auto loaded = loaders::LoadFiles({dir_.string()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(WorkOf(loaded->profile).count("k"), 0u);
  EXPECT_EQ(WorkOf(loaded->profile).count("other"), 1u);
  EXPECT_EQ(Count(*loaded, "CSV of a run that is read from JSON"), 1);
}

TEST_F(ToolJsonTest, ARunWithoutRecordsIsSaid) {
  EXPECT_EQ(Count(LoadText(File(Tool(""))), "rocprof file without events"), 1);
  EXPECT_EQ(Count(LoadText(File("")), "rocprof file without events"), 1);
}

TEST_F(ToolJsonTest, RecognisesItsKeyAndNoOtherJson) {
  const auto format = [](std::string_view bytes) {
    return loaders::SniffFormat(bytes, loaders::Formats()).format;
  };
  EXPECT_EQ(format(File("")), &kRocprofFormat);
  EXPECT_EQ(format("\xef\xbb\xbf " + File("")), &kRocprofFormat);
  EXPECT_EQ(format(R"({"rocprofiler-sdk-tool")"), nullptr) << "no value";
  EXPECT_EQ(format(R"({"a":")" + std::string(1 << 20, 'x') + R"(",)" +
                   File("").substr(1)),
            &kRocprofFormat);
  // A text or a deeper key is not the key.
  EXPECT_EQ(format(R"({"a":"rocprofiler-sdk-tool"})"), nullptr);
  EXPECT_EQ(format(R"({"a":{"rocprofiler-sdk-tool":[]}})"), nullptr);
  EXPECT_EQ(format(R"({"traceEvents":[{"ph":"X","name":)"
                   R"("rocprofiler-sdk-tool","ts":1,"dur":1}]})"),
            &chrome_json::kChromeFormat);
}

TEST_F(ToolJsonTest, RefusesOtherJsonUnderItsFlag) {
  EXPECT_THAT(Error(loaders::LoadFlagged(
                  {{"rocprof_path", Write("f.json", R"({"a":1})")}})),
              HasSubstr("found JSON without \"rocprofiler-sdk-tool\""));
}

TEST_F(ToolJsonTest, ACancelledLoadReturnsNothing) {
  std::vector<std::string> records(10000, KernelRecord("1", "2", "0", "7"));
  util::Cancellation cancellation;
  cancellation.Request();
  util::TaskOptions how;
  how.cancellation = &cancellation;
  loaders::LoadContext context(how);
  const auto trace =
      ReadToolJson(loaders::InputFile::FromBytes(
                       "f", File(Tool(Array("kernel_dispatch", records)))),
                   context);
  EXPECT_TRUE(absl::IsCancelled(trace.status()));
}

loaders::ByteAccount AccountOf(const std::string& text) {
  const auto file = loaders::InputFile::FromBytes("f_results.json", text);
  const loaders::ByteAccount account = kRocprofFormat.account(*file, nullptr);
  EXPECT_EQ(account.total(), static_cast<int64_t>(text.size()));
  return account;
}

std::string ToolWith(const std::string& records) {
  return R"({"rocprofiler-sdk-tool":[{"buffer_records":{"hip_api":[)" +
         records + "]}}]}";
}

TEST(ToolJsonAccountTest, BytesOfAFile) {
  const std::string event = R"({"start_timestamp":1,"end_timestamp":2})";
  const auto whole = static_cast<int64_t>(ToolWith(event).size());
  EXPECT_EQ(AccountOf(ToolWith(event)), (loaders::ByteAccount{.read = whole}));
  // Members of no use, and spaces.
  EXPECT_EQ(
      AccountOf(
          ToolWith(R"({"size": 1, "start_timestamp":1,"end_timestamp":2})")),
      (loaders::ByteAccount{.read = whole + 1, .unused = 8, .white_space = 2}));
  // A record that is dropped, with what is of no use in it.
  const std::string bad = R"({"size":1,"start_timestamp":3,"end_timestamp":2})";
  EXPECT_EQ(
      AccountOf(ToolWith(event + "," + bad)),
      (loaders::ByteAccount{.read = whole + 1,
                            .damaged = static_cast<int64_t>(bad.size())}));
  // An extra comma is read.
  const loaders::ByteAccount comma = AccountOf(ToolWith(event + ",," + event));
  EXPECT_EQ(comma.damaged, 0);
  EXPECT_GT(comma.repaired, 0);
  // The file ends in a record, or goes on behind its end.
  const std::string cut = ToolWith(event + "," + bad);
  EXPECT_EQ(AccountOf(cut.substr(0, cut.size() - 10)).damaged,
            static_cast<int64_t>(bad.size() - 5));
  EXPECT_EQ(AccountOf(ToolWith(event) + "]").damaged, 1);
}

}  // namespace
}  // namespace tfprof::rocprof
