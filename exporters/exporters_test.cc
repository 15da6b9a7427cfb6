// Tests of the exporters that write formats of other programs: timeline,
// pprof, gzip and ProfileProto.

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats/pprof_full.h"
#include "exporters/formats/profile_proto.h"
#include "exporters/reference/pprof.h"
#include "exporters/reference/timeline.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "loaders/load.h"
#include "profile/profile_builder.h"
#include "proto/tfprof_log.pb.h"
#include "util/gzip.h"
#include "util/json_string.h"
#include "util/sink.h"
#include "util/utf8.h"
#include "util/wire.h"
#include "util/wire_writer.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:gpu:0";
constexpr char kCpu0[] = "/device:cpu:0";
constexpr char kCpu1[] = "/device:cpu:1";

// ----------------------------------------------------------------------- files

TEST(WriteFileTest, AllOrNothing) {
  const std::string path = ::testing::TempDir() + "/written";
  const auto contents = [&] {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  ASSERT_TRUE(WriteFile(path, "first").ok());
  EXPECT_EQ(contents(), "first");
  const absl::Status failed = WriteFile(path, [](Sink& sink) {
    sink.Write("second");
    return absl::DataLossError("no more");
  });
  EXPECT_EQ(failed, absl::DataLossError("no more"));
  EXPECT_EQ(contents(), "first");
  EXPECT_EQ(WriteFile("/nonexistent/x", "bytes").code(),
            absl::StatusCode::kNotFound);
}

TEST(WriteFileTest, TellsHowFarItIs) {
  const std::string path = ::testing::TempDir() + "/written";
  WriteProgress progress;
  const Progress& bytes = progress.bytes;
  progress.end = 0.25;
  ASSERT_TRUE(WriteFile(
                  path,
                  [&](Sink& sink) {
                    sink.Write(std::string(100, 'x'));
                    EXPECT_EQ(bytes.done, 100);
                    EXPECT_EQ(bytes.total, 0);
                    sink.Reached(0);  // which says nothing yet
                    EXPECT_EQ(bytes.total, 0);
                    sink.Reached(0.5);
                    EXPECT_EQ(bytes.total, 800);
                    return absl::OkStatus();
                  },
                  &progress)
                  .ok());
  // The next file is the rest of the work, and of more bytes than expected.
  progress.begin = 0.25;
  progress.end = 1;
  ASSERT_TRUE(WriteFile(
                  path,
                  [&](Sink& sink) {
                    sink.Write(std::string(900, 'x'));
                    sink.Reached(1.0 / 3);
                    EXPECT_EQ(bytes.total, 2000);
                    sink.Reached(1);
                    return absl::OkStatus();
                  },
                  &progress)
                  .ok());
  EXPECT_EQ(bytes.done, 1000);
  EXPECT_EQ(bytes.total, 1000);
}

// ---------------------------------------------------------------- JSON strings

TEST(JsonStringTest, Escapes) {
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a/b \\ \" '"), R"("a/b \\ \" '")");
  EXPECT_EQ(JsonString("\b\f\n\r\t\x1b\x7f"), "\"\\b\\f\\n\\r\\t\\u001b\x7f\"");
  EXPECT_EQ(JsonString(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonStringTest, NonAscii) {
  EXPECT_EQ(JsonString("\u00ef\u20ac"), R"("\u00ef\u20ac")");
  EXPECT_EQ(JsonString("\U0001f600\U0010ffff"),
            R"("\ud83d\ude00\udbff\udfff")");
}

TEST(JsonStringTest, BrokenBytesAreReplaced) {
  // Lone bytes, a too long form, a surrogate, beyond Unicode, cut off.
  EXPECT_EQ(JsonString("\x80g\xff"), R"("\ufffdg\ufffd")");
  EXPECT_EQ(JsonString("\xc0\xaf"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\x82"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\"\xc3"), R"("\ufffd\"\ufffd")");
}

TEST(Utf8Test, ReplacesWhatIsNone) {
  EXPECT_EQ(ValidUtf8("plain"), "plain");
  EXPECT_EQ(ValidUtf8("\u00ef\ufffd\U0001f600"), "\u00ef\ufffd\U0001f600");
  EXPECT_EQ(ValidUtf8("a\x80g\xff"), "a\ufffdg\ufffd");
  EXPECT_EQ(ValidUtf8("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_TRUE(IsAscii("a\x7f"));
  EXPECT_FALSE(IsAscii("a\x80"));
}

// ------------------------------------------------------------------ WireWriter

// What protobuf reads of it, for messages around the sizes at which a length
// takes a byte more.
TEST(WireWriterTest, NestedMessagesOfAllSizes) {
  for (const size_t size :
       {0, 1, 100, 120, 125, 126, 127, 128, 16380, 16384, 2097140, 2097152}) {
    SCOPED_TRACE(size);
    const std::string text(size, 'x');
    WireWriter w;
    {
      const WireMessage node(w, 1);  // ProfileProto.nodes
      w.Int64(1, -7);
      const WireMessage value(w, 2);
      w.Bytes(1, text);
      const int64_t shape[] = {1, -1, INT64_MAX};
      w.PackedInt64(4, shape);
      w.PackedInt64(4, {});
      const WireMessage exec(w, 12);
      w.Int64(1, 3);
      const WireMessage empty(w, 2);
    }
    w.Int64IfSet(2, 0);
    ProfileProto proto;
    ASSERT_TRUE(proto.ParseFromString(std::string(w.bytes())));
    ASSERT_TRUE(proto.nodes().contains(-7));
    const ProfileNode& node = proto.nodes().at(-7);
    EXPECT_EQ(node.name(), text);
    EXPECT_THAT(node.shape(), ElementsAre(1, -1, INT64_MAX));
    EXPECT_TRUE(node.execs().contains(3));
    EXPECT_FALSE(proto.has_trace());
  }
}

TEST(WireWriterTest, OpenIsBeginWithAKnownLength) {
  WireWriter known, unknown;
  const std::string content(300, 'c');
  known.Open(1000, content.size());
  known.Raw(content);
  {
    const WireMessage message(unknown, 1000);
    unknown.Raw(content);
  }
  EXPECT_EQ(known.bytes(), unknown.bytes());
  known.Truncate(0);
  EXPECT_EQ(known.bytes(), "");
}

// ------------------------------------------------------------------------ gzip

std::string Gunzip(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text(1 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);  // one member
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(GzipTest, RoundTrip) {
  std::string noise;
  uint32_t x = 1;
  for (int i = 0; i < 300000; ++i) {
    noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  }
  for (const std::string& text : {std::string(), std::string("abc"), noise}) {
    StringSink sink;
    ASSERT_TRUE(GzipCompress(text, sink).ok());
    const std::string& compressed = sink.text();
    EXPECT_EQ(compressed.substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(compressed.substr(4, 4), std::string(4, '\0'));  // no time
    EXPECT_EQ(Gunzip(compressed), text);
  }
}

TEST(GzipTest, SaysHowFarItIs) {
  class Shares : public NullSink {
   public:
    void Reached(double share) override { shares.push_back(share); }
    std::vector<double> shares;
  };
  std::string noise;
  uint32_t x = 1;
  for (int i = 0; i < 500000; ++i) {
    noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  }
  Shares sink;
  ASSERT_TRUE(GzipCompress(noise, sink).ok());
  EXPECT_GT(sink.shares.size(), 4u);
  EXPECT_GT(sink.shares.front(), 0);
  EXPECT_LT(sink.shares.front(), 0.5);
  EXPECT_TRUE(std::is_sorted(sink.shares.begin(), sink.shares.end()));
  EXPECT_EQ(sink.shares.back(), 1);
}

// ------------------------------------------------------------ made-up profiles

// Answers for the offsets that a test gave.
class FakeDetails : public DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    // Serialized AttrValue messages {i: 2}, {i: 1} and {i: 3}.
    return {{"b", "\x18\x02"}, {"a", "\x18\x01"}, {"b", "\x18\x03"}};
  }
  ExecutionDetail Execution(uint64_t offset, bool) const override {
    const auto it = executions.find(offset);
    return it == executions.end() ? ExecutionDetail() : it->second;
  }
  bool record_is_group() const override { return false; }

  std::map<uint64_t, ExecutionDetail> executions;
};

class Maker {
 public:
  NodeId Node(std::string_view name, std::vector<NodeId> inputs = {}) {
    const NodeId n = builder_.AddNode(name, "Op", kNoRecord);
    for (size_t i = 0; i < inputs.size(); ++i) {
      builder_.AddEdge(builder_.graph().nodes.name[inputs[i]],
                       static_cast<int32_t>(i), 0, 0);
    }
    return n;
  }

  void Run(NodeId n, std::string_view device, int64_t start, int64_t duration,
           RecordRef record = kNoRecord) {
    ExecutionRecord r;
    r.node = n;
    r.device = builder_.mutable_graph().devices.Intern(device);
    r.start = start;
    r.duration = duration;
    r.record = record;
    builder_.AddExecutions(0, {r}, {});
  }

  // `frames` are file, line, function and its first line; outermost first.
  using Frames =
      std::vector<std::tuple<std::string, int32_t, std::string, int32_t>>;
  void Stack(NodeId n, const Frames& frames) {
    GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    StackId stack = kNoStack;
    for (const auto& [file, line, function, first_line] : frames) {
      stack =
          graph.stacks.Push(stack, {.file = graph.strings.Intern(file),
                                    .function = graph.strings.Intern(function),
                                    .lineno = line,
                                    .func_start_line = first_line});
    }
    graph.nodes.stack[n] = stack;
  }

  ProfileBuilder& builder() { return builder_; }
  Profile Build() { return std::move(builder_).Build(); }

 private:
  ProfileBuilder builder_;
};

ViewOptions AllRows(int64_t step) {
  ViewOptions options;
  options.max_depth = 1000000;
  options.step = step;
  return options;
}

std::string GraphTrace(const Profile& profile, TimelineResult* result) {
  Views views(profile);
  StringSink sink;
  *result = WriteGraphTimeline(views.Show(View::kGraph, AllRows(0)), 0, sink);
  return sink.text();
}

// -------------------------------------------------------------------- timeline

TEST(GraphTimelineTest, DevicesRegionsAndPeak) {
  Maker maker;
  const NodeId n1 = maker.Node("n1");
  const NodeId n2 = maker.Node("n2", {n1});
  const std::string stream = std::string(kGpu) + ":stream:all";
  maker.Run(n1, kGpu, 10, 2);
  maker.Run(n1, stream, 10, 2);
  maker.Run(n2, kGpu, 20, 2);
  maker.Run(n2, stream, 20, 2);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  std::string expected =
      R"({"traceEvents":[{"args":{"name":"Op scheduling threads: D"},"name":"process_name","ph":"M","pid":0},{"args":{"name":"Op execution threads: D:stream:all"},"name":"process_name","ph":"M","pid":1},{"args":{"name":"n1"},"cat":"Op","dur":2,"name":"n1","ph":"X","pid":0,"tid":0,"ts":10},{"args":{"name":"n2"},"cat":"Op","dur":2,"name":"n2","ph":"X","pid":0,"tid":0,"ts":20},{"args":{"name":"n1"},"cat":"Op","dur":2,"name":"n1","ph":"X","pid":1,"tid":0,"ts":10},{"args":{"name":"n2"},"cat":"Op","dur":2,"name":"n2","ph":"X","pid":1,"tid":0,"ts":20},{"args":{"name":"mem usage on:D"},"name":"process_name","ph":"M","pid":2},{"args":{"name":"mem usage on:D allocations"},"name":"process_name","ph":"M","pid":3}]})"
      "\n";
  for (size_t at = 0; (at = expected.find(" D", at)) != expected.npos ||
                      (at = expected.find(":D")) != expected.npos;) {
    expected.replace(at + 1, 1, kGpu);
  }
  EXPECT_EQ(text, expected);
  EXPECT_THAT(result.peak_lines,
              ElementsAre(std::string(kGpu) + " peak memory: 0.00 MB\n"));
  EXPECT_FALSE(result.over_200mb);
}

TEST(GraphTimelineTest, FlowsBetweenDevices) {
  Maker maker;
  const NodeId source = maker.Node("a\"b");
  const NodeId same = maker.Node("same", {source});
  const NodeId other = maker.Node("other", {source, source});
  maker.Run(source, kCpu0, 100, 5);
  maker.Run(same, kCpu0, 102, 5);  // overlaps: the next lane
  maker.Run(same, kCpu0, 105, 9);  // the first lane is free again
  maker.Run(other, kCpu1, 200, 0);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("pid":1,"tid":1,"ts":102})"));
  EXPECT_THAT(text, HasSubstr(R"("pid":1,"tid":0,"ts":105})"));
  // Rows come by name: "other" on cpu:1 is first. Two inputs, two arrows.
  EXPECT_THAT(
      text,
      HasSubstr(
          R"("tid":1,"ts":102},)"
          R"({"cat":"DataFlow","id":1,"name":"a\"b_flow","ph":"s","pid":1,"tid":0,"ts":105},)"
          R"({"cat":"DataFlow","id":1,"name":"a\"b_flow","ph":"t","pid":0,"tid":0,"ts":200},)"
          R"({"cat":"DataFlow","id":2,"name":"a\"b_flow","ph":"s","pid":1,"tid":0,"ts":105},)"
          R"({"cat":"DataFlow","id":2,"name":"a\"b_flow","ph":"t","pid":0,"tid":0,"ts":200}]})"));
  EXPECT_THAT(result.peak_lines, IsEmpty());
}

TEST(GraphTimelineTest, FirstNodeOfATimeStays) {
  Maker maker;
  maker.Run(maker.Node("b"), kCpu0, 100, 5);
  maker.Run(maker.Node("a"), kCpu0, 100, 7);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("dur":7,"name":"a")"));
  EXPECT_THAT(text, Not(HasSubstr(R"("name":"b")")));
}

TEST(GraphTimelineTest, MemoryCounters) {
  Maker maker;
  auto details = std::make_shared<FakeDetails>();
  // At the end of an op: bytes in use of the allocator.
  const auto memory = [](int64_t micros, int64_t in_use, int64_t persistent) {
    MemoryDetail m;
    m.micros = micros;
    m.allocator_bytes_in_use = in_use;
    m.accelerator_persistent_bytes = persistent;
    return m;
  };
  details->executions[1] = {{memory(1000, 5000000, 1500000)},
                            {{900, 1000000}, {1100, -1000000}}};
  details->executions[2] = {{memory(1050, 6000000, 0)}, {{950, 2500000}}};
  details->executions[3] = {{memory(2000, 4000000, 0)}, {{1500, 700}}};
  const uint32_t input = maker.builder().AddInput(details);
  maker.Run(maker.Node("a"), kGpu, 990, 10, MakeRecordRef(input, 1));
  maker.Run(maker.Node("b"), kGpu, 1040, 10, MakeRecordRef(input, 2));
  maker.Run(maker.Node("c"), kGpu, 1990, 10, MakeRecordRef(input, 3));
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  std::string rest;
  for (int i = 2; i < 10; ++i) {
    rest += fmt::format(R"("Top Allocation {:02}":"N/A")", i);
    if (i < 9) rest += ",";
  }
  const auto counters = [&](int64_t time, std::string_view bytes,
                            std::string_view first, std::string_view second,
                            std::string_view hidden) {
    return fmt::format(
        R"({{"args":{{"Allocator Bytes in Use":{}}},"cat":"Memory",)"
        R"("name":"Allocated Bytes","ph":"C","pid":1,"tid":0,"ts":{}}},)"
        R"({{"args":{{"Not Displayed":"{} MB","Top Allocation 00":"{}",)"
        R"("Top Allocation 01":"{}",{}}},"cat":"Memory",)"
        R"("name":"Top Allocations","ph":"C","pid":2,"tid":0,"ts":{}}})",
        bytes, time, hidden, first, second, rest, time);
  };
  // The point at 1050 is too near to the one before; it still is the peak.
  // What c holds at its first moment it holds from ever on.
  EXPECT_THAT(text, HasSubstr(counters(1000, "5000000", "2.5 MB from a",
                                       "2.5 MB from b", "0.00") +
                              "," +
                              counters(2000, "4000000", "2.5 MB from b",
                                       "1.5 MB from a", "0.00")));
  EXPECT_THAT(result.peak_lines,
              ElementsAre(std::string(kGpu) + " peak memory: 6.00 MB\n"));
}

// Lanes and flows by brute force would take minutes and gigabytes.
TEST(GraphTimelineTest, ManyOverlappingRegions) {
  constexpr int kRuns = 100000;
  Maker maker;
  const NodeId n = maker.Node("n");
  std::vector<ExecutionRecord> records(kRuns);
  const DeviceId device = maker.builder().mutable_graph().devices.Intern(kCpu0);
  for (int i = 0; i < kRuns; ++i) {
    records[i].node = n;
    records[i].device = device;
    records[i].start = 1 + i;
    records[i].duration = kRuns;
  }
  maker.builder().AddExecutions(0, std::move(records), {});
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(
      text.substr(text.size() - 100),
      HasSubstr(fmt::format(R"("tid":{},"ts":{}}}]}})", kRuns - 1, kRuns)));
}

TEST(GraphTimelineTest, NothingToDraw) {
  Maker maker;
  maker.Node("n");
  maker.builder().AddStep(0);
  const Profile profile = maker.Build();
  Views views(profile);
  for (const int64_t step : {0, 7}) {
    StringSink sink;
    WriteGraphTimeline(views.Show(View::kGraph, AllRows(-1)), step, sink);
    EXPECT_EQ(sink.text(), "{\"traceEvents\":[]}\n");
  }
}

TEST(NestedTimelineTest, ChildrenFillTheirParent) {
  Maker maker;
  maker.Run(maker.Node("a/x"), kCpu0, 10, 3);
  maker.Run(maker.Node("a/y"), kCpu0, 20, 4);
  maker.Node("idle/z");
  maker.Run(maker.Node("b/x"), kCpu0, 30, 5);
  const Profile profile = maker.Build();
  Views views(profile);
  StringSink sink;
  WriteNestedTimeline(views.Show(View::kScope, AllRows(-1)), sink);
  const auto region = [](std::string_view name, int depth, int start,
                         int duration) {
    return fmt::format(
        R"({{"args":{{"name":"{0}","op":"{0}"}},"cat":"Op","dur":{3},)"
        R"("name":"{0}","ph":"X","pid":{1},"tid":0,"ts":{2}}})",
        name, depth, start, duration);
  };
  const auto level = [](int depth) {
    return fmt::format(R"({{"args":{{"name":"Scope:{0}"}},)"
                       R"("name":"process_name","ph":"M","pid":{0}}})",
                       depth);
  };
  EXPECT_EQ(sink.text(),
            "{\"traceEvents\":[" + level(0) + "," +
                region("_TFProfRoot", 0, 0, 12) + "," + level(1) + "," +
                region("a", 1, 0, 7) + "," + level(2) + "," +
                region("a/x", 2, 0, 3) + "," + region("a/y", 2, 3, 4) + "," +
                region("b", 1, 7, 5) + "," + region("b/x", 2, 7, 5) + "]}\n");
}

// ----------------------------------------------------------------------- pprof

std::vector<int64_t> Ints(const WireReader& r) {
  std::vector<int64_t> values;
  EXPECT_TRUE(AppendInts(r, values));
  return values;
}

// Integer fields and packed fields by number, of a message without others.
std::map<uint32_t, std::vector<int64_t>> IntFields(std::string_view bytes) {
  std::map<uint32_t, std::vector<int64_t>> fields;
  WireReader r(bytes);
  while (r.Next()) fields[r.number()] = Ints(r);
  EXPECT_FALSE(r.damaged());
  return fields;
}

// A line for each part of a Profile message, in the order of the message.
std::vector<std::string> DescribePprof(const std::string& bytes) {
  std::vector<std::string> lines, strings;
  WireReader table(bytes);
  while (table.Next()) {
    if (table.tag() == LengthTag(6)) strings.emplace_back(table.view());
  }
  WireReader r(bytes);
  while (r.Next()) {
    if (r.number() == 6) continue;
    if (r.number() == 13) {
      lines.push_back("comment " + strings[Ints(r)[0]]);
    } else if (r.number() == 2 || r.number() == 4) {
      // Their nested message holds numbers only.
      std::string line = r.number() == 2 ? "sample" : "location";
      WireReader part(r.view());
      while (part.Next()) {
        const bool nested = part.number() == (r.number() == 2 ? 3 : 4);
        if (!nested) {
          line += fmt::format(" {}=[{}]", part.number(),
                              fmt::join(Ints(part), ","));
          continue;
        }
        for (const auto& [number, values] : IntFields(part.view())) {
          line += fmt::format(" {}.{}={}", part.number(), number, values[0]);
        }
      }
      lines.push_back(line);
    } else {
      std::string line = r.number() == 1 ? "type" : "function";
      for (const auto& [number, values] : IntFields(r.view())) {
        line += fmt::format(" {}={}", number, values[0]);
      }
      lines.push_back(line);
    }
  }
  EXPECT_FALSE(r.damaged());
  for (size_t i = 0; i < strings.size(); ++i) {
    lines.push_back(fmt::format("{} {}", i, strings[i]));
  }
  return lines;
}

Profile CodeProfile() {
  Maker maker;
  const NodeId conv = maker.Node("conv");
  const NodeId gradient = maker.Node("gradients/conv_grad/Bprop");
  maker.Stack(conv,
              {{"/a/main.py", 10, "main", 1}, {"/a/model.py", 20, "build", 5}});
  maker.Stack(gradient, {{"/a/main.py", 11, "main", -1}});
  maker.Run(conv, kCpu0, 1000, 100);
  maker.Run(gradient, kCpu0, 2000, 40);
  return maker.Build();
}

TEST(PprofTest, ForwardAndGradient) {
  const Profile profile = CodeProfile();
  Views views(profile);
  const ViewOptions options = AllRows(-1);
  const auto bytes =
      EncodePprof(views.Show(View::kCode, options), Field::kMicros,
                  *views.context().NodeStats(options.step));
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(
      DescribePprof(*bytes),
      ElementsAre(
          "type 1=7 2=7", "type 1=8 2=9", "sample 1=[1] 2=[1,100] 3.1=3 3.2=4",
          "sample 1=[2] 2=[1,40] 3.1=3 3.2=6", "location 1=[1] 4.1=1 4.2=10",
          "location 1=[2] 4.1=2 4.2=10", "function 1=1 2=1 4=2 5=5",
          "function 1=2 2=5 4=2 5=5",
          "comment Sum of accelerator execution time and cpu "
          "execution time.",
          "0 ", "1 model:build", "2 /a/model.py", "3 graph node:", "4 conv",
          "5 model:build (gradient)", "6 gradients/conv_grad/Bprop", "7 count",
          "8 micros", "9 microseconds",
          "10 Sum of accelerator execution time and cpu execution "
          "time."));
}

TEST(PprofTest, NodesOfHiddenRowsCountAbove) {
  const Profile profile = CodeProfile();
  Views views(profile);
  ViewOptions options = AllRows(-1);
  options.max_depth = 2;
  const auto bytes =
      EncodePprof(views.Show(View::kCode, options), Field::kCpuMicros,
                  *views.context().NodeStats(options.step));
  ASSERT_TRUE(bytes.ok());
  // Shown directly below the root: no location.
  EXPECT_THAT(
      DescribePprof(*bytes),
      ElementsAre(
          "type 1=4 2=4", "type 1=5 2=6", "sample 2=[1,100] 3.1=1 3.2=2",
          "sample 2=[1,40] 3.1=1 3.2=3", "comment CPU execution time.", "0 ",
          "1 graph node:", "2 conv", "3 gradients/conv_grad/Bprop", "4 count",
          "5 cpu_micros", "6 microseconds", "7 CPU execution time."));
}

TEST(PprofTest, FieldsThatAreNoNumbers) {
  const Profile profile = CodeProfile();
  Views views(profile);
  EXPECT_TRUE(PprofSupports(Field::kFloatOps));
  EXPECT_FALSE(PprofSupports(Field::kDevice));
  const auto bytes =
      EncodePprof(views.Show(View::kCode, AllRows(-1)), Field::kDevice,
                  *views.context().NodeStats(-1));
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
}

// ------------------------------------------------------------------ full pprof

// A sample as "outermost > … > innermost [values] label=text …".
struct FullSample {
  std::vector<std::string> stack;
  std::vector<int64_t> values;
  std::map<std::string, std::string> labels;
};

// A Profile, decoded and checked against what the schema and Go's CheckValid
// want.
class PprofFile {
 public:
  explicit PprofFile(const std::string& bytes) {
    WireReader strings(bytes);
    while (strings.Next()) {
      if (strings.number() == 6) strings_.emplace_back(strings.view());
    }
    EXPECT_FALSE(strings.damaged());
    EXPECT_EQ(Text(0), "");
    std::map<int64_t, std::string> functions, locations;
    std::set<int64_t> mappings;
    WireReader r(bytes);
    while (r.Next()) {
      if (r.number() == 3) mappings.insert(IntFields(r.view())[1][0]);
      if (r.number() == 1) {
        auto type = IntFields(r.view());
        types.push_back(Text(type[1][0]) + "/" + Text(type[2][0]));
      }
      if (r.number() == 9) time_nanos = r.int64();
      if (r.number() == 10) duration_nanos = r.int64();
      if (r.number() == 14) default_type = Text(r.int64());
      if (r.number() != 5) continue;
      auto function = IntFields(r.view());
      const int64_t id = function[1][0];
      EXPECT_GT(id, 0);
      std::string text = Text(function[2][0]);
      EXPECT_NE(text, "");
      if (function.contains(4)) text += " in " + Text(function[4][0]);
      EXPECT_TRUE(functions.try_emplace(id, text).second);
    }
    EXPECT_FALSE(mappings.contains(0));
    r = WireReader(bytes);
    while (r.Next()) {
      if (r.number() != 4) continue;
      int64_t id = 0, mapping = 0;
      std::string text;
      WireReader part(r.view());
      while (part.Next()) {
        if (part.number() == 1) id = part.int64();
        if (part.number() == 2) mapping = part.int64();
        if (part.number() != 4) continue;
        auto line = IntFields(part.view());
        EXPECT_TRUE(functions.contains(line[1][0]));
        text = functions[line[1][0]];
        if (line.contains(2)) text += fmt::format(":{}", line[2][0]);
      }
      EXPECT_GT(id, 0);
      EXPECT_TRUE(mappings.contains(mapping));
      EXPECT_TRUE(locations.try_emplace(id, text).second);
    }
    r = WireReader(bytes);
    while (r.Next()) {
      if (r.number() != 2) continue;
      FullSample& sample = samples.emplace_back();
      WireReader part(r.view());
      while (part.Next()) {
        if (part.number() == 3) {
          auto label = IntFields(part.view());
          sample.labels[Text(label[1][0])] = Text(label[2][0]);
          continue;
        }
        for (const int64_t value : Ints(part)) {
          if (part.number() == 2) {
            sample.values.push_back(value);
          } else {
            EXPECT_TRUE(locations.contains(value));
            sample.stack.insert(sample.stack.begin(), locations[value]);
          }
        }
      }
      EXPECT_EQ(sample.values.size(), types.size());
      EXPECT_FALSE(sample.stack.empty());
    }
  }

  std::string Describe(size_t i) const {
    return fmt::format("{} [{}] {}", fmt::join(samples[i].stack, " > "),
                       fmt::join(samples[i].values, ","),
                       samples[i].labels.at("node"));
  }

  std::vector<std::string> types;
  std::vector<FullSample> samples;
  std::string default_type;
  int64_t time_nanos = 0;
  int64_t duration_nanos = 0;

 private:
  std::string Text(int64_t index) const {
    EXPECT_LT(static_cast<size_t>(index), strings_.size());
    return static_cast<size_t>(index) < strings_.size() ? strings_[index] : "";
  }

  std::vector<std::string> strings_;
};

FieldSet Fields(std::initializer_list<Field> list) {
  FieldSet fields;
  for (const Field field : list) fields.Add(field);
  return fields;
}

PprofFile FullFile(const Profile& profile, View view, ViewOptions options,
                   FieldSet fields) {
  Views views(profile);
  const auto encoded = EncodeFullPprof(views.Show(view, options), fields);
  EXPECT_TRUE(encoded.ok());
  return PprofFile(encoded.ok() ? encoded->message : "");
}

TEST(FullPprofTest, NodesOfRowsThatCallOthers) {
  Maker maker;
  const NodeId outer = maker.Node("outer"), inner = maker.Node("inner");
  maker.Stack(outer, {{"/a/main.py", 10, "main", 1}});
  maker.Stack(inner,
              {{"/a/main.py", 10, "main", 1}, {"/a/model.py", 20, "build", 5}});
  maker.Run(outer, kCpu0, 1000, 100);
  maker.Run(inner, kCpu0, 1500, 40);
  const PprofFile file = FullFile(maker.Build(), View::kCode, AllRows(0),
                                  Fields({Field::kBytes, Field::kMicros}));
  EXPECT_THAT(file.types,
              ElementsAre("nodes/count", "micros/microseconds", "bytes/bytes"));
  EXPECT_EQ(file.default_type, "micros");
  EXPECT_EQ(file.time_nanos, 1000000);
  EXPECT_EQ(file.duration_nanos, 540000);
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(0), "main:main in /a/main.py:10 [1,100,0] outer");
  EXPECT_EQ(file.Describe(1),
            "main:main in /a/main.py:10 > model:build in /a/model.py:20 "
            "[1,40,0] inner");
  EXPECT_EQ(file.samples[0].labels.at("op"), "Op");
  EXPECT_EQ(file.samples[0].labels.at("device"), kCpu0);
}

TEST(FullPprofTest, ScopesAreTheStack) {
  Maker maker;
  maker.Run(maker.Node("a/b/\xff"), kCpu0, 1000, 100);
  maker.Run(maker.Node("a"), kCpu0, 2000, 7);
  maker.Node("c");
  const Profile profile = maker.Build();
  ViewOptions options = AllRows(-1);
  PprofFile file =
      FullFile(profile, View::kScope, options, Fields({Field::kOccurrence}));
  EXPECT_THAT(file.types, ElementsAre("nodes/count", "occurrence/count"));
  EXPECT_EQ(file.time_nanos, 0);
  ASSERT_EQ(file.samples.size(), 3u);
  EXPECT_EQ(file.Describe(0), "a [1,1] a");
  EXPECT_EQ(file.Describe(1), "a > a/b > a/b/\ufffd [1,1] a/b/\ufffd");
  EXPECT_EQ(file.Describe(2), "c [1,0] c");
  // Under a row that is not shown, a node counts to the one above; under none,
  // it is not there.
  options.max_depth = 2;
  options.hide_names = {"c"};
  file = FullFile(profile, View::kScope, options, Fields({Field::kMicros}));
  ASSERT_EQ(file.samples.size(), 2u);
  EXPECT_EQ(file.Describe(1), "a [1,100] a/b/\ufffd");
  options.account_displayed_only = true;
  file = FullFile(profile, View::kScope, options, Fields({Field::kMicros}));
  EXPECT_EQ(file.samples.size(), 1u);
}

// What is in the file is what the root says.
TEST(FullPprofTest, SumsAreTheTotals) {
  Maker maker;
  const NodeId first = maker.Node("x/first");
  maker.Run(first, kCpu0, 10, 3);
  maker.Run(maker.Node("x/y/second", {first}), kCpu1, 20, 4);
  maker.Run(maker.Node("third", {first}), kCpu0, 30, 5);
  const Profile profile = maker.Build();
  for (const View view : {View::kScope, View::kGraph, View::kOp}) {
    SCOPED_TRACE(static_cast<int>(view));
    const PprofFile file =
        FullFile(profile, view, AllRows(0),
                 Fields({Field::kMicros, Field::kCpuMicros, Field::kParams}));
    std::vector<int64_t> sums(4, 0);
    for (const FullSample& sample : file.samples) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += sample.values[i];
    }
    EXPECT_THAT(sums, ElementsAre(3, 12, 12, 0));
  }
  const PprofFile ops =
      FullFile(profile, View::kOp, AllRows(0), Fields({Field::kMicros}));
  EXPECT_EQ(ops.Describe(0), "Op > third [1,5] third");
}

TEST(FullPprofTest, FieldsThatAreNoNumbers) {
  const Profile profile = CodeProfile();
  Views views(profile);
  const Report report = views.Show(View::kScope, AllRows(-1));
  EXPECT_TRUE(FullPprofSupports(Field::kOccurrence));
  EXPECT_FALSE(FullPprofSupports(Field::kOpTypes));
  for (const FieldSet fields :
       {FieldSet(), Fields({Field::kMicros, Field::kDevice})}) {
    EXPECT_EQ(EncodeFullPprof(report, fields).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// ---------------------------------------------------------------- ProfileProto

std::string TestData(std::string_view name) {
  return fmt::format("exporters/testdata/{}", name);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What a test loads: a directory in testdata/ and its run metadata.
struct Sources {
  std::string dir;
  std::vector<std::pair<int64_t, std::string>> run_metas;
  bool op_log = true;
};

Sources MultiStep() {
  return {"multi_step",
          {{0, "run_meta_0"},
           {10, "run_meta_10"},
           {20, "run_meta_20"},
           {30, "run_meta_30"},
           {40, "run_meta_40"},
           {50, "run_meta_50"},
           {50, "run_meta_50.1"}}};
}
// Dangling inputs, real output indices, odd devices, odd traces.
Sources SynthEdge() {
  return {"synth_edge",
          {{0, "run_meta_0"}, {4, "run_meta_4"}, {9, "run_meta_9"}}};
}

Profile LoadSources(const Sources& sources) {
  LoadRequest request;
  request.graph_path = TestData(sources.dir + "/graph.pb");
  if (sources.op_log) request.op_log_path = TestData(sources.dir + "/op_log");
  for (const auto& [step, file] : sources.run_metas) {
    request.run_meta_paths.push_back(
        fmt::format("{}:{}", step, TestData(sources.dir + "/" + file)));
  }
  auto loaded = Load(request);
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? std::move(loaded->profile) : Profile();
}

std::string Save(const Profile& profile) {
  StringSink sink;
  EXPECT_TRUE(WriteProfileProto(profile, sink).ok());
  return sink.text();
}

Profile LoadSaved(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/saved.pb";
  std::ofstream(path, std::ios::binary) << bytes;
  LoadRequest request;
  request.profile_path = path;
  auto loaded = Load(request);
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? std::move(loaded->profile) : Profile();
}

ProfileProto Parse(const std::string& bytes) {
  ProfileProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  return proto;
}

// With the strings of traces instead of ids, which every writer chooses for
// itself, and without what only we write.
ProfileProto Comparable(ProfileProto proto) {
  const auto& strings = proto.id_to_string();
  for (auto& [id, node] : *proto.mutable_nodes()) {
    for (CodeDef::Trace& trace : *node.mutable_trace()->mutable_traces()) {
      trace.set_file(strings.at(trace.file_id()));
      trace.set_function(strings.at(trace.function_id()));
      trace.set_line(strings.at(trace.line_id()));
      trace.clear_file_id();
      trace.clear_function_id();
      trace.clear_line_id();
    }
    node.clear_input_output_index();
    node.clear_dangling_inputs();
  }
  proto.clear_id_to_string();
  return proto;
}

std::string Difference(const std::string& ours, const std::string& real) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string report;
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(Comparable(Parse(real)), Comparable(Parse(ours)));
  return report;
}

TEST(ProfileProtoTest, SameAsTheRealProgram) {
  for (const Sources& sources :
       {MultiStep(), Sources{"tiny_const", {{0, "run_meta_0"}}},
        Sources{"synth_advice", {{0, "run_meta_0"}}, /*op_log=*/false}}) {
    SCOPED_TRACE(sources.dir);
    EXPECT_EQ(Difference(Save(LoadSources(sources)),
                         ReadFile(TestData(sources.dir + "/profile.pb"))),
              "");
  }
}

// A saved profile loads to the same, and is saved to the same bytes again.
TEST(ProfileProtoTest, RoundTrip) {
  for (const Sources& sources : {MultiStep(), SynthEdge()}) {
    SCOPED_TRACE(sources.dir);
    const Profile profile = LoadSources(sources);
    const std::string bytes = Save(profile);
    const Profile again = LoadSaved(bytes);
    // Only the warning about streams is not restored, as in the reference.
    const std::string mark =
        profile.graph().misses_accelerator_stream ? "(\x01" : "";
    EXPECT_TRUE(Save(again) + mark == bytes);
    ASSERT_EQ(again.nodes().size(), profile.nodes().size());
    for (const int64_t step : {int64_t{-1}, sources.run_metas[1].first}) {
      EXPECT_EQ(ComputeNodeStats(again, step), ComputeNodeStats(profile, step));
    }
  }
}

TEST(ProfileProtoTest, DanglingInputsAndRealOutputs) {
  const ProfileProto proto = Parse(Save(LoadSources(SynthEdge())));
  int dangling = 0, outputs = 0;
  for (const auto& [id, node] : proto.nodes()) {
    EXPECT_EQ(node.id(), id);
    dangling += static_cast<int>(node.dangling_inputs().size());
    outputs += static_cast<int>(node.input_output_index().size());
    for (const auto& [position, source] : node.inputs()) {
      EXPECT_TRUE(proto.nodes().contains(source));
    }
  }
  EXPECT_GT(dangling, 0);
  EXPECT_GT(outputs, 0);
}

TEST(ProfileProtoTest, UnknownStringsAndUntimedExecutions) {
  Maker maker;
  auto details = std::make_shared<FakeDetails>();
  const uint32_t input = maker.builder().AddInput(details);
  const NodeId n = maker.builder().AddNode("n", "Op", MakeRecordRef(input, 1));
  GraphTables& graph = maker.builder().mutable_graph();
  graph.has_code_traces = true;
  graph.nodes.stack[n] =
      graph.stacks.Push(kNoStack, {.function = graph.strings.Intern("f"),
                                   .line = graph.strings.Intern("none"),
                                   .lineno = -1});
  maker.Run(n, "/device:GPU:0/memcpy", 5, 1);
  maker.Run(n, "/device:CPU:0", 0, 7);
  const ProfileProto proto = Parse(Save(maker.Build()));
  ASSERT_TRUE(proto.nodes().contains(0));
  const ProfileNode& node = proto.nodes().at(0);
  const auto& trace = node.trace().traces(0);
  EXPECT_EQ(proto.id_to_string().at(trace.file_id()), "<unknown>");
  EXPECT_EQ(proto.id_to_string().at(trace.function_id()), "f");
  EXPECT_EQ(trace.line_id(), 0);
  EXPECT_EQ(proto.id_to_string().at(0), "none");
  EXPECT_EQ(trace.lineno(), -1);
  EXPECT_EQ(node.canonical_device(), "/device:cpu:0");
  const ExecProfile& exec = node.execs().at(0);
  EXPECT_EQ(exec.all_start_micros(), 5);
  EXPECT_THAT(exec.devices(),
              ElementsAre("/device:cpu:0", "/device:gpu:0/memcpy"));
  EXPECT_TRUE(exec.cpu_execs().empty());
  EXPECT_TRUE(exec.accelerator_execs().empty());
  EXPECT_EQ(exec.run_count(), 0);
}

TEST(ProfileProtoTest, AttributesAreCopied) {
  Maker maker;
  const uint32_t input =
      maker.builder().AddInput(std::make_shared<FakeDetails>());
  maker.builder().AddNode("n", "Op", MakeRecordRef(input, 1));
  const std::string bytes = Save(maker.Build());
  const ProfileProto proto = Parse(bytes);
  EXPECT_EQ(proto.nodes().at(0).attrs().at("a").i(), 1);
  // The last of equal keys, and no other.
  EXPECT_EQ(proto.nodes().at(0).attrs().at("b").i(), 3);
  EXPECT_THAT(bytes, Not(HasSubstr("\x18\x02")));
}

TEST(ProfileProtoTest, Empty) { EXPECT_EQ(Save(Profile()), ""); }

}  // namespace
}  // namespace tfprof
