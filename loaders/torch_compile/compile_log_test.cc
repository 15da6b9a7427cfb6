#include "loaders/torch_compile/compile_log.h"

#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"

namespace tfprof::torch_compile {
namespace {

using profile::CompileLogs;

// A record with the prefix of torch's logger.
std::string Record(std::string_view json, std::string_view payload = "") {
  std::string text = "V1124 03:13:15.404000 3715 torch/_dynamo/x.py:1] ";
  text += json;
  text += '\n';
  while (!payload.empty()) {
    const size_t end = payload.find('\n');
    text += '\t';
    text += payload.substr(0, end);
    text += '\n';
    payload.remove_prefix(end == payload.npos ? payload.size() : end + 1);
  }
  return text;
}

constexpr std::string_view kMetrics =
    R"({"compilation_metrics":{"co_name":"f","co_filename":"/a/m.py",)"
    R"("co_firstlineno":7,"duration_us":1500,"start_time":1500000000.25,)"
    R"("graph_node_count":3},)";

struct ReadLog {
  CompileLogs logs;
  loaders::ImportLog log;
  absl::Status status;

  explicit ReadLog(std::string bytes, std::string path = "dedicated.log") {
    const auto file =
        loaders::InputFile::FromBytes(std::move(path), std::move(bytes));
    status = ReadCompileLog(*file, /*cancellation=*/nullptr, logs, log);
  }
  int64_t Dropped() const {
    int64_t count = 0;
    for (const loaders::ImportLog::Entry& entry : log.entries()) {
      count += entry.count;
    }
    return count;
  }
};

TEST(CompileLogTest, ReadsCompilations) {
  const std::string frame = R"("frame_id":0,"frame_compile_id":0,"attempt":0})";
  const ReadLog read(
      Record(R"({"str":["/a/m.py",4]})") +
      Record(R"({"dynamo_start":{"stack":[{"line":1,"name":"g","filename":4},)"
             R"({"line":7,"name":"f","filename":4}]},)" +
             frame) +
      Record(std::string(kMetrics) + frame) +
      Record(R"({"dynamo_start":{"stack":[{"line":9,"name":"h","filename":4}]})"
             R"(,"frame_id":1,"frame_compile_id":0,"attempt":1,"rank":3})"));
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.Dropped(), 0);
  ASSERT_EQ(read.logs.logs.size(), 1);
  EXPECT_EQ(read.logs.logs[0].rank, 3);
  ASSERT_EQ(read.logs.compilations.size(), 2);
  const CompileLogs::Compilation& first = read.logs.compilations[0];
  EXPECT_EQ(first.id, "0/0");
  EXPECT_EQ(first.function, "f");
  EXPECT_EQ(first.file, "m.py");
  EXPECT_EQ(first.line, 7);
  EXPECT_EQ(first.duration, 1'500'000);
  EXPECT_EQ(first.graph_nodes, 3);
  EXPECT_EQ(first.finished, 1);
  EXPECT_EQ(first.longest, 1'500'000);
  EXPECT_EQ(first.started, 1'500'000'000'250'000'000);
  EXPECT_FALSE(first.is_recompilation);
  // The second was started twice and never ended.
  const CompileLogs::Compilation& second = read.logs.compilations[1];
  EXPECT_EQ(second.function, "h");
  EXPECT_EQ(second.attempts, 2);
  EXPECT_EQ(second.finished, 0);
  EXPECT_EQ(second.duration, -1);
}

TEST(CompileLogTest, IdsOfCompiledAutograd) {
  const ReadLog read(
      Record(R"({"dynamo_cpp_guards_str":{},"compiled_autograd_id":2})") +
      Record(R"({"dynamo_cpp_guards_str":{},"compiled_autograd_id":2,)"
             R"("frame_id":5,"frame_compile_id":1,"attempt":0})"));
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_EQ(read.logs.compilations.size(), 2);
  EXPECT_EQ(read.logs.compilations[0].id, "!2/-/-");
  EXPECT_EQ(read.logs.compilations[1].id, "!2/5/1");
  EXPECT_TRUE(read.logs.compilations[1].is_recompilation);
}

// An event of Chrome's format alone does not show that the frame was compiled.
TEST(CompileLogTest, AnEventAloneIsNoCompilation) {
  const ReadLog read(Record(
      R"({"chromium_event":{},"frame_id":0,"frame_compile_id":0,"attempt":0,)"
      R"("has_payload":"x"})",
      R"({"ph":"i","name":"dynamo","ts":1})"));
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_TRUE(read.logs.compilations.empty());
}

TEST(CompileLogTest, JoinsReasonsOfRecompilations) {
  const std::string id = R"("frame_id":0,"frame_compile_id":1,"attempt":0,)";
  const ReadLog read(Record(R"({"artifact":{"name":"recompile_reasons"},)" +
                                id + R"("has_payload":"x"})",
                            R"(["0/0: size changed\nmore", "0/0: other"])") +
                     Record(R"({"artifact":{"name":"recompile_reasons"},)" +
                                id + R"("has_payload":"x"})",
                            "0/0: other\n"));
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_EQ(read.logs.compilations.size(), 1);
  EXPECT_EQ(read.logs.compilations[0].reason, "0/0: size changed; 0/0: other");
}

TEST(CompileLogTest, GraphBreaksFromArtifactsElseFromRestarts) {
  const std::string id = R"("frame_id":0,"frame_compile_id":0,"attempt":0)";
  const std::string restart =
      R"({"compilation_metrics":{"restart_reasons":["call to print"],)"
      R"("fail_type":"E","fail_reason":"\nwhy\nmore"},)" +
      id + "}";
  const ReadLog old(Record(restart));
  ASSERT_EQ(old.logs.graph_breaks.size(), 1);
  EXPECT_EQ(old.logs.graph_breaks[0].reason, "call to print");
  EXPECT_EQ(old.logs.graph_breaks[0].line, -1);
  ASSERT_EQ(old.logs.failures.size(), 1);
  EXPECT_EQ(old.logs.failures[0].kind, "E");
  EXPECT_EQ(old.logs.failures[0].reason, "why");

  const ReadLog read(
      Record(R"({"artifact":{"name":"dynamo_graph_break_reason"},)" + id +
                 R"(,"has_payload":"x"})",
             "Graph break in user code at /a/b/m.py:12\n"
             "Graph Break Reason: print is a side effect\n"
             "User code traceback:") +
      Record(restart));
  ASSERT_EQ(read.logs.graph_breaks.size(), 1);
  EXPECT_EQ(read.logs.graph_breaks[0].file, "m.py");
  EXPECT_EQ(read.logs.graph_breaks[0].line, 12);
  EXPECT_EQ(read.logs.graph_breaks[0].reason, "print is a side effect");
}

TEST(CompileLogTest, CountsCaches) {
  std::string bytes;
  for (const char* name : {"fx_graph_cache_miss", "fx_graph_cache_hit",
                           "fx_graph_cache_hit", "other"}) {
    bytes += Record(std::string(R"({"artifact":{"name":")") + name + "\"}}");
  }
  const ReadLog read(bytes);
  ASSERT_EQ(read.logs.cache_events.size(), 2);
  EXPECT_EQ(read.logs.cache_events[0].event, "fx_graph_cache_hit");
  EXPECT_EQ(read.logs.cache_events[0].count, 2);
}

std::string Event(std::string_view phase, std::string_view name, int64_t ts) {
  return Record(R"({"chromium_event":{},"has_payload":"x"})",
                fmt::format(R"({{"ph":"{}","name":"{}","ts":{},"pid":0}})",
                            phase, name, ts));
}

TEST(CompileLogTest, PhasesHaveSelfTime) {
  const ReadLog read(Event("B", "outer", 10) + Event("B", "inner", 20) +
                     Event("E", "inner", 50) + Event("E", "outer", 110) +
                     Event("B", "open", 120) + Event("E", "never begun", 130));
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_EQ(read.logs.phases.size(), 2);
  EXPECT_EQ(read.logs.phases[0].name, "inner");
  EXPECT_EQ(read.logs.phases[0].duration, 30'000);
  EXPECT_EQ(read.logs.phases[1].name, "outer");
  EXPECT_EQ(read.logs.phases[1].duration, 100'000);
  EXPECT_EQ(read.logs.phases[1].self, 70'000);
  // One end without a beginning, one phase without an end.
  EXPECT_EQ(read.Dropped(), 2);
}

TEST(CompileLogTest, TheNameOfTheFileHasTheRank) {
  const std::string record = Record(R"({"artifact":{"name":"x"},"rank":1})");
  EXPECT_EQ(ReadLog(record, "d/log_rank_12_abc.log").logs.logs[0].rank, 12);
  EXPECT_EQ(ReadLog(record, "rank_7/a.log").logs.logs[0].rank, 1);
  const std::string two =
      record + Record(R"({"artifact":{"name":"x"},"rank":2})");
  EXPECT_EQ(ReadLog(two, "a.log").logs.logs[0].rank, -1);
}

TEST(CompileLogTest, CountsDamage) {
  const std::string good = Record(R"({"artifact":{"name":"x"}})");
  const std::pair<std::string, std::string_view> cases[] = {
      {"\tpayload\n", "payload without a record"},
      {"plain words\n", "line that is no record"},
      {Record(R"({"artifact":)"), "record that is not JSON"},
      {Record(R"({"artifact":{},"has_payload":"x"})"),
       "record without its payload"},
      {Record(R"({"artifact":{},"frame_id":-1,"frame_compile_id":0})"),
       "record with a wrong compile id"},
      {Record(R"({"artifact":{},"frame_id":1})"),
       "record with a wrong compile id"},
      {Record(R"({"chromium_event":{},"has_payload":"x"})", "nothing"),
       "compiler event that is not JSON"},
      {Record(R"({"chromium_event":{},"has_payload":"x"})",
              R"({"ph":"B","ts":1e300,"name":"x"})"),
       "compiler event without its name or time"},
  };
  for (const auto& [bytes, kind] : cases) {
    const ReadLog read(bytes + good);
    ASSERT_TRUE(read.status.ok()) << kind;
    ASSERT_EQ(read.log.entries().size(), 1) << kind;
    EXPECT_EQ(read.log.entries()[0].kind, kind);
    EXPECT_EQ(read.log.entries()[0].severity, loaders::ImportLog::kDamage);
    EXPECT_NE(read.log.entries()[0].texts[0].find("byte "), std::string::npos);
  }
  EXPECT_EQ(ReadLog(good + "V1124 cut").Dropped(), 1);
  EXPECT_FALSE(ReadLog("plain words\n").status.ok());
}

// The logger puts no tab before an empty line.
TEST(CompileLogTest, PayloadsHaveEmptyLines) {
  const ReadLog read(
      Record(R"({"artifact":{"name":"dynamo_graph_break_reason"},)"
             R"("frame_id":0,"frame_compile_id":0,"has_payload":"x"})") +
      "\tGraph break\n\n\tGraph Break Reason: call:\n\n\tprint\n\tmore\n"
      "\t  Explanation: `print` is unknown\n\t  Hint: none\n");
  EXPECT_EQ(read.Dropped(), 0);
  ASSERT_EQ(read.logs.graph_breaks.size(), 1);
  EXPECT_EQ(read.logs.graph_breaks[0].reason,
            "call: print: `print` is unknown");
}

TEST(CompileLogTest, LineEndsOfWindows) {
  std::string bytes = Record(R"({"str":["m.py",1]})") +
                      Record(R"({"artifact":{"name":"recompile_reasons"},)"
                             R"("frame_id":0,"frame_compile_id":1,)"
                             R"("has_payload":"x"})",
                             "why\nmore");
  std::string windows;
  for (const char c : bytes) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  const ReadLog read(windows);
  EXPECT_EQ(read.Dropped(), 0);
  ASSERT_EQ(read.logs.compilations.size(), 1);
  EXPECT_EQ(read.logs.compilations[0].reason, "why");
}

TEST(CompileLogTest, KnowsItsFilesByContent) {
  EXPECT_TRUE(IsCompileLog(Record(R"({"str":["m.py",1]})")));
  EXPECT_TRUE(IsCompileLog("Starting\n" + Record(R"({"dynamo_start":{}})")));
  EXPECT_FALSE(IsCompileLog(R"({"traceEvents":[{"str":1}]})"));
  EXPECT_FALSE(IsCompileLog("I1124 03:13:15.404000 3715 x.py:1] words\n"));
  EXPECT_FALSE(IsCompileLog(""));
}

// Any bytes end in a log or an error.
TEST(CompileLogTest, SurvivesMutations) {
  const std::string whole =
      Record(std::string(kMetrics) +
             R"("frame_id":0,"frame_compile_id":1,"attempt":0})") +
      Event("B", "p", 1) + Event("E", "p", 2) +
      Record(R"({"artifact":{"name":"recompile_reasons"},)"
             R"("frame_id":0,"frame_compile_id":1,"has_payload":"x"})",
             R"(["a", "b"])");
  std::mt19937 random(7);
  for (size_t size = 0; size < whole.size(); ++size) {
    ReadLog read(whole.substr(0, size));
    std::string bytes = whole;
    for (int i = 0; i < 3; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    ReadLog mutated(bytes);
    EXPECT_LE(mutated.logs.compilations.size(), 4);
  }
}

TEST(CompileLogTest, BytesOfALog) {
  const auto account = [](const std::string& text) {
    const auto file = loaders::InputFile::FromBytes("a.log", text);
    CompileLogs logs;
    loaders::ImportLog log;
    loaders::ByteNotes notes;
    EXPECT_TRUE(ReadCompileLog(*file, nullptr, logs, log, &notes).ok());
    return notes.Account(text);
  };
  const std::string name = Record(R"({"str":["m.py",1]})");
  const auto size = static_cast<int64_t>(name.size());
  EXPECT_EQ(
      account("\n\tno record\n" + name),
      (loaders::ByteAccount{.read = size, .white_space = 1, .damaged = 11}));
  // Nobody uses the payload.
  EXPECT_EQ(
      account(Record(R"({"artifact":{"name":"x"}})", "a\nb") + name).unused, 6);
  const std::string event =
      Record(R"({"chromium_event":{},"has_payload":"x"})", "nothing");
  EXPECT_EQ(account(name + event),
            (loaders::ByteAccount{
                .read = size, .damaged = static_cast<int64_t>(event.size())}));
  const std::string cut = Record(R"({"str":["m.py"]})");
  EXPECT_EQ(account(name + cut).damaged, static_cast<int64_t>(cut.size()));
}

}  // namespace
}  // namespace tfprof::torch_compile
