#include "loaders/flight_recorder/dump.h"

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/flight_recorder/dump_pickle.h"

namespace tfprof::flight_recorder {
namespace {

using profile::CollectiveRecords;
using namespace std::string_literals;

std::string Entry(std::string_view more) {
  return fmt::format(
      R"({{"collective_seq_id":6,"p2p_seq_id":2,"pg_id":0,)"
      R"("process_group":["0","default_pg"],"input_sizes":[[2,3]],)"
      R"("input_dtypes":["Half"],)"
      R"("profiling_name":"nccl:all_reduce","state":"started",)"
      R"("time_created_ns":1795490674836488001,"is_p2p":false{}}})",
      more);
}

std::string Dump(std::string_view entries) {
  return fmt::format(
      R"({{"version":"2.10","entries":[{}],)"
      R"("pg_config":{{"0":{{"name":"0","desc":"all","ranks":"[0, 1]"}}}},)"
      R"("pg_status":{{"0":{{"last_enqueued_collective":"6",)"
      R"("last_completed_collective":5}}}}}})",
      entries);
}

// A text of a pickle.
std::string Text(std::string_view text) {
  std::string bytes = "X";
  bytes += static_cast<char>(text.size());
  bytes += "\0\0\0"s;
  bytes += text;
  return bytes;
}

std::string Frame(std::string_view file, std::string_view function) {
  return "}(" + Text("name") + Text(function) + Text("filename") + Text(file) +
         Text("line") + "K\x07u";
}

// {"entries": [{"frames": […], "process_group": ("0", "all"), …}]}.
std::string PickledDump() {
  return "\x80\x02}("s + Text("pg_config") + "}" + Text("entries") + "](}(" +
         Text("frames") + "](" + Frame("/x/site-packages/a.py", "inner") +
         Frame("/home/me/train.py", "layer") +
         Frame("/home/me/train.py", "main") + "e" + Text("process_group") +
         Text("0") + Text("all") + "\x86" + Text("collective_seq_id") +
         "K\x05" + Text("profiling_name") + Text("gloo:barrier") +
         Text("time_created_ns") + "\x8a\x08\x76\x37\x4e\x7a\x41\xdd\xea\x18"s +
         Text("input_sizes") + "](](K\x02" + "ee" + Text("is_p2p") + "\x89" +
         "ueu.";
}

struct ReadDumps {
  loaders::ImportLog log;
  DumpReader reader{log};
  absl::Status status;

  void Add(std::string path, std::string bytes) {
    const auto file =
        loaders::InputFile::FromBytes(std::move(path), std::move(bytes));
    status = reader.Add(*file, {});
  }
};

TEST(DumpTest, ReadsJson) {
  ReadDumps dumps;
  dumps.Add("d/trace_1.json", Dump(Entry(R"(,"record_id":4)")));
  ASSERT_TRUE(dumps.status.ok()) << dumps.status;
  const CollectiveRecords records = std::move(dumps.reader).Take();
  EXPECT_TRUE(dumps.log.entries().empty());
  ASSERT_EQ(records.dumps.size(), 1);
  EXPECT_EQ(records.dumps[0].rank, 1);
  EXPECT_EQ(records.dumps[0].entries, 1);
  EXPECT_EQ(records.dumps[0].overwritten, 4);
  ASSERT_EQ(records.groups.size(), 1);
  EXPECT_EQ(records.Get(records.groups[0].description), "all");
  EXPECT_EQ(records.groups[0].ranks, (std::vector<int64_t>{0, 1}));
  ASSERT_EQ(records.calls.size(), 1);
  const CollectiveRecords::Call& call = records.calls[0];
  EXPECT_EQ(records.Get(call.group), "0");
  EXPECT_EQ(call.sequence, 6);
  EXPECT_EQ(records.Get(call.operation), "nccl:all_reduce");
  EXPECT_EQ(records.Get(call.sizes), "[[2,3]]");
  EXPECT_EQ(records.Get(call.types), R"(["Half"])");
  EXPECT_EQ(records.Get(call.state), "started");
  EXPECT_EQ(call.created, 1795490674836488001);
  ASSERT_EQ(records.progress.size(), 1);
  EXPECT_EQ(records.progress[0].enqueued, 6);
  EXPECT_EQ(records.progress[0].completed, 5);
}

TEST(DumpTest, ReadsPickles) {
  ReadDumps dumps;
  dumps.Add("nccl_trace_rank_3", PickledDump());
  ASSERT_TRUE(dumps.status.ok()) << dumps.status;
  const CollectiveRecords records = std::move(dumps.reader).Take();
  ASSERT_EQ(records.calls.size(), 1);
  const CollectiveRecords::Call& call = records.calls[0];
  EXPECT_EQ(records.Get(call.line), "/home/me/train.py:7:layer");
  EXPECT_EQ(records.Get(call.sizes), "[[2]]");
  EXPECT_EQ(call.created, 1795490674755123062);
  // Nothing describes the group but the call.
  ASSERT_EQ(records.groups.size(), 1);
  EXPECT_EQ(records.Get(records.groups[0].description), "all");
  EXPECT_TRUE(records.groups[0].ranks.empty());
}

TEST(DumpTest, PointToPointCallsHaveTheirOwnNumbers) {
  ReadDumps dumps;
  std::string entry = Entry("");
  entry.replace(entry.find("false"), 5, "true");
  dumps.Add("t_0", Dump(entry));
  const CollectiveRecords records = std::move(dumps.reader).Take();
  ASSERT_EQ(records.calls.size(), 1);
  EXPECT_TRUE(records.calls[0].point_to_point);
  EXPECT_EQ(records.calls[0].sequence, 2);
}

// Torch 2.2 has one number for all calls, and no is_p2p.
TEST(DumpTest, ReadsOldDumps) {
  ReadDumps dumps;
  dumps.Add("t_0",
            R"({"version":"1.5","entries":[)"
            R"({"seq_id":7,"process_group":["0","all"],"input_dtypes":[],)"
            R"("profiling_name":"nccl:all_reduce"},)"
            R"({"seq_id":8,"process_group":["0","all"],)"
            R"("profiling_name":"nccl:send 0->1"}]})");
  ASSERT_TRUE(dumps.status.ok()) << dumps.status;
  const CollectiveRecords records = std::move(dumps.reader).Take();
  ASSERT_EQ(records.calls.size(), 2);
  EXPECT_EQ(records.calls[0].sequence, 7);
  EXPECT_FALSE(records.calls[0].point_to_point);
  EXPECT_EQ(records.calls[0].types, profile::kNone);
  EXPECT_EQ(records.calls[1].sequence, 8);
  EXPECT_TRUE(records.calls[1].point_to_point);
}

TEST(DumpTest, RankIsANumberOfTheName) {
  EXPECT_EQ(RankInName("fr_trace_12"), 12);
  EXPECT_EQ(RankInName("d_7/host3_0.json.gz"), 0);
  EXPECT_EQ(RankInName("12"), 12);
  EXPECT_EQ(RankInName("rank5.pickle"), 5);
  EXPECT_EQ(RankInName("rank2_host0_dump"), 2);
  EXPECT_EQ(RankInName("job_Rank-12.of_16"), 12);
  EXPECT_EQ(RankInName("node0_rank=7.pkl"), 7);
  EXPECT_EQ(RankInName("local_rank_1_rank_9_x"), 9);
  EXPECT_EQ(RankInName("local_rank_1_dump_9"), 9);
  EXPECT_EQ(RankInName("trace"), -1);
  EXPECT_EQ(RankInName("trace_3_old"), -1);
  EXPECT_EQ(RankInName("d_7/trace"), -1);
}

TEST(DumpTest, CountsDamage) {
  ReadDumps dumps;
  dumps.Add("t_0", Dump(Entry("") + R"(,{"is_p2p":false},5)"));
  ASSERT_TRUE(dumps.status.ok()) << dumps.status;
  dumps.Add("u_0", Dump(Entry("")));
  dumps.Add("trace", Dump(Entry("")));
  dumps.Add("t_1", R"({"entries":[],"pg_config":{"9":{"ranks":"[0, x]"}}})");
  std::vector<std::pair<std::string, int64_t>> found;
  for (const loaders::ImportLog::Entry& entry : dumps.log.entries()) {
    found.emplace_back(entry.kind, entry.count);
  }
  const std::vector<std::pair<std::string, int64_t>> expected = {
      {"entry that is no call", 2},
      {"second dump of a rank", 1},
      {"dump without a rank", 1},
      {"group without its ranks", 1}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(std::move(dumps.reader).Take().dumps.size(), 3);
}

TEST(DumpTest, RefusesWhatIsNoDump) {
  for (const std::string& bytes :
       {R"({"entries":7})"s, R"({"entries":[)"s, "nothing"s, ""s,
        "\x80\x02}("s + Text("entries") + "cos\nsystem\nRu.",
        "\x80\x02}("s + Text("entries")}) {
    ReadDumps dumps;
    dumps.Add("t_0", bytes);
    EXPECT_FALSE(dumps.status.ok()) << bytes;
    EXPECT_NE(dumps.status.message().find("t_0"), std::string::npos);
  }
}

TEST(DumpTest, KnowsItsFilesByContent) {
  EXPECT_TRUE(IsJsonDump(Dump(Entry(""))));
  EXPECT_FALSE(IsJsonDump(R"({"traceEvents":[],"pg_config":1,"entries":2})"));
  EXPECT_FALSE(IsJsonDump(PickledDump()));
  EXPECT_TRUE(IsPickledDump(PickledDump()));
  EXPECT_FALSE(IsPickledDump("\x80\x02}."));
}

// A list that is in itself, or a text that is everywhere, is refused.
TEST(DumpTest, RefusesPicklesThatGrow) {
  absl::Status damage;
  EXPECT_FALSE(DumpAsJson("\x80\x02]q\0h\0a."s, {}, damage).ok());
  std::string bytes = "\x80\x02](X\0\x10\0\0"s + std::string(4096, 'x');
  bytes += "q\0"s;
  for (int i = 0; i < 2000; ++i) bytes += "h\0"s;
  EXPECT_FALSE(DumpAsJson(bytes + "e.", {}, damage).ok());
}

// A rank that is killed while it writes leaves a part of its dump.
TEST(DumpTest, KeepsCompleteEntriesOfACutPickle) {
  const std::string whole = PickledDump();
  const size_t entry = whole.find("}(" + Text("frames"));
  const std::string bytes =
      whole.substr(0, entry) + "(" +
      whole.substr(entry, whole.size() - entry - 2);  // without "u."
  for (const std::string& more : {""s, "}"s, "}("s + Text("frames") + "](",
                                  bytes.substr(entry + 1, 60)}) {
    ReadDumps dumps;
    dumps.Add("trace_3", bytes + more);
    ASSERT_TRUE(dumps.status.ok()) << dumps.status;
    EXPECT_TRUE(dumps.log.damaged());
    const CollectiveRecords records = std::move(dumps.reader).Take();
    ASSERT_EQ(records.dumps.size(), 1);
    EXPECT_TRUE(records.dumps[0].damaged);
    ASSERT_EQ(records.calls.size(), 1);
    EXPECT_EQ(records.calls[0].sequence, 5);
    EXPECT_EQ(records.Get(records.calls[0].line), "/home/me/train.py:7:layer");
  }
}

TEST(DumpTest, ADamagedDumpIsListed) {
  ReadDumps dumps;
  dumps.Add("trace_1", Dump(Entry("")));
  dumps.reader.AddDamaged("trace_2",
                          absl::InvalidArgumentError("trace_2: cut off"));
  ASSERT_EQ(dumps.log.entries().size(), 1);
  EXPECT_EQ(dumps.log.entries()[0].texts[0],
            "trace_2: cut off; what the rank called after the entries that are "
            "complete is not known");
  const CollectiveRecords records = std::move(dumps.reader).Take();
  ASSERT_EQ(records.dumps.size(), 2);
  EXPECT_EQ(records.dumps[1].rank, 2);
  EXPECT_TRUE(records.dumps[1].damaged);
  EXPECT_FALSE(records.dumps[0].damaged);
}

TEST(DumpTest, SurvivesMutations) {
  std::mt19937 random(3);
  for (const std::string& whole : {Dump(Entry("")), PickledDump()}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      ReadDumps cut;
      cut.Add("t_0", whole.substr(0, size));
      EXPECT_TRUE(!cut.status.ok() || cut.log.damaged()) << size;
      std::string bytes = whole;
      for (int i = 0; i < 2; ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      ReadDumps mutated;
      mutated.Add("t_0", bytes);
      EXPECT_LE(std::move(mutated.reader).Take().calls.size(), 1);
    }
  }
}

}  // namespace
}  // namespace tfprof::flight_recorder
