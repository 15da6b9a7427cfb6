#include "loaders/tensorflow/checkpoint/checkpoint.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"
#include "loaders/tensorflow/checkpoint/crc32c.h"
#include "loaders/tensorflow/checkpoint/tensor_slice.h"
#include "profile/tensor_source.h"
#include "proto/checkpoint.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tfprof::tensorflow {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kDir[] = "loaders/tensorflow/checkpoint/testdata/";

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

template <typename T>
std::string Message(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

template <typename T>
absl::StatusCode Code(const absl::StatusOr<T>& result) {
  return result.status().code();
}

using Source = absl::StatusOr<std::unique_ptr<profile::TensorSource>>;

std::vector<std::string> Names(const profile::TensorSource& source) {
  std::vector<std::string> names;
  for (const profile::TensorInfo& info : source.tensors())
    names.push_back(info.name);
  return names;
}

// ---- The real V1 file

TEST(CheckpointV1Test, ListsTensors) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v1");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(Names(**source), ElementsAre("empty", "f32", "f64", "i32", "i64",
                                           "inf", "scope/nested", "wide"));
  EXPECT_THAT((*source)->tensors()[0].shape, ElementsAre(0, 3));
  EXPECT_EQ((*source)->tensors()[0].dtype, proto::DT_FLOAT);
  EXPECT_THAT((*source)->tensors()[4].shape, IsEmpty());
  EXPECT_EQ((*source)->tensors()[4].dtype, proto::DT_INT64);
  EXPECT_THAT((*source)->tensors()[7].shape, ElementsAre(3, 900));
}

TEST(CheckpointV1Test, ReadsValues) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v1");
  ASSERT_TRUE(source.ok()) << source.status();
  const auto read = [&](std::string_view name) {
    absl::StatusOr<profile::TensorValue> value = (*source)->Read(name);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *std::move(value) : profile::TensorValue();
  };
  EXPECT_THAT(read("empty").doubles, IsEmpty());
  EXPECT_THAT(read("empty").shape, ElementsAre(0, 3));
  EXPECT_THAT(read("f32").doubles, ElementsAre(1.5, -2.25, 1e-7f, 123456789.f));
  EXPECT_THAT(read("f64").doubles, ElementsAre(1.0 / 3, 1e300));
  EXPECT_THAT(read("i32").ints, ElementsAre(7, -7));
  EXPECT_THAT(read("i64").ints, ElementsAre(int64_t{1} << 50));
  const std::vector<double> inf = read("inf").doubles;
  ASSERT_THAT(inf, SizeIs(4));
  EXPECT_EQ(inf[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(inf[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(inf[2]));
  EXPECT_TRUE(inf[3] == 0 && std::signbit(inf[3]));
  EXPECT_THAT(read("scope/nested").doubles,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  const std::vector<double> wide = read("wide").doubles;
  ASSERT_THAT(wide, SizeIs(2700));
  EXPECT_NEAR(wide[0], 0.15, 0.005);
  EXPECT_NEAR(wide[900], -0.51, 0.005);
  EXPECT_NEAR(wide[1800], 0.57, 0.005);
}

TEST(CheckpointV1Test, UnknownName) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v1");
  ASSERT_TRUE(source.ok()) << source.status();
  const auto value = (*source)->Read("scope");
  EXPECT_EQ(Code(value), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(value), "scope not found in checkpoint file");
}

// ---- The real V2 files

TEST(CheckpointV2Test, AnyOfItsFilesMayBeNamed) {
  for (const std::string name :
       {"v2", "v2.index", "v2.data-00000-of-00001", "v2.meta"}) {
    const Source source = OpenCheckpoint(kDir + name);
    ASSERT_TRUE(source.ok()) << source.status();
    EXPECT_THAT(
        Names(**source),
        ElementsAre("big", "bo", "cube", "f64", "ha", "i32", "i64", "layer1/b",
                    "layer1/w", "layer2/b", "layer2/w", "st"));
  }
}

TEST(CheckpointV2Test, ReadsValues) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v2");
  ASSERT_TRUE(source.ok()) << source.status();
  const auto read = [&](std::string_view name) {
    absl::StatusOr<profile::TensorValue> value = (*source)->Read(name);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *std::move(value) : profile::TensorValue();
  };
  const profile::TensorValue cube = read("cube");
  EXPECT_EQ(cube.dtype, proto::DT_FLOAT);
  EXPECT_THAT(cube.shape, ElementsAre(2, 3, 4));
  ASSERT_THAT(cube.doubles, SizeIs(24));
  EXPECT_NEAR(cube.doubles[0], 0.78, 0.005);
  EXPECT_NEAR(cube.doubles[7], 0.89, 0.005);
  EXPECT_NEAR(cube.doubles[23], 0.22, 0.005);
  EXPECT_THAT(read("f64").doubles,
              ElementsAre(1234567.8, 0.000123456789, -3.5e10));
  EXPECT_THAT(read("i32").ints, ElementsAre(1, -2, 3, 400000));
  EXPECT_THAT(read("i32").shape, ElementsAre(2, 2));
  EXPECT_THAT(read("i64").ints, ElementsAre(int64_t{1} << 40));
  EXPECT_THAT(read("st").strings, ElementsAre("a b", "it's", ""));
  EXPECT_THAT(read("big").doubles, SizeIs(2400));
}

TEST(CheckpointV2Test, WhatCanNotBeRead) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v2");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->Read("layer1").status(),
            absl::NotFoundError("Key layer1 not found in checkpoint"));
  EXPECT_EQ((*source)->Read("").status(),
            absl::NotFoundError("Key  not found in checkpoint"));
  EXPECT_EQ((*source)->Read("bo").status(),
            absl::UnimplementedError("Not Supported type 10"));
  EXPECT_EQ((*source)->Read("ha").status(),
            absl::UnimplementedError("Not Supported type 19"));
}

// ---- Damage to the real files

// Reads everything. The test is that the process survives, also under
// sanitizers. Returns how many tensors could be read.
int ReadAll(const FileMap& bytes) {
  const MemoryFiles files(bytes);
  const Source source = OpenCheckpoint("c", files);
  if (!source.ok()) {
    EXPECT_FALSE(source.status().message().empty());
    return 0;
  }
  int read = 0;
  for (const profile::TensorInfo& info : (*source)->tensors()) {
    if ((*source)->Read(info.name).ok()) ++read;
  }
  return read;
}

struct RealFiles {
  FileMap files;
  int readable;
};

std::vector<RealFiles> AllRealFiles() {
  const std::string dir = kDir;
  return {
      {{{"c", ReadFile(dir + "v1")}}, 8},
      {{{"c.index", ReadFile(dir + "v2.index")},
        {"c.data-00000-of-00001", ReadFile(dir + "v2.data-00000-of-00001")}},
       10}};
}

TEST(CheckpointDamageTest, EveryTruncation) {
  for (const RealFiles& real : AllRealFiles()) {
    EXPECT_EQ(ReadAll(real.files), real.readable);
    for (const auto& [path, bytes] : real.files) {
      FileMap cut = real.files;
      for (size_t size = 0; size < bytes.size(); ++size) {
        cut[path] = bytes.substr(0, size);
        EXPECT_LT(ReadAll(cut), real.readable) << path << " cut at " << size;
      }
    }
  }
}

TEST(CheckpointDamageTest, OneFlippedBitInEveryByte) {
  std::mt19937 random(20);
  for (const RealFiles& real : AllRealFiles()) {
    for (const auto& [path, bytes] : real.files) {
      FileMap damaged = real.files;
      int unnoticed = 0;
      for (size_t i = 0; i < bytes.size(); ++i) {
        damaged[path][i] ^= static_cast<char>(1 << (random() % 8));
        if (ReadAll(damaged) == real.readable) ++unnoticed;
        damaged[path][i] = bytes[i];
      }
      // Only damage in bytes without meaning goes unnoticed: the meta index and
      // its place, the padding of the footer, tensors of types that are not
      // read.
      EXPECT_LE(unnoticed, 55) << path;
    }
  }
}

// Checksums do not hide this damage: the fuzz target makes them correct.
TEST(CheckpointDamageTest, DamageBehindTheChecksums) {
  proto::SavedTensorSlices meta;
  proto::SavedSliceMeta* listed = meta.mutable_meta()->add_tensor();
  listed->set_name("w");
  *listed->mutable_shape() = Shape({2, 1});
  listed->set_type(proto::DT_STRING);
  *listed->add_slice() = Slice({{0, -1}, {0, 1}});
  proto::SavedTensorSlices data;
  data.mutable_data()->set_name("w");
  data.mutable_data()->mutable_data()->add_string_val("first");
  data.mutable_data()->mutable_data()->add_string_val("second");
  const std::string v1 =
      BlockWriter()
          .Add("", meta.SerializeAsString())
          .Add(TensorSliceKey("w", listed->slice(0)), data.SerializeAsString())
          .Finish();
  proto::BundleHeaderProto header;
  header.set_num_shards(1);
  proto::BundleEntryProto entry;
  entry.set_dtype(proto::DT_STRING);
  *entry.mutable_shape() = Shape({2});
  *entry.add_slices() = Slice({{0, 1}});
  *entry.add_slices() = Slice({{1, 1}});
  proto::BundleEntryProto part;
  part.set_dtype(proto::DT_STRING);
  *part.mutable_shape() = Shape({1});
  part.set_size(8);
  const std::string v2 =
      BlockWriter()
          .Add("", header.SerializeAsString())
          .Add(TensorSliceKey("w", entry.slices(0)), part.SerializeAsString())
          .Add(TensorSliceKey("w", entry.slices(1)), part.SerializeAsString())
          .Add("w", entry.SerializeAsString())
          .Finish();
  ASSERT_LT(v2.size(), 256u);
  std::mt19937 random(21);
  for (const std::string& seed :
       {"\x02" + v1, "\x03" + FixedBytes(v2.size(), 2) + v2 + "\x03....abc"}) {
    for (int round = 0; round < 20; ++round) {
      for (size_t i = 0; i < seed.size(); ++i) {
        std::string input = seed;
        input[i] = static_cast<char>(random());
        if (round % 2) input[random() % input.size()] ^= 0x80;
        EXPECT_EQ(
            LLVMFuzzerTestOneInput(
                reinterpret_cast<const uint8_t*>(input.data()), input.size()),
            0);
      }
    }
  }
}

// ---- Opening

TEST(OpenCheckpointTest, NothingThere) {
  EXPECT_EQ(OpenCheckpoint("/nowhere/model").status(),
            absl::NotFoundError(
                "Unsuccessful TensorSliceReader constructor: Failed to find "
                "any matching files for /nowhere/model"));
}

TEST(OpenCheckpointTest, NotATable) {
  const MemoryFiles files(FileMap{{"text", "model_checkpoint_path: 'x'"}});
  const Source source = OpenCheckpoint("text", files);
  EXPECT_EQ(Code(source), absl::StatusCode::kDataLoss);
  EXPECT_THAT(Message(source),
              StartsWith("Unable to open table file text: DATA_LOSS: 26 bytes, "
                         "expected a table"));
}

TEST(OpenCheckpointTest, Directory) {
  EXPECT_THAT(
      Message(OpenCheckpoint("loaders")),
      AllOf(StartsWith("Unable to open table file loaders: INVALID_ARGUMENT: "),
            HasSubstr("is a directory; give the name of a checkpoint in it")));
}

TEST(OpenCheckpointTest, EmptyFileOnDisk) {
  const std::string path = ::testing::TempDir() + "/empty[1]";
  std::ofstream(path).flush();
  EXPECT_THAT(Message(OpenCheckpoint(path)), HasSubstr("DATA_LOSS: 0 bytes"));
}

TEST(OpenCheckpointTest, PatternOnDisk) {
  const Source source = OpenCheckpoint(std::string(kDir) + "v[1]");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT((*source)->tensors(), SizeIs(8));
}

TEST(OpenCheckpointTest, MetaFileOfV1) {
  const MemoryFiles files(FileMap{{"m", ReadFile(std::string(kDir) + "v1")},
                                  {"m.meta", "a graph"}});
  EXPECT_TRUE(OpenCheckpoint("m.meta", files).ok());
}

// ---- V1 files written by the test

struct V1Slice {
  std::string name;
  int dtype = proto::DT_FLOAT;
  std::vector<int64_t> shape;
  proto::TensorSliceProto slice;
  proto::TensorProto data;
};

std::string WriteV1(const std::vector<V1Slice>& slices) {
  proto::SavedTensorSlices list;
  list.mutable_meta()->mutable_versions()->set_producer(1);
  std::map<std::string, std::string> entries;
  for (const V1Slice& s : slices) {
    proto::SavedSliceMeta* meta = list.mutable_meta()->add_tensor();
    meta->set_name(s.name);
    *meta->mutable_shape() = Shape(s.shape);
    meta->set_type(static_cast<proto::DataType>(s.dtype));
    *meta->add_slice() = s.slice;
    proto::SavedTensorSlices data;
    data.mutable_data()->set_name(s.name);
    *data.mutable_data()->mutable_data() = s.data;
    entries[TensorSliceKey(s.name, s.slice)] = data.SerializeAsString();
  }
  entries[""] = list.SerializeAsString();
  return WriteTable(entries);
}

proto::TensorProto Floats(const std::vector<float>& values) {
  proto::TensorProto data;
  for (const float v : values) data.add_float_val(v);
  return data;
}

TEST(CheckpointV1Test, SeveralFilesAndStrings) {
  proto::TensorProto strings;
  strings.add_string_val(std::string("\x00x", 2));
  const MemoryFiles files(FileMap{
      {"m-0",
       WriteV1({{"b", proto::DT_FLOAT, {1}, Slice({{0, -1}}), Floats({5})}})},
      {"m-1", WriteV1({{"a", proto::DT_STRING, {}, Slice({}), strings}})}});
  const Source source = OpenCheckpoint("m-*", files);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(Names(**source), ElementsAre("a", "b"));
  EXPECT_THAT((*source)->Read("a")->strings,
              ElementsAre(std::string("\x00x", 2)));
  EXPECT_THAT((*source)->Read("b")->doubles, ElementsAre(5));
}

TEST(CheckpointV1Test, WhatCanNotBeRead) {
  const MemoryFiles files(FileMap{
      {"m",
       WriteV1(
           {{"bool", proto::DT_BOOL, {}, Slice({}), {}},
            {"byte", proto::DT_UINT8, {}, Slice({}), {}},
            {"few", proto::DT_FLOAT, {2}, Slice({{0, -1}}), Floats({1})},
            {"half", proto::DT_FLOAT, {4}, Slice({{0, 2}}), Floats({1, 2})},
            {"outside", proto::DT_FLOAT, {4}, Slice({{3, 2}}), Floats({1, 2})},
            {"two", proto::DT_FLOAT, {2}, Slice({{0, 1}}), Floats({1})},
            {"two", proto::DT_FLOAT, {2}, Slice({{1, 1}}), Floats({2})}})}});
  const Source source = OpenCheckpoint("m", files);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->Read("bool").status(),
            absl::UnimplementedError("Data type not supported"));
  EXPECT_EQ((*source)->Read("byte").status(),
            absl::UnimplementedError("Not Supported type 4"));
  EXPECT_EQ((*source)->Read("two").status(),
            absl::UnimplementedError("Sliced checkpoints are not supported"));
  EXPECT_THAT(Message((*source)->Read("few")),
              AllOf(StartsWith("tensor 'few': m: table block at byte 0: "),
                    HasSubstr("1 values of tensor 'few', expected 2")));
  EXPECT_THAT(Message((*source)->Read("half")),
              HasSubstr("it holds 2 of 4 elements; files of the checkpoint"));
  EXPECT_THAT(
      Message((*source)->Read("outside")),
      HasSubstr("a slice takes 2 elements from 3 on along dimension 0"));
}

TEST(CheckpointV1Test, FilesOfTwoCheckpoints) {
  const MemoryFiles files(FileMap{
      {"m-0",
       WriteV1({{"a", proto::DT_FLOAT, {1}, Slice({{0, -1}}), Floats({5})}})},
      {"m-1", WriteV1({{"a", proto::DT_INT32, {1}, Slice({{0, -1}}), {}}})}});
  EXPECT_THAT(Message(OpenCheckpoint("m-*", files)),
              HasSubstr("m-1: tensor 'a' has another type or shape"));
}

TEST(CheckpointV1Test, TableOfSomethingElse) {
  const MemoryFiles files(FileMap{{"m", WriteTable({{"key", "value"}})}});
  EXPECT_THAT(Message(OpenCheckpoint("m", files)),
              StartsWith("Failed to find the saved tensor slices at the "
                         "beginning of the checkpoint file: m"));
}

TEST(CheckpointV1Test, NewerVersion) {
  proto::SavedTensorSlices list;
  list.mutable_meta()->mutable_versions()->set_producer(9);
  list.mutable_meta()->mutable_versions()->set_min_consumer(3);
  const MemoryFiles files(
      FileMap{{"m", WriteTable({{"", list.SerializeAsString()}})}});
  const Source source = OpenCheckpoint("m", files);
  EXPECT_EQ(Code(source), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(source), HasSubstr("a reader of at least version 3"));
}

// ---- V2 files written by the test

class Bundle {
 public:
  explicit Bundle(int shards = 1) : data_(shards) {
    header_.set_num_shards(shards);
  }

  proto::BundleHeaderProto& header() { return header_; }

  proto::BundleEntryProto& Add(const std::string& key, int dtype,
                               const std::vector<int64_t>& shape,
                               const std::string& bytes, int shard = 0) {
    proto::BundleEntryProto& entry = entries_[key];
    entry.set_dtype(static_cast<proto::DataType>(dtype));
    *entry.mutable_shape() = Shape(shape);
    entry.set_shard_id(shard);
    entry.set_offset(static_cast<int64_t>(data_[shard].size()));
    entry.set_size(static_cast<int64_t>(bytes.size()));
    entry.set_crc32c(MaskCrc32c(Crc32c(bytes)));
    data_[shard] += bytes;
    return entry;
  }

  // Adds a tensor in slices of these ranges and bytes, one data file after
  // another.
  proto::BundleEntryProto& AddSliced(
      const std::string& name, int dtype, const std::vector<int64_t>& shape,
      const std::vector<std::pair<proto::TensorSliceProto, std::string>>&
          slices) {
    proto::BundleEntryProto& entry = entries_[name];
    entry.set_dtype(static_cast<proto::DataType>(dtype));
    *entry.mutable_shape() = Shape(shape);
    int shard = 0;
    for (const auto& [slice, bytes] : slices) {
      *entry.add_slices() = slice;
      std::vector<int64_t> lengths;
      for (int d = 0; d < slice.extent_size(); ++d) {
        const proto::TensorSliceProto::Extent& e = slice.extent(d);
        lengths.push_back(e.has_length_case() ? e.length() : shape[d]);
      }
      Add(TensorSliceKey(name, slice), dtype, lengths, bytes,
          shard++ % static_cast<int>(data_.size()));
    }
    return entry;
  }

  MemoryFiles Files() const {
    std::map<std::string, std::string> entries = {
        {"", header_.SerializeAsString()}};
    for (const auto& [key, entry] : entries_) {
      entries[key] = entry.SerializeAsString();
    }
    FileMap files = {{"c.index", WriteTable(entries)}};
    for (size_t i = 0; i < data_.size(); ++i) {
      files[fmt::format("c.data-{:05d}-of-{:05d}", i, data_.size())] = data_[i];
    }
    return MemoryFiles(files);
  }

  // Returns the message of the error of reading that tensor.
  std::string Error(std::string_view name) const {
    const MemoryFiles files = Files();
    const Source source = OpenCheckpoint("c", files);
    if (!source.ok()) return Message(source);
    return Message((*source)->Read(name));
  }

  profile::TensorValue Read(std::string_view name) const {
    const MemoryFiles files = Files();
    const Source source = OpenCheckpoint("c", files);
    EXPECT_TRUE(source.ok()) << source.status();
    if (!source.ok()) return {};
    absl::StatusOr<profile::TensorValue> value = (*source)->Read(name);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *std::move(value) : profile::TensorValue();
  }

 private:
  proto::BundleHeaderProto header_;
  std::map<std::string, proto::BundleEntryProto> entries_;
  std::vector<std::string> data_;
};

std::string Int32Bytes(const std::vector<int32_t>& values) {
  std::string bytes;
  for (const int32_t v : values) {
    bytes += FixedBytes(static_cast<uint32_t>(v), 4);
  }
  return bytes;
}

std::string Reversed(std::string bytes) {
  return std::string(bytes.rbegin(), bytes.rend());
}

// Returns the stored form of a string tensor. Its checksum is over the lengths
// as 4-byte numbers, their masked checksum, and the strings.
std::string StringBytes(const std::vector<std::string>& values, bool big,
                        uint32_t* crc) {
  std::string lengths, fixed, all;
  for (const std::string& value : values) {
    lengths += VarintBytes(value.size());
    const std::string size = FixedBytes(value.size(), 4);
    fixed += big ? Reversed(size) : size;
    all += value;
  }
  std::string check = FixedBytes(MaskCrc32c(Crc32c(fixed)), 4);
  if (big) check = Reversed(check);
  *crc = MaskCrc32c(Crc32c(fixed + check + all));
  return lengths + check + all;
}

TEST(CheckpointV2Test, BigEndian) {
  Bundle bundle;
  bundle.header().set_endianness(proto::BundleHeaderProto::BIG);
  bundle.Add("f", proto::DT_FLOAT, {},
             Reversed(FixedBytes(std::bit_cast<uint32_t>(-1.5f), 4)));
  bundle.Add("d", proto::DT_DOUBLE, {1},
             Reversed(FixedBytes(std::bit_cast<uint64_t>(0.1), 8)));
  bundle.Add("i", proto::DT_INT32, {2}, Reversed(Int32Bytes({4, -3})));
  bundle.Add("l", proto::DT_INT64, {},
             Reversed(FixedBytes(static_cast<uint64_t>(-9), 8)));
  uint32_t crc;
  const std::string bytes =
      StringBytes({"one", std::string(300, 'x')}, true, &crc);
  bundle.Add("s", proto::DT_STRING, {2}, bytes).set_crc32c(crc);
  EXPECT_THAT(bundle.Read("f").doubles, ElementsAre(-1.5));
  EXPECT_THAT(bundle.Read("d").doubles, ElementsAre(0.1));
  EXPECT_THAT(bundle.Read("i").ints, ElementsAre(-3, 4));
  EXPECT_THAT(bundle.Read("l").ints, ElementsAre(-9));
  EXPECT_THAT(bundle.Read("s").strings,
              ElementsAre("one", std::string(300, 'x')));
}

TEST(CheckpointV2Test, AssemblesSlices) {
  Bundle bundle(2);
  // 2 x 3, cut after the first column, and a tensor beside it.
  bundle.AddSliced("w", proto::DT_INT32, {2, 3},
                   {{Slice({{0, -1}, {1, 2}}), Int32Bytes({2, 3, 5, 6})},
                    {Slice({{0, -1}, {0, 1}}), Int32Bytes({1, 4})},
                    {Slice({{0, 0}, {0, 1}}), ""}});
  bundle.Add("b", proto::DT_INT32, {}, Int32Bytes({7}), 1);
  const profile::TensorValue value = bundle.Read("w");
  EXPECT_THAT(value.shape, ElementsAre(2, 3));
  EXPECT_THAT(value.ints, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(bundle.Read("b").ints, ElementsAre(7));
  // The list has no slices.
  const MemoryFiles files = bundle.Files();
  EXPECT_THAT(Names(**OpenCheckpoint("c", files)), ElementsAre("b", "w"));
}

TEST(CheckpointV2Test, AssemblesSlicesOfStrings) {
  Bundle bundle;
  uint32_t crc[2];
  const std::string first = StringBytes({"a"}, false, &crc[0]);
  const std::string second = StringBytes({"b", ""}, false, &crc[1]);
  const proto::TensorSliceProto slices[2] = {Slice({{0, 1}}), Slice({{1, 2}})};
  bundle.AddSliced("s", proto::DT_STRING, {3},
                   {{slices[0], ""}, {slices[1], ""}});
  bundle.Add(TensorSliceKey("s", slices[0]), proto::DT_STRING, {1}, first)
      .set_crc32c(crc[0]);
  bundle.Add(TensorSliceKey("s", slices[1]), proto::DT_STRING, {2}, second)
      .set_crc32c(crc[1]);
  EXPECT_THAT(bundle.Read("s").strings, ElementsAre("a", "b", ""));
}

TEST(CheckpointV2Test, BadSlices) {
  const std::string one = Int32Bytes({1});
  const std::string two = Int32Bytes({1, 2});
  Bundle bundle;
  bundle.AddSliced("gap", proto::DT_INT32, {3}, {{Slice({{0, 2}}), two}});
  bundle.AddSliced("overlap", proto::DT_INT32, {3},
                   {{Slice({{0, 2}}), two}, {Slice({{1, 1}}), one}});
  bundle.AddSliced("more", proto::DT_INT32, {2},
                   {{Slice({{0, 2}}), two}, {Slice({{1, 1}}), one}});
  bundle.AddSliced("outside", proto::DT_INT32, {2}, {{Slice({{1, 2}}), two}});
  bundle.AddSliced("rank", proto::DT_INT32, {2}, {{Slice({}), one}});
  *bundle.AddSliced("absent", proto::DT_INT32, {2}, {{Slice({{0, 1}}), one}})
       .add_slices() = Slice({{1, 1}});
  // Both slices are the same bytes.
  bundle.AddSliced("shared", proto::DT_INT32, {4},
                   {{Slice({{0, 2}}), two}, {Slice({{2, 2}}), two}});
  const std::string key = TensorSliceKey("shared", Slice({{0, 2}}));
  const int64_t offset = bundle.Add(key, proto::DT_INT32, {2}, two).offset();
  bundle
      .Add(TensorSliceKey("shared", Slice({{2, 2}})), proto::DT_INT32, {2}, two)
      .set_offset(offset);
  EXPECT_THAT(bundle.Error("gap"), HasSubstr("hold 2 of its 3 elements"));
  EXPECT_THAT(bundle.Error("overlap"), HasSubstr("two slices hold element 1"));
  EXPECT_THAT(bundle.Error("more"),
              HasSubstr("slice 2 has 1 elements, expected at most 0"));
  EXPECT_THAT(bundle.Error("outside"),
              HasSubstr("a slice takes 2 elements from 1 on"));
  EXPECT_THAT(bundle.Error("rank"),
              HasSubstr("a slice has 0 dimensions, expected 1"));
  EXPECT_THAT(bundle.Error("absent"), HasSubstr("slice 2 of 2 has no entry"));
  EXPECT_THAT(bundle.Error("shared"), HasSubstr("two of its slices lie there"));
}

TEST(CheckpointV2Test, BadEntries) {
  const std::string one = Int32Bytes({1});
  Bundle bundle;
  bundle.Add("crc", proto::DT_INT32, {}, one).set_crc32c(5);
  bundle.Add("offset", proto::DT_INT32, {}, one).set_offset(-1);
  bundle.Add("shard", proto::DT_INT32, {}, one).set_shard_id(1);
  bundle.Add("size", proto::DT_INT32, {}, one).set_size(1000);
  bundle.Add("values", proto::DT_INT32, {2}, one);
  uint32_t crc;
  bundle.Add("strings", proto::DT_STRING, {1 << 30},
             StringBytes({"a"}, false, &crc));
  bundle.Add("lengths", proto::DT_STRING, {1}, "\x09....");
  bundle.Add("check", proto::DT_STRING, {1}, "\x01....a");
  EXPECT_THAT(bundle.Error("crc"),
              AllOf(StartsWith("tensor 'crc': c.data-00000-of-00001: byte 0: "
                               "checksum 0x"),
                    HasSubstr("of 4 bytes, expected 0x00000005")));
  EXPECT_THAT(bundle.Error("offset"), HasSubstr("should lie at byte -1"));
  EXPECT_THAT(bundle.Error("shard"), HasSubstr("data file 1, expected 0 to 0"));
  EXPECT_THAT(bundle.Error("size"),
              HasSubstr("1000 bytes should lie at byte 12, the file has"));
  EXPECT_THAT(bundle.Error("values"),
              HasSubstr("4 bytes, expected 2 values of 4 bytes each"));
  EXPECT_THAT(bundle.Error("strings"),
              HasSubstr("1073741824 strings do not fit into 6 bytes"));
  EXPECT_THAT(bundle.Error("lengths"),
              HasSubstr("the length of string 0 is cut off or too large"));
  EXPECT_THAT(bundle.Error("check"), HasSubstr("of the lengths, expected 0x"));
}

TEST(CheckpointV2Test, MissingDataFile) {
  const MemoryFiles files(
      FileMap{{"c.index", ReadFile(std::string(kDir) + "v2.index")}});
  const Source source = OpenCheckpoint("c", files);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(Message((*source)->Read("i32")),
            "tensor 'i32': c.data-00000-of-00001: no such file");
}

TEST(CheckpointV2Test, BadIndex) {
  const auto message = [](const std::map<std::string, std::string>& entries) {
    const MemoryFiles files(FileMap{{"c.index", WriteTable(entries)}});
    return Message(OpenCheckpoint("c", files));
  };
  EXPECT_THAT(message({{"a", ""}}), StartsWith("c.index: no header"));
  EXPECT_THAT(message({{"", ""}}),
              StartsWith("c.index: the header has 0 data files"));
  EXPECT_THAT(message({{"", "\x01"}}),
              StartsWith("c.index: the header is not a BundleHeaderProto"));
  const std::string header = "\x08\x01";
  EXPECT_THAT(message({{"", header}, {"w", "\x01"}}),
              StartsWith("c.index: table block at byte 0: the value of key 'w' "
                         "is not a BundleEntryProto"));
  proto::BundleEntryProto entry;
  *entry.mutable_shape() = Shape({-1});
  EXPECT_EQ(message({{"", header}, {"w", entry.SerializeAsString()}}),
            "c.index: tensor 'w': dimension 0 of the shape has size -1");
}

TEST(CheckpointV2Test, NamesThatWouldFillTheMemory) {
  // 20000 keys share 20000 bytes: 120 KB stand for 400 MB.
  BlockWriter block;
  block.Add("", "\x08\x01");
  std::string key(20000, 'k');
  for (int i = 0; i < 20000; ++i) {
    block.Add(key + fmt::format("{:05d}", i), "");
  }
  const MemoryFiles files(FileMap{
      {"c.index", TableWriter().AddBlock("z", block.Finish()).Finish()}});
  EXPECT_THAT(Message(OpenCheckpoint("c", files)),
              HasSubstr("more than 256 times as large as the file"));
}

}  // namespace
}  // namespace tfprof::tensorflow
