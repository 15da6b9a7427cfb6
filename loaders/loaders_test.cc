#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/node_stats.h"
#include "exporters/formats/profile_proto.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/format.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "loaders/load.h"
#include "loaders/tensorflow/attributes.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"
#include "util/progress.h"
#include "util/sink.h"
#include "util/stop.h"
#include "util/wire.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Varint(uint64_t v) {
  std::string bytes;
  for (; v >= 0x80; v >>= 7) bytes += static_cast<char>(v | 0x80);
  return bytes + static_cast<char>(v);
}
std::string Field(uint32_t number, uint64_t value) {
  return Varint(VarintTag(number)) + Varint(value);
}
std::string Field(uint32_t number, std::string_view value) {
  return Varint(LengthTag(number)) + Varint(value.size()) + std::string(value);
}

// ---- WireReader

TEST(WireReaderTest, AllWireTypes) {
  const std::string bytes =
      Field(1, 300) + Field(2, "text") + std::string("\x1d\1\2\3\4", 5) +
      std::string("\x21\1\2\3\4\5\6\7\x88", 9) + Field(500, uint64_t{0} - 5);
  WireReader r(bytes);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), VarintTag(1));
  EXPECT_EQ(r.value(), 300u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), LengthTag(2));
  EXPECT_TRUE(r.is_length());
  EXPECT_EQ(r.view(), "text");
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), Fixed32Tag(3));
  EXPECT_EQ(r.value(), 0x04030201u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 4u);
  EXPECT_EQ(r.value(), 0x8807060504030201u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 500u);
  EXPECT_EQ(r.int64(), -5);
  EXPECT_EQ(r.int32(), -5);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
  EXPECT_EQ(r.good_bytes(), bytes.size());
  EXPECT_EQ(r.Describe(0), "");
}

TEST(WireReaderTest, NothingIsAMessage) {
  WireReader r("");
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
}

TEST(WireReaderTest, TruncatedAnywhere) {
  const std::string bytes = Field(1, 300) + Field(2, "text") +
                            std::string("\x1d\1\2\3\4", 5) +
                            std::string("\x21\1\2\3\4\5\6\7\x88", 9) +
                            std::string("\x2b\x08\x07\x2c", 4);
  const std::vector<size_t> ends = {0, 3, 9, 14, 23, 27};
  for (size_t n = 0; n <= bytes.size(); ++n) {
    WireReader r(std::string_view(bytes).substr(0, n));
    size_t fields = 0;
    while (r.Next()) ++fields;
    const size_t whole =
        *std::prev(std::upper_bound(ends.begin(), ends.end(), n));
    EXPECT_EQ(r.damaged(), whole != n) << n;
    EXPECT_EQ(r.good_bytes(), whole) << n;
    EXPECT_EQ(ends[fields], whole) << n;
    if (r.damaged()) {
      EXPECT_THAT(r.Describe(100),
                  StartsWith("byte " + std::to_string(100 + whole) + ": "));
    }
  }
}

TEST(WireReaderTest, DamageSaysWhat) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x0a\x05"
       "abc",
       "byte 7: field 1: length 5 exceeds the 3 bytes left"},
      {std::string("\0\0", 2), "byte 7: 0 is no field tag"},
      {"\x0f", "byte 7: field 1: wire type 7 does not exist"},
      {"\x0c", "byte 7: field 1: wire type 4 does not exist"},
      {std::string("\x0d\1", 2),
       "byte 7: field 1: a fixed number exceeds the 1 bytes left"},
  };
  for (const auto& [bytes, message] : cases) {
    WireReader r(bytes);
    EXPECT_FALSE(r.Next());
    EXPECT_EQ(r.Describe(7), message);
    EXPECT_FALSE(r.Next()) << "damage is final";
  }
}

TEST(WireReaderTest, OverlongNumbers) {
  // Ten bytes are the longest that a number may take.
  const std::string ten = std::string(9, '\xff') + '\x01';
  const std::string message = "\x08" + ten;
  WireReader r(message);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.int64(), -1);
  const std::string padded =
      std::string("\x08\x81") + std::string(8, '\x80') + std::string(1, '\0');
  WireReader zeros(padded);
  ASSERT_TRUE(zeros.Next());
  EXPECT_EQ(zeros.value(), 1u);
  const std::string eleven = "\x08" + std::string(10, '\xff') + '\x01';
  WireReader overlong(eleven);
  EXPECT_FALSE(overlong.Next());
  EXPECT_TRUE(overlong.damaged());
  // A tag is 32 bits.
  const std::string big_tag = Varint(uint64_t{1} << 35) + "\x01";
  WireReader tag(big_tag);
  EXPECT_FALSE(tag.Next());
  EXPECT_TRUE(tag.damaged());
}

TEST(WireReaderTest, LengthsOf64Bits) {
  for (const uint64_t length :
       {uint64_t{1} << 31, uint64_t{1} << 32, (uint64_t{1} << 32) + 2,
        uint64_t{1} << 63, ~uint64_t{0}}) {
    const std::string bytes = "\x0a" + Varint(length) + "abc";
    WireReader r(bytes);
    EXPECT_FALSE(r.Next()) << length;
    EXPECT_TRUE(r.damaged()) << length;
    EXPECT_EQ(r.rest(), "abc") << length;
    EXPECT_THAT(r.Describe(0), HasSubstr("length " + std::to_string(length)));
  }
}

TEST(WireReaderTest, GroupsAreSkipped) {
  // group 1 { 2: 5, 3: "x", group 4 { } } then 2: 7
  const std::string bytes = std::string("\x0b") + Field(2, 5) + Field(3, "x") +
                            "\x23\x24\x0c" + Field(2, 7);
  WireReader r(bytes);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 1u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), VarintTag(2));
  EXPECT_EQ(r.value(), 7u);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
  // Another end, and a depth that would not fit a stack.
  WireReader wrong("\x0b\x14");
  EXPECT_FALSE(wrong.Next());
  EXPECT_TRUE(wrong.damaged());
  const std::string deep(1000000, '\x0b');
  WireReader r2(deep);
  EXPECT_FALSE(r2.Next());
  EXPECT_TRUE(r2.damaged());
}

TEST(WireReaderTest, Ints) {
  const std::string packed =
      Field(1, Varint(1) + Varint(300) + Varint(~uint64_t{0}));
  const std::string bytes = packed + Field(1, 7);
  std::vector<int64_t> values;
  WireReader r(bytes);
  while (r.Next()) EXPECT_TRUE(AppendInts(r, values));
  EXPECT_THAT(values, ElementsAre(1, 300, -1, 7));
  const std::string cut_packed = Field(1, "\x80");
  WireReader cut(cut_packed);
  ASSERT_TRUE(cut.Next());
  EXPECT_FALSE(AppendInts(cut, values));
}

TEST(WireReaderTest, MapEntries) {
  MapEntry entry;
  ASSERT_TRUE(ReadMapEntry(Field(1, 5) + Field(2, 6), entry));
  EXPECT_EQ(entry.int_key, 5);
  EXPECT_EQ(entry.int_value, 6);
  const std::string named = Field(2, "v") + Field(1, "k");
  ASSERT_TRUE(ReadMapEntry(named, entry));
  EXPECT_EQ(entry.string_key, "k");
  EXPECT_EQ(entry.value, "v");
  EXPECT_EQ(entry.int_key, 0);
  EXPECT_FALSE(ReadMapEntry("\x08", entry));
}

TEST(AttributesTest, Shapes) {
  const auto shape = [](std::string_view text) {
    TensorShapeProto proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                              &proto));
    const std::string bytes = proto.SerializeAsString();
    std::vector<int64_t> dims = {99};
    EXPECT_TRUE(ReadShape(bytes, dims));
    return dims;
  };
  EXPECT_THAT(shape(""), ElementsAre(1));
  EXPECT_THAT(shape("unknown_rank: true"), IsEmpty());
  EXPECT_THAT(shape("dim { size: 2 } dim { size: -1 } dim { }"),
              ElementsAre(2, -1, 0));
}

TEST(AttrValueTest, Kinds) {
  const auto bytes = [](std::string_view text) {
    AttrValue value;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                              &value));
    return value.SerializeAsString();
  };
  EXPECT_EQ(AttrString(bytes("s: 'NHWC'")), "NHWC");
  EXPECT_EQ(AttrString(bytes("i: 7")), std::nullopt);
  EXPECT_TRUE(AttrBool(bytes("b: true")));
  EXPECT_FALSE(AttrBool(bytes("b: false")));
  EXPECT_FALSE(AttrBool(bytes("i: 1")));
  EXPECT_FALSE(AttrBool(""));
  EXPECT_THAT(AttrInts(bytes("list { i: [1, -2, 3] }")), ElementsAre(1, -2, 3));
  EXPECT_THAT(AttrInts(bytes("i: 3")), IsEmpty());
  EXPECT_THAT(AttrShape(bytes("shape { dim { size: 2 } }")), ElementsAre(2));
  EXPECT_THAT(AttrShapes(bytes("list { shape { dim { size: 2 } } shape { } }")),
              ElementsAre(ElementsAre(2), ElementsAre(1)));
  EXPECT_THAT(
      AttrTensorShape(bytes("tensor { tensor_shape { dim { size: 2 } } }")),
      ElementsAre(2));
  EXPECT_THAT(AttrFunctions(bytes("func { name: 'f' }")), ElementsAre("f"));
  EXPECT_THAT(AttrFunctions(bytes("list { func { name: 'f' } func { } }")),
              ElementsAre("f", ""));
  EXPECT_THAT(AttrFunctions(bytes("s: 'f'")), IsEmpty());
}

// What ends early reads as absent.
TEST(AttrValueTest, Damage) {
  AttrValue value;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "list { i: [1, 2, 300000] shape { dim { size: 2 } } "
      "func { name: 'f' } }",
      &value));
  const std::string whole = value.SerializeAsString();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string_view cut(whole.data(), size);
    EXPECT_THAT(AttrInts(cut), IsEmpty()) << size;
    EXPECT_THAT(AttrShapes(cut), IsEmpty()) << size;
    EXPECT_THAT(AttrFunctions(cut), IsEmpty()) << size;
  }
}

// ---- ImportLog

TEST(ImportLogTest, CountsAllKeepsAFew) {
  ImportLog log;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(log.WantsText("odd"), i < ImportLog::kMaxTexts);
    log.Add(ImportLog::kNotice, "odd", std::to_string(i));
  }
  log.Count(ImportLog::kNotice, "odd", 5);
  log.Count(ImportLog::kDamage, "nothing", 0);
  EXPECT_FALSE(log.damaged());
  log.Count(ImportLog::kDamage, "bad", 2);
  EXPECT_TRUE(log.damaged());
  ASSERT_THAT(log.entries(), SizeIs(2));
  EXPECT_EQ(log.entries()[0].kind, "odd");
  EXPECT_EQ(log.entries()[0].count, 105);
  EXPECT_THAT(log.entries()[0].texts, SizeIs(ImportLog::kMaxTexts));
  EXPECT_EQ(log.entries()[1].count, 2);
}

// ---- Files and formats

constexpr char kGraph[] = R"(
  node { name: "w" op: "VariableV2"
         attr { key: "shape" value { shape { dim { size: 3 } } } } }
  node { name: "x" op: "Const" }
  node { name: "y" op: "MatMul" input: "w" input: "x" input: "^gone" }
  versions { producer: 24 })";
constexpr char kRunMeta[] = R"(
  step_stats {
    dev_stats {
      device: "/job:localhost/replica:0/task:0/device:CPU:0"
      node_stats { node_name: "y" all_start_micros: 100 op_end_rel_micros: 7
                   memory { allocator_name: "cpu" total_bytes: 64
                            peak_bytes: 32 live_bytes: 16 } }
      node_stats { node_name: "x:Const" all_start_micros: 90 }
    }
  })";
constexpr char kOpLog[] = R"(
  log_entries { name: "y" float_ops: 12 types: "mine"
                code_def { traces { lineno: 3 file_id: 1 function_id: 2
                                    line_id: 3 } } }
  id_to_string { key: 1 value: "m.py" }
  id_to_string { key: 2 value: "f" }
  id_to_string { key: 3 value: "y = x @ w" })";
constexpr char kProfile[] = R"(
  nodes { key: 0 value { name: "w" op: "VariableV2" op_types: "VariableV2" } }
  nodes { key: 1 value { name: "y" op: "MatMul" op_types: "MatMul" id: 1
                         inputs { key: 0 value: 0 }
                         execs { key: 4 value { run_count: 2
                                                all_start_micros: 5 } } } }
  steps: 4)";

// Maps in ascending order of their keys.
template <typename Message>
std::string Binary(std::string_view text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message));
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

TEST(FormatTest, EachKindIsKnown) {
  const auto sniff = [](std::string_view bytes) {
    const Sniffed s = SniffFormat(bytes);
    return std::pair(s.format, s.text);
  };
  EXPECT_EQ(sniff(Binary<GraphDef>(kGraph)),
            std::pair(Format::kGraphDef, false));
  EXPECT_EQ(sniff(Binary<RunMetadata>(kRunMeta)),
            std::pair(Format::kRunMetadata, false));
  EXPECT_EQ(sniff(Binary<OpLogProto>(kOpLog)),
            std::pair(Format::kOpLog, false));
  EXPECT_EQ(sniff(Binary<ProfileProto>(kProfile)),
            std::pair(Format::kProfileProto, false));
  EXPECT_EQ(sniff(kGraph), std::pair(Format::kGraphDef, true));
  EXPECT_EQ(sniff(kRunMeta), std::pair(Format::kRunMetadata, true));
  EXPECT_EQ(sniff(kOpLog), std::pair(Format::kOpLog, true));
  EXPECT_EQ(sniff(kProfile), std::pair(Format::kProfileProto, true));
  EXPECT_EQ(sniff("# a comment\n\n  node {\n"),
            std::pair(Format::kGraphDef, true));
  // The magic number of checkpoint tables stands at the end.
  EXPECT_EQ(sniff(std::string(60, '\0') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb"),
            std::pair(Format::kCheckpoint, false));
}

TEST(FormatTest, TinyAndForeignFiles) {
  for (const std::string& bytes :
       {std::string(), std::string("\0", 1), std::string("\xff"),
        std::string("hello world\n"), std::string("{\"traceEvents\":[]}"),
        std::string("\x7f"
                    "ELF\2\1\1"),
        std::string("\x1f\x8b\x08\0", 4), std::string("nodes"),
        std::string(1000, 'x'), std::string(1000, '\0')}) {
    EXPECT_EQ(SniffFormat(bytes).format, Format::kUnknown) << bytes;
  }
}

TEST(FormatTest, TruncatedFilesAreStillTheirKind) {
  // From the first record on.
  const std::pair<std::string, Format> files[] = {
      {Binary<GraphDef>(kGraph), Format::kGraphDef},
      {Binary<RunMetadata>(kRunMeta), Format::kRunMetadata},
      {Binary<ProfileProto>(kProfile), Format::kProfileProto}};
  for (const auto& [bytes, format] : files) {
    for (size_t n = 16; n < bytes.size(); ++n) {
      const Sniffed sniffed = SniffFormat(std::string_view(bytes).substr(0, n));
      EXPECT_EQ(sniffed.format, format) << n;
      EXPECT_FALSE(sniffed.text);
    }
  }
}

TEST(FormatTest, NodesWithoutANameAreInGraphs) {
  // Proto3 leaves out what is empty.
  EXPECT_EQ(SniffFormat(Binary<GraphDef>(kGraph) +
                        Binary<GraphDef>("node { op: \"NoOp\" }"))
                .format,
            Format::kGraphDef);
}

TEST(FormatTest, NamesAndFlags) {
  EXPECT_EQ(FormatName(Format::kOpLog), "OpLogProto");
  EXPECT_EQ(FormatFlag(Format::kRunMetadata), "--run_meta_path");
}

// ---- Load

// A LoadRequest whose members may be left out.
struct Inputs {
  std::string graph_path = "";
  std::string op_log_path = "";
  std::string profile_path = "";
  std::vector<std::string> run_meta_paths = {};
  std::vector<std::string> files = {};
};

absl::StatusOr<Loaded> Open(const Inputs& inputs) {
  LoadRequest request;
  request.graph_path = inputs.graph_path;
  request.op_log_path = inputs.op_log_path;
  request.profile_path = inputs.profile_path;
  request.run_meta_paths = inputs.run_meta_paths;
  request.files = inputs.files;
  return Load(request);
}

class LoadTest : public ::testing::Test {
 protected:
  LoadTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::path(::testing::TempDir()) / test->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~LoadTest() override { std::filesystem::remove_all(dir_); }

  std::string Write(const std::string& name, std::string_view bytes) {
    const std::filesystem::path path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  static std::string Error(const absl::StatusOr<Loaded>& loaded) {
    EXPECT_FALSE(loaded.ok());
    return std::string(loaded.status().message());
  }
  static std::vector<int64_t> Steps(const Loaded& loaded) {
    std::vector<int64_t> ids;
    for (const auto& step : loaded.profile.steps()) ids.push_back(step->id);
    return ids;
  }
  // The sum of a statistic over all nodes.
  static int64_t Sum(const Loaded& loaded, Stat stat, int64_t step = -1) {
    int64_t sum = 0;
    for (const Stats& s : ComputeNodeStats(loaded.profile, step)) {
      sum += s[stat];
    }
    return sum;
  }
  static std::string Saved(const Loaded& loaded) {
    StringSink sink;
    EXPECT_TRUE(WriteProfileProto(loaded.profile, sink).ok());
    return sink.text();
  }
  static int64_t Count(const Loaded& loaded, std::string_view kind) {
    for (const ImportLog::Entry& entry : loaded.log.entries()) {
      if (entry.kind == kind) return entry.count;
    }
    return 0;
  }
  absl::StatusOr<Loaded> LoadRunMeta(std::string_view text) {
    return Open({.run_meta_paths = {Write("rm", Binary<RunMetadata>(text))}});
  }

  std::filesystem::path dir_;
};

TEST_F(LoadTest, TextEqualsBinary) {
  const auto binary =
      Open({.graph_path = Write("g", Binary<GraphDef>(kGraph)),
            .op_log_path = Write("l", Binary<OpLogProto>(kOpLog)),
            .run_meta_paths = {Write("r", Binary<RunMetadata>(kRunMeta))}});
  const auto text = Open({.graph_path = Write("g.txt", kGraph),
                          .op_log_path = Write("l.txt", kOpLog),
                          .run_meta_paths = {Write("r.txt", kRunMeta)}});
  ASSERT_TRUE(binary.ok()) << binary.status();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(Saved(*text), Saved(*binary));
  EXPECT_EQ(text->coverage, binary->coverage);
  EXPECT_EQ(Sum(*binary, kCpuMicros), 8);
  EXPECT_EQ(Sum(*binary, kRequestedBytes), 64);
  EXPECT_EQ(Sum(*binary, kFloatOps), 12);
  EXPECT_EQ(Sum(*binary, kParameters), 3);
  EXPECT_TRUE(binary->profile.graph().has_code_traces);

  const auto profile = Open({.profile_path = Write("p", kProfile)});
  const auto profile_binary =
      Open({.profile_path = Write("p.pb", Binary<ProfileProto>(kProfile))});
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_TRUE(profile_binary.ok());
  EXPECT_EQ(Saved(*profile), Saved(*profile_binary));
  EXPECT_THAT(Steps(*profile), ElementsAre(4));
}

TEST_F(LoadTest, TextErrorsNameTheLine) {
  EXPECT_THAT(Error(Open({.graph_path = Write("g", "node {\n  name: }\n")})),
              HasSubstr("line 2"));
}

TEST_F(LoadTest, StepsByFlagPositionAndName) {
  const std::string bytes = Binary<RunMetadata>(kRunMeta);
  const std::string a = Write("run_meta_100", bytes), b = Write("b", bytes);
  // Under the flag by position, whatever the name.
  auto loaded = Open({.run_meta_paths = {a, "7:" + b, b}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0, 2, 7));
  EXPECT_THAT(loaded->coverage, SizeIs(3));
  // Without a flag by name, or as told.
  loaded = Open({.files = {a, "12:" + b}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(12, 100));
  loaded = Open({.files = {"12:" + a}});
  EXPECT_THAT(Steps(*loaded), ElementsAre(12));
  // Two files of one step accumulate.
  loaded = Open({.files = {"3:" + a, "3:" + b}});
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(Steps(*loaded), ElementsAre(3));
  EXPECT_EQ(Sum(*loaded, kCpuMicros, 3), 16);
  // A file that has such a name is that file.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_);
  Write("5:c", bytes);
  loaded = Open({.run_meta_paths = {"5:c"}});
  std::filesystem::current_path(before);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0));
}

TEST_F(LoadTest, ADirectoryOfSources) {
  Write("d/graph.pb", Binary<GraphDef>(kGraph));
  Write("d/op_log", Binary<OpLogProto>(kOpLog));
  Write("d/run_meta_10", Binary<RunMetadata>(kRunMeta));
  Write("d/run_meta_9", Binary<RunMetadata>(kRunMeta));
  Write("d/profile.pb", Binary<ProfileProto>(kProfile));
  Write("d/notes.txt", "nothing of ours\n");
  Write("d/sub/graph.pb", "not looked at");
  const auto loaded = Open({.files = {(dir_ / "d").string()}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(9, 10));
  EXPECT_EQ(Sum(*loaded, kFloatOps), 12);
  EXPECT_THAT(loaded->sources, SizeIs(4));
  // The saved profile, and the notes.
  EXPECT_EQ(Count(*loaded, "file of the directory not read"), 2);
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(LoadTest, ADirectoryOfProfilesIsTheLastOne) {
  const std::string other = Binary<ProfileProto>(
      "nodes { key: 0 value { name: \"other\" } } steps: 9");
  Write("d/profile_9", other);
  Write("d/profile_10", Binary<ProfileProto>(kProfile));
  const auto loaded = Open({.files = {(dir_ / "d").string()}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(4));
}

TEST_F(LoadTest, ADirectoryOfNothing) {
  Write("d/notes.txt", "nothing of ours\n");
  EXPECT_THAT(Error(Open({.files = {(dir_ / "d").string()}})),
              HasSubstr("no GraphDef, RunMetadata or ProfileProto among"));
}

TEST_F(LoadTest, FilesThatCannotBeRead) {
  const std::string missing = (dir_ / "missing").string();
  EXPECT_THAT(Error(Open({.files = {missing}})),
              HasSubstr(missing + "; No such file or directory"));
  EXPECT_THAT(Error(Open({.graph_path = missing})),
              HasSubstr("Failed to read graph_path: " + missing));
  EXPECT_EQ(Open({.graph_path = missing}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(Error(Open({.profile_path = dir_.string()})),
              HasSubstr(dir_.string()));
  EXPECT_THAT(Error(Open({.files = {Write("e", "")}})),
              HasSubstr("the file is empty"));
  EXPECT_THAT(Error(Open({.files = {Write("j", "just text\n")}})),
              HasSubstr("neither a GraphDef, RunMetadata"));
}

TEST_F(LoadTest, TheWrongKindUnderAFlag) {
  const std::string graph = Write("g", Binary<GraphDef>(kGraph));
  EXPECT_THAT(Error(Open({.run_meta_paths = {graph}})),
              HasSubstr("found GraphDef, expected RunMetadata; give it as "
                        "--graph_path or without a flag"));
}

// ---- RunMetadata (spec 2.2, 3.4 to 3.6)

TEST_F(LoadTest, ZeroDurationsAndMissingStarts) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 10 }
      node_stats { node_name: "a" all_start_micros: 20 op_end_rel_micros: 5 }
      node_stats { node_name: "b:label" op_end_rel_micros: 100
                   memory { total_bytes: 1000 } }
      node_stats { node_name: "c" all_start_micros: -4 op_end_rel_micros: 9 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, kCpuMicros), 6);
  EXPECT_EQ(Sum(*loaded, kRunCount), 2);
  EXPECT_EQ(Sum(*loaded, kRequestedBytes), 0);
  ASSERT_EQ(loaded->profile.nodes().size(), 3u);
  EXPECT_EQ(loaded->profile.node_name(1), "b");
  EXPECT_EQ(Count(*loaded, "node without a start time"), 2);
  EXPECT_EQ(loaded->log.entries()[0].texts[0],
            "b:label has no start time, skipping");
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(LoadTest, StreamsAndTheirAbsence) {
  constexpr char kScheduled[] = R"(
    dev_stats { device: "/job:w/device:GPU:0"
      node_stats { node_name: "a" all_start_micros: 10
                   op_end_rel_micros: 2 } })";
  constexpr char kStreams[] = R"(
    dev_stats { device: "/device:GPU:0/stream:all"
      node_stats { node_name: "a" all_start_micros: 11
                   op_end_rel_micros: 5 } }
    dev_stats { device: "/device:GPU:0/stream:16"
      node_stats { node_name: "a" all_start_micros: 11
                   op_end_rel_micros: 5 } })";
  auto loaded =
      LoadRunMeta("step_stats {" + std::string(kScheduled) + kStreams + "}");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, kCpuMicros), 2);
  EXPECT_EQ(Sum(*loaded, kAcceleratorMicros), 5);
  EXPECT_FALSE(loaded->profile.graph().misses_accelerator_stream);
  loaded = LoadRunMeta("step_stats {" + std::string(kScheduled) + "}");
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->profile.graph().misses_accelerator_stream);
}

TEST_F(LoadTest, TransfersAreFactsOutsideTheAccounting) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "RecvTensor" all_start_micros: 1
                   op_end_rel_micros: 3 }
      node_stats { node_name: "_SOURCE" all_start_micros: 1 }
      node_stats { node_name: "edge_MEMCPYHtoD" all_start_micros: 1 }
      node_stats { node_name: "RecvTensor2" all_start_micros: 1
                   op_end_rel_micros: 3 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->profile.nodes().size(), 1u);
  EXPECT_EQ(loaded->profile.node_name(0), "RecvTensor2");
  EXPECT_EQ(loaded->profile.FindStep(0)->num_outside(), 3u);
  EXPECT_EQ(Sum(*loaded, kCpuMicros), 3);
}

TEST_F(LoadTest, WordsOfARecord) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/gpu:0/memcpy"
      node_stats { node_name: "a:MEMCPYHtoD" all_start_micros: 1
                   timeline_label: "MEMCPYHtoD 64 bytes" }
      node_stats { node_name: "RecvTensor" all_start_micros: 1 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Profile& profile = loaded->profile;
  const Step& step = *profile.FindStep(0);
  ASSERT_EQ(step.num_executions(), 1u);
  const RecordText copy =
      profile.Text(static_cast<RecordRef>(step.exec_record[0]));
  EXPECT_EQ(copy.name, "a:MEMCPYHtoD");
  EXPECT_EQ(copy.label, "MEMCPYHtoD 64 bytes");
  ASSERT_EQ(step.num_outside(), 1u);
  const RecordText receive =
      profile.Text(static_cast<RecordRef>(step.exec_record[1]));
  EXPECT_EQ(receive.name, "RecvTensor");
  EXPECT_EQ(receive.label, "");
  EXPECT_EQ(profile.Text(kNoRecord).name, "");
}

// A saved profile has no words to give.
TEST_F(LoadTest, ProfileProtoHasNoWords) {
  const auto meta = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 1
                   timeline_label: "a = Const" } } })");
  ASSERT_TRUE(meta.ok()) << meta.status();
  const auto saved = Open({.profile_path = Write("p", Saved(*meta))});
  ASSERT_TRUE(saved.ok()) << saved.status();
  const Step& step = *saved->profile.FindStep(0);
  ASSERT_EQ(step.num_executions(), 1u);
  const auto record = static_cast<RecordRef>(step.exec_record[0]);
  EXPECT_NE(record, kNoRecord);
  EXPECT_EQ(saved->profile.Text(record).label, "");
}

TEST_F(LoadTest, Memory) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 1
        memory { allocator_name: "cpu" total_bytes: 100 peak_bytes: 50
                 live_bytes: 10 }
        memory { allocator_name: "other" total_bytes: 1 peak_bytes: 1
                 live_bytes: -3 }
        output { slot: 0 tensor_description { allocation_description {
                 requested_bytes: 30 allocated_bytes: 32 } } }
        output { slot: 1 tensor_description { allocation_description {
                 requested_bytes: 5 } } }
        output { slot: 2 }
        memory_stats { temp_memory_size: 1000 persistent_memory_size: 200 }
      } } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, kRequestedBytes), 101 + 1200);
  EXPECT_EQ(Sum(*loaded, kPeakBytes), 51 + 1200);
  EXPECT_EQ(Sum(*loaded, kResidualBytes), 7 + 200);
  EXPECT_EQ(Sum(*loaded, kOutputBytes), 37);
}

TEST_F(LoadTest, Coverage) {
  const auto loaded =
      Open({.graph_path = Write("g", Binary<GraphDef>(kGraph)),
            .run_meta_paths = {Write("r", Binary<RunMetadata>(kRunMeta))}});
  ASSERT_TRUE(loaded.ok());
  ASSERT_THAT(loaded->coverage, SizeIs(1));
  EXPECT_NEAR(loaded->coverage[0], 2.0 / 3, 1e-6);
}

TEST_F(LoadTest, RunMetadataWithoutStepStats) {
  // With a graph there is something to show; the file is damage all the same.
  const auto loaded = Open({.graph_path = Write("g", Binary<GraphDef>(kGraph)),
                            .run_meta_paths = {Write("r", "")}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->log.damaged());
  EXPECT_THAT(loaded->log.entries()[0].texts[0],
              HasSubstr("Invalid RunMetadata for step 0"));
  EXPECT_THAT(Steps(*loaded), IsEmpty());
}

// ---- Damage

TEST_F(LoadTest, DamagedRecordsAreCounted) {
  constexpr int kBad = 20;
  std::string device = Field(1, "/cpu:0");
  for (int i = 0; i < kBad; ++i) {
    device += Field(2, Field(1, "good" + std::to_string(i)) + Field(2, 100));
    // Its name is longer than the record.
    device += Field(2, std::string("\x0a\x7f") + "bad");
  }
  const auto loaded =
      Open({.run_meta_paths = {Write("r", Field(1, Field(1, device)))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), size_t{kBad});
  EXPECT_EQ(Count(*loaded, "NodeExecStats dropped"), kBad);
  EXPECT_THAT(loaded->log.entries()[0].texts, SizeIs(ImportLog::kMaxTexts));
  EXPECT_THAT(loaded->log.entries()[0].texts[0],
              HasSubstr("length 127 exceeds the 3 bytes left"));
  EXPECT_TRUE(loaded->log.damaged());
}

TEST_F(LoadTest, TruncatedFilesKeepWhatIsThere) {
  struct Kind {
    std::string bytes;
    Inputs (*request)(const std::string& path);
  };
  const Kind kinds[] = {
      {Binary<GraphDef>(kGraph),
       [](const std::string& path) { return Inputs{.graph_path = path}; }},
      {Binary<RunMetadata>(kRunMeta),
       [](const std::string& path) {
         return Inputs{.run_meta_paths = {path}};
       }},
      {Binary<ProfileProto>(kProfile),
       [](const std::string& path) { return Inputs{.profile_path = path}; }}};
  for (const Kind& kind : kinds) {
    // Where a cut leaves a whole message.
    std::vector<size_t> whole = {0};
    WireReader r(kind.bytes);
    while (r.Next()) whole.push_back(r.good_bytes());
    size_t nodes = 0;
    for (size_t n = 0; n <= kind.bytes.size(); ++n) {
      const auto loaded =
          Open(kind.request(Write("cut", kind.bytes.substr(0, n))));
      const bool cut = std::find(whole.begin(), whole.end(), n) == whole.end();
      if (!loaded.ok()) {
        EXPECT_THAT(std::string(loaded.status().message()),
                    HasSubstr((dir_ / "cut").string()))
            << n;
        EXPECT_TRUE(cut || n == 0) << n;
        continue;
      }
      // Nothing at all is a message of nothing.
      EXPECT_EQ(loaded->log.damaged() && n > 0, cut) << n;
      EXPECT_GE(loaded->profile.nodes().size(), nodes) << n;
      nodes = loaded->profile.nodes().size();
    }
    EXPECT_GE(nodes, 2u);
  }
}

TEST_F(LoadTest, DuplicateAndOddNodes) {
  const auto loaded = Open({.graph_path = Write("g", Binary<GraphDef>(R"(
    node { name: "a" op: "First" input: "b:1" }
    node { name: "a" op: "Second" input: "c" }
    node { op: "NoName" }
    node { name: "b" }
    node { name: "b:1" op: "Colon" }
  )"))});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const NodeTable& nodes = loaded->profile.nodes();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(loaded->profile.strings().Get(nodes.op[0]), "First");
  ASSERT_EQ(nodes.num_inputs(0), 1u);
  EXPECT_EQ(loaded->profile.node_name(nodes.Source(0, 0)), "b");
}

TEST_F(LoadTest, FunctionsAreReadWhenAskedFor) {
  const auto loaded = Open({.graph_path = Write("g", Binary<GraphDef>(R"(
    node { name: "x" op: "f" }
    library {
      function { signature { name: "empty" } }
      function {
        signature { name: "f" input_arg { name: "a" } input_arg { name: "b" }
                    output_arg { name: "c" } }
        attr { key: "_input_shapes" value { list { shape { dim { size: 2 } }
                                                   shape { dim { size: 3 } } } } }
        arg_attr { key: 1 value { attr { key: "_output_shapes" value {
            list { shape { dim { size: 4 } } } } } } }
        arg_attr { key: 7 value { } }
        node_def { name: "n" op: "Add" input: "a" input: "m:y:0" input: "^b"
                   attr { key: "T" value { type: DT_FLOAT } } }
        node_def { name: "m" op: "Neg" }
      } })"))});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), 1u);
  const auto functions = loaded->profile.Functions();
  ASSERT_THAT(functions, SizeIs(2));
  EXPECT_EQ(functions[0].first, "empty");
  EXPECT_THAT(loaded->profile.Function(functions[0].second).nodes, IsEmpty());
  EXPECT_EQ(functions[1].first, "f");
  const FunctionBody body = loaded->profile.Function(functions[1].second);
  ASSERT_THAT(body.arguments, SizeIs(2));
  EXPECT_EQ(body.arguments[0].name, "a");
  EXPECT_THAT(body.arguments[0].shape, ElementsAre(2));
  EXPECT_THAT(body.arguments[1].shape, ElementsAre(4));
  ASSERT_THAT(body.nodes, SizeIs(2));
  EXPECT_EQ(body.nodes[0].name, "n");
  EXPECT_EQ(body.nodes[0].op, "Add");
  EXPECT_THAT(body.nodes[0].inputs, ElementsAre("a", "m:y:0", "^b"));
  ASSERT_THAT(body.nodes[0].attributes, SizeIs(1));
  EXPECT_EQ(body.nodes[0].attributes[0].first, "T");
}

TEST_F(LoadTest, OutputShapesOfAnExecution) {
  const auto loaded =
      Open({.run_meta_paths = {Write("r", Binary<RunMetadata>(R"(
    step_stats { dev_stats { device: "/cpu:0" node_stats {
      node_name: "n" all_start_micros: 1
      output { slot: 1 tensor_description { shape { dim { size: 5 } } } }
      output { tensor_description { shape { } } }
      output { slot: 2 }
    } node_stats { node_name: "m" all_start_micros: 1 } } })"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Step& step = *loaded->profile.steps()[0];
  ASSERT_EQ(step.num_executions(), 2u);
  const auto shapes =
      loaded->profile.OutputShapes(static_cast<RecordRef>(step.exec_record[0]));
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_EQ(shapes[0].slot, 1);
  EXPECT_THAT(shapes[0].dims, ElementsAre(5));
  EXPECT_EQ(shapes[1].slot, 0);
  EXPECT_THAT(shapes[1].dims, ElementsAre(1));
  EXPECT_THAT(
      loaded->profile.OutputShapes(static_cast<RecordRef>(step.exec_record[1])),
      IsEmpty());
  EXPECT_THAT(loaded->profile.OutputShapes(kNoRecord), IsEmpty());
}

// TensorFlow's files do not say which output an edge reads, ours do.
TEST_F(LoadTest, ProfilesThatNameOutputs) {
  for (const bool named : {false, true}) {
    const auto loaded = Open(
        {.profile_path = Write(
             "p", Binary<ProfileProto>(
                      std::string("nodes { key: 0 value { name: \"a\" } } "
                                  "nodes { key: 1 value { name: \"b\" "
                                  "inputs { key: 0 value: 0 } ") +
                      (named ? "input_output_index { key: 0 value: 1 } " : "") +
                      "} }"))});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->profile.nodes().misses_outputs, !named);
  }
  const auto graph = Open({.graph_path = Write("g", Binary<GraphDef>(kGraph))});
  EXPECT_FALSE(graph->profile.nodes().misses_outputs);
}

TEST_F(LoadTest, OpLogsOfOldAndOddKinds) {
  const auto loaded = Open({.graph_path = Write("g", Binary<GraphDef>(kGraph)),
                            .op_log_path = Write("l", Binary<OpLogProto>(R"(
    log_entries { name: "nobody" float_ops: 1 types: "t" }
    log_entries { name: "y" float_ops: 5
                  code_def { traces { lineno: 1 file_id: 99 } } }
    log_entries { name: "y" float_ops: 6
                  code_def { traces { lineno: 2 } } }
    log_entries { name: "y" types: "t" })"))});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const NodeTable& nodes = loaded->profile.nodes();
  EXPECT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes.FloatOps(2), 6);  // the last one that is not 0
  // The first stack stays; its file is not in the table.
  const CallStacks& stacks = loaded->profile.graph().stacks;
  const std::vector<FrameId> frames = stacks.Frames(nodes.stack[2]);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(stacks.frame(frames[0]).lineno, 1);
  EXPECT_EQ(stacks.frame(frames[0]).file, kNone);
}

// Of compressed and text files as well, and of folders with files that are not
// read: who watches sees it come to its end, and not begin anew.
TEST(LoadProgressTest, ComesToAllThatWasExpected) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs;
  int compressed = 0, folders = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator("tests/golden/profiles")) {
    inputs.push_back(entry.path().string());
    compressed += entry.path().extension() == ".gz";
    folders += entry.is_directory();
  }
  EXPECT_GT(compressed, 5);
  EXPECT_GT(folders, 10);
  for (const std::string& path : inputs) {
    Progress progress;
    LoadRequest request;
    request.files = {path};
    request.progress = &progress;
    if (!Load(request).ok()) continue;
    EXPECT_EQ(progress.done, progress.total) << path;
    EXPECT_GE(progress.done,
              fs::is_directory(path) || !path.ends_with(".gz")
                  ? 0
                  : static_cast<int64_t>(2 * fs::file_size(path)))
        << path;
  }
}

TEST(LoadProgressTest, StopsWhenAsked) {
  for (const char* path :
       {"profile.pb", "graph.pb.gz", "run_meta_0.gz", "op_log.gz", ""}) {
    LoadRequest request;
    request.files = {std::string("tests/golden/profiles/conv_resnet/") + path};
    RequestStop();
    const auto stopped = Load(request);
    ClearStop();
    EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled) << path;
    EXPECT_TRUE(Load(request).ok()) << path;
  }
}

TEST_F(LoadTest, InputFilesStayWhereTheyAre) {
  const std::string path = Write("f", "0123456789");
  const auto file = InputFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes(), "0123456789");
  EXPECT_EQ((*file)->OffsetOf((*file)->bytes().substr(4)), 4u);
  EXPECT_EQ((*file)->path(), path);
  EXPECT_EQ(InputFile::Open(dir_.string()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ((*InputFile::Open(Write("empty", "")))->bytes(), "");
  EXPECT_EQ(InputFile::FromBytes("p", "abc")->bytes(), "abc");
}

}  // namespace
}  // namespace tfprof
