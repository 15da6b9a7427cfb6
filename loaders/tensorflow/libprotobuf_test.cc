// Compares MessageCheck with libprotobuf, on messages of the types that the
// loaders read and on mutants that keep most of their structure. It must find
// damage exactly if libprotobuf rejects the bytes, and every load of a rejected
// message must return an error or log damage.
//
// The types are compared as proto2, where text may have any bytes.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/dynamic_message.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "loaders/core/format.h"
#include "loaders/core/load_context.h"
#include "loaders/core/message_check.h"
#include "loaders/nodes/skipped_damage.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/op_log/format.h"
#include "loaders/tensorflow/profile_proto/format.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;

constexpr char kGraph[] = R"(
  node { name: "w" op: "VariableV2"
         attr { key: "shape" value { shape { dim { size: 3 } dim { size: 4 } } } }
         attr { key: "_output_shapes" value {
                  list { shape { dim { size: 3 } dim { size: 4 } } } } }
         attr { key: "dtype" value { type: 1 } } }
  node { name: "y" op: "MatMul" input: "w" input: "w:0"
         attr { key: "k" value { list { i: 5 i: 300 f: 1.5 b: true s: "ab" } } }
         attr { key: "f" value { func { name: "g"
             attr { key: "T" value { type: 3 } } } } } }
  library { function { signature { name: "g" }
                       node_def { name: "n" op: "Add" input: "x" } } })";
constexpr char kRun[] = R"(
  step_stats { dev_stats { device: "/device:CPU:0"
    node_stats { node_name: "y" all_start_micros: 100 op_end_rel_micros: 7
      memory { allocator_name: "cpu" total_bytes: 64 peak_bytes: 300
               allocation_records { alloc_micros: 9 alloc_bytes: 1000 } }
      output { slot: 1 tensor_description { dtype: 1
          shape { dim { size: 3 } dim { size: 200 } }
          allocation_description { requested_bytes: 12 allocated_bytes: 256 } } }
      timeline_label: "y = MatMul(w, w) " memory_stats {
temp_memory_size:
  300 persistent_memory_size : 5 persistent_tensor_alloc_ids : [ 1, 300 ]
}
}
node_stats {
node_name:
  "w:VariableV2" all_start_micros : 90
}
}
})";
constexpr char kLog[] = R"(
  log_entries { name: "y" float_ops: 12 types: "mine" types: "other"
                code_def { traces { lineno: 3 file_id: 1 function_id: 2 line_id: 300 }
                           traces { lineno: 9 file: "b.py" } } }
  log_entries { name: "unknown" code_def { traces { lineno: 3 file_id: 1 } } }
  id_to_string { key: 1 value: "m.py" } id_to_string { key: 2 value: "f" })";
constexpr char kProfile[] = R"(
  nodes { key: 0 value { name: "w" op: "VariableV2" op_types: "VariableV2"
      shape: [ 3, 400 ] attrs { key: "T" value { type: 1 } } } }
  nodes { key: 1 value { name: "y" op: "MatMul" id: 1 inputs { key: 0 value: 0 }
      output_shapes { key: 0 value { int64_values: [ 3, 400 ] } }
      src_output_index { key: 0 value: 0 } canonical_device: "cpu:0"
      trace { traces { lineno: 3 file_id: 1 } }
      execs { key: 4 value { run_count: 2 all_start_micros: 500
          cpu_execs { key: "cpu:0" value { times { int64_values: [ 5, 300 ] } } }
          devices: "cpu:0"
          memory_execs { memory_micros: 9 peak_bytes: 300
              output_memory { key: 0 value { bytes: 100 ptr: 2 } } }
          allocations { alloc_micros: 3 alloc_bytes: 900 } } } } }
  steps: [ 4, 300 ] id_to_string { key: 1 value: "m.py" })";

struct Kind {
  std::string name;
  const Descriptor* type;
  const char* text;
  const loaders::Format* format;
};

std::vector<Kind> Kinds() {
  return {{"GraphDef", proto::GraphDef::descriptor(), kGraph, &kGraphDefFormat},
          {"RunMetadata", proto::RunMetadata::descriptor(), kRun,
           &kRunMetadataFormat},
          {"OpLogProto", proto::OpLogProto::descriptor(), kLog, &kOpLogFormat},
          {"ProfileProto", proto::ProfileProto::descriptor(), kProfile,
           &kProfileProtoFormat}};
}

class MessageCheckTest : public ::testing::TestWithParam<Kind> {
 protected:
  MessageCheckTest() : check_(*GetParam().type) {
    // Silences the log of 40,000 rejections.
    google::protobuf::SetLogHandler(nullptr);
    Add(*GetParam().type->file());
    const Descriptor* type =
        pool_.FindMessageTypeByName(GetParam().type->full_name());
    message_.reset(factory_.GetPrototype(type)->New());
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(GetParam().text,
                                                              message_.get()));
    seed_ = message_->SerializeAsString();
  }

  // Adds the same file as proto2.
  void Add(const FileDescriptor& file) {
    if (pool_.FindFileByName(file.name()) != nullptr) return;
    for (int i = 0; i < file.dependency_count(); ++i) Add(*file.dependency(i));
    FileDescriptorProto proto;
    file.CopyTo(&proto);
    proto.set_syntax("proto2");
    ASSERT_NE(pool_.BuildFile(proto), nullptr);
  }

  bool LibraryAccepts(std::string_view bytes) {
    return message_->ParsePartialFromArray(bytes.data(),
                                           static_cast<int>(bytes.size()));
  }

  bool IsGood(std::string_view bytes) const {
    return check_.FirstDamage(bytes) == nullptr;
  }

  // Collects where fields begin, at any depth. Every length-delimited field
  // that parses as a message is treated as one.
  static void CollectFields(std::string_view all, std::string_view bytes,
                            std::vector<size_t>& fields) {
    std::vector<size_t> found;
    std::vector<std::string_view> inside;
    util::WireReader r(bytes);
    size_t begin = 0;
    while (r.Next()) {
      found.push_back(static_cast<size_t>(bytes.data() - all.data()) + begin);
      if (r.is_length() && r.view().size() > 1) inside.push_back(r.view());
      begin = r.good_bytes();
    }
    if (r.damaged()) return;
    fields.insert(fields.end(), found.begin(), found.end());
    for (const std::string_view part : inside) {
      CollectFields(all, part, fields);
    }
  }

  std::string Mutant(std::mt19937& random) const {
    std::string bytes = seed_;
    const auto below = [&](size_t n) { return random() % n; };
    for (size_t n = 1 + below(2); n > 0; --n) {
      const size_t field = fields_[below(fields_.size())] % bytes.size();
      switch (below(9)) {
        case 0:  // another wire type
          bytes[field] = static_cast<char>((bytes[field] & ~7) | below(8));
          break;
        case 1:  // another length, or number
          if (field + 1 < bytes.size()) bytes[field + 1] += below(2) ? 1 : -1;
          break;
        case 2:
          if (field + 1 < bytes.size()) {
            bytes[field + 1] = static_cast<char>(random());
          }
          break;
        case 3:  // cut off
          bytes.resize(field + below(3));
          break;
        case 4:  // bytes are missing
          bytes.erase(field, 1 + below(3));
          break;
        case 5: {  // a tag in more bytes than needed
          const std::string longer(1 + below(10), '\x80');
          bytes[field] = static_cast<char>(bytes[field] | 0x80);
          bytes.insert(field + 1, longer);
          bytes.insert(field + 1 + longer.size(), 1, '\0');
          break;
        }
        case 6:  // a group, or half of one
          bytes.insert(field, below(2) ? "\x0b\x08\x01\x0c" : "\x0b");
          break;
        case 7:  // field number 0, or an unknown one
          bytes[field] = static_cast<char>(below(128));
          break;
        default:
          bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
          break;
      }
      if (bytes.empty()) bytes = seed_;
    }
    return bytes;
  }

  // Returns whether the load fails or logs damage.
  bool LoadMentionsDamage(const std::string& bytes) const {
    const loaders::Format& format = *GetParam().format;
    const std::vector<loaders::FormatFile> files = {
        {"input", loaders::InputFile::FromBytes("input", bytes), 0}};
    loaders::LoadContext context;
    context.builder.SetTicksPerMicro(format.ticks_per_micro);
    context.builder.SetRules(format.rules());
    if (!format.load(files, context).ok()) return true;
    loaders::CheckStructure(format, *files[0].file, nullptr, context.log);
    return context.log.damaged();
  }

  // A RunMetadata that lost its first bytes may still be a valid StepStats,
  // which is loaded as such.
  static bool IsStepStats(const std::string& bytes) {
    proto::StepStats message;
    return GetParam().format == &kRunMetadataFormat &&
           message.ParsePartialFromString(bytes) &&
           message.dev_stats_size() > 0 &&
           message.dev_stats(0).device().starts_with('/');
  }

  const loaders::MessageCheck check_;
  DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
  std::unique_ptr<google::protobuf::Message> message_;
  std::string seed_;
  std::vector<size_t> fields_;
};

TEST_P(MessageCheckTest, AMessageIsGood) {
  EXPECT_TRUE(IsGood(seed_));
  EXPECT_TRUE(IsGood(""));
}

TEST_P(MessageCheckTest, CutOffAnywhereAsTheLibrarySays) {
  for (size_t n = 0; n < seed_.size(); ++n) {
    const std::string_view part = std::string_view(seed_).substr(0, n);
    EXPECT_EQ(IsGood(part), LibraryAccepts(part)) << n;
  }
}

// $TFPROF_MUTANTS sets more mutants, for a longer run.
int Mutants() {
  const char* more = getenv("TFPROF_MUTANTS");
  return more == nullptr ? 20000 : std::max(20000, atoi(more));
}

TEST_P(MessageCheckTest, MutantsAsTheLibrarySays) {
  CollectFields(seed_, seed_, fields_);
  std::mt19937 random(1);
  int refused = 0, silent = 0;
  for (int i = 0; i < Mutants(); ++i) {
    const std::string mutant = Mutant(random);
    const bool accepts = LibraryAccepts(mutant);
    ASSERT_EQ(IsGood(mutant), accepts)
        << i << ": " << testing::PrintToString(mutant);
    refused += !accepts;
    if (!accepts && i % 4 == 0) {
      silent += !LoadMentionsDamage(mutant) && !IsStepStats(mutant);
    }
  }
  fmt::print("{}: {} of {} mutants refused, {} of them silent\n",
             GetParam().name, refused, Mutants(), silent);
  EXPECT_GT(refused, Mutants() / 10);
  EXPECT_LT(refused, Mutants() / 20 * 19);
  EXPECT_EQ(silent, 0);
}

// Nests a message in a message in a message.
TEST_P(MessageCheckTest, DepthIsThatOfTheLibrary) {
  if (GetParam().name != "GraphDef") return;
  const auto wrap = [](uint8_t tag, const std::string& bytes) {
    std::string field(1, static_cast<char>(tag));
    size_t size = bytes.size();
    for (; size >= 0x80; size >>= 7) field += static_cast<char>(size | 0x80);
    return field + static_cast<char>(size) + bytes;
  };
  // AttrValue.func and NameAttrList.attr, whose value is an AttrValue.
  std::string value = "\x18\x01";
  int good = 0;
  for (int depth = 0; depth < 60; ++depth) {
    value = wrap(0x52, wrap(0x12, wrap(0x12, value)));
    // GraphDef.node, NodeDef.attr.
    const std::string graph = wrap(0x0a, wrap(0x2a, wrap(0x12, value)));
    EXPECT_EQ(IsGood(graph), LibraryAccepts(graph)) << depth;
    good += IsGood(graph);
  }
  EXPECT_GT(good, 10);
  EXPECT_LT(good, 60);
}

TEST_P(MessageCheckTest, SaysWhereTheDamageIs) {
  std::string bytes = seed_;
  bytes += '\x07';
  EXPECT_EQ(check_.FirstDamage(bytes), bytes.data() + seed_.size());
}

INSTANTIATE_TEST_SUITE_P(Messages, MessageCheckTest,
                         ::testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tfprof::tensorflow
