#include "exporters/reference/client_timeline.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/run_metadata.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two ops without inputs, one that reads both, and its kernel.
constexpr char kSmall[] = R"pb(
  dev_stats {
    device: "/job:localhost/replica:0/task:0/device:CPU:0"
    node_stats {
      node_name: "a"
      all_start_micros: 1000
      all_end_rel_micros: 10
      timeline_label: "a = Const()"
      output {
        tensor_description {
          allocation_description { requested_bytes: 4 allocator_name: "cpu" }
        }
      }
    }
    node_stats {
      node_name: "b"
      all_start_micros: 1005
      all_end_rel_micros: 20
      timeline_label: "b = Const()"
      output {
        tensor_description {
          allocation_description { requested_bytes: 8 allocator_name: "cpu" }
        }
      }
    }
    node_stats {
      node_name: "c"
      all_start_micros: 1030
      all_end_rel_micros: 5
      timeline_label: "c = Add(a, b)"
      output {
        tensor_description {
          allocation_description { requested_bytes: 8 allocator_name: "cpu" }
        }
      }
    }
  }
  dev_stats {
    device: "/device:GPU:0/stream:all"
    node_stats {
      node_name: "c:Add"
      all_start_micros: 1031
      all_end_rel_micros: 30
      timeline_label: "kern regs:32"
    }
  })pb";

// The events of the trace, one per line.
std::string Events(std::string_view text, const ClientTimelineOptions& options,
                   std::vector<AllocatorMaximum>* maxima = nullptr) {
  proto::StepStats message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message));
  const std::string bytes = message.SerializeAsString();
  const std::string_view messages[] = {bytes};
  util::StringSink sink;
  const auto found = WriteClientTimeline(messages, options, sink);
  if (maxima != nullptr) *maxima = found;
  // An event begins at nesting level two, and its members are at level three.
  std::string events;
  std::string_view rest = sink.text();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    std::string_view line = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    const size_t blanks = line.find_first_not_of(' ');
    if (line.back() == '\n') line.remove_suffix(1);
    events += line.substr(blanks);
    if (blanks <= 8 && line.substr(blanks) != "{") events += '\n';
  }
  return events;
}

TEST(ClientTimelineTest, ProcessesLanesOpsAndArrows) {
  EXPECT_EQ(Events(kSmall, {}),
            R"({"traceEvents": [
{"name": "process_name","ph": "M","pid": 0,"args": {"name": "Allocators"}},
{"name": "process_name","ph": "M","pid": 1,"args": {"name": "/job:localhost/replica:0/task:0/device:CPU:0 Compute"}},
{"name": "process_name","ph": "M","pid": 2,"args": {"name": "/job:localhost/replica:0/task:0/device:CPU:0 Tensors"}},
{"name": "process_name","ph": "M","pid": 3,"args": {"name": "/device:GPU:0/stream:all Compute"}},
{"name": "process_name","ph": "M","pid": 4,"args": {"name": "/device:GPU:0/stream:all Tensors"}},
{"ph": "X","cat": "Op","name": "Const","pid": 1,"tid": 0,"ts": 1000,"dur": 10,"args": {"name": "a","op": "Const"}},
{"ph": "X","cat": "Op","name": "Const","pid": 1,"tid": 1,"ts": 1005,"dur": 20,"args": {"name": "b","op": "Const"}},
{"ph": "X","cat": "Op","name": "Add","pid": 1,"tid": 0,"ts": 1030,"dur": 5,"args": {"name": "c","op": "Add","input0": "a","input1": "b"}},
{"ph": "s","cat": "DataFlow","name": "b","pid": 1,"tid": 1,"ts": 1025,"id": 0},
{"ph": "t","cat": "DataFlow","name": "b","pid": 1,"tid": 0,"ts": 1030,"id": 0},
{"ph": "X","cat": "Op","name": "Add","pid": 3,"tid": 0,"ts": 1031,"dur": 30,"args": {"name": "c","op": "Add"}}
]
}
)");
}

TEST(ClientTimelineTest, NoArrowsWithoutDataflow) {
  EXPECT_THAT(Events(kSmall, {.show_dataflow = false}),
              Not(HasSubstr("DataFlow")));
}

TEST(ClientTimelineTest, MemoryOfOutputs) {
  std::vector<AllocatorMaximum> maxima;
  const std::string events = Events(kSmall, {.show_memory = true}, &maxima);
  EXPECT_THAT(
      events,
      AllOf(
          HasSubstr(R"({"ph": "N","cat": "Tensor","name": "b","pid": 2,)"
                    R"("tid": 1,"ts": 1005,"id": 1},)"),
          HasSubstr(R"("ts": 1024,"id": 1,"args": {"snapshot": )"
                    R"({"tensor_description": "allocation_description {\n)"
                    R"(  requested_bytes: 8\n  allocator_name: cpu\n}\n"}}},)"),
          HasSubstr(R"({"ph": "D","cat": "Tensor","name": "c","pid": 2,)"
                    R"("tid": 0,"ts": 1035,"id": 2},)")));
  std::string counters;
  for (const auto& [time, bytes] :
       {std::pair(1000, 4), std::pair(1005, 12), std::pair(1030, 20),
        std::pair(1034, 12), std::pair(1034, 8), std::pair(1035, 0)}) {
    counters +=
        R"({"ph": "C","cat": "Memory","name": "cpu","pid": 0,"tid": 0,"ts": )" +
        std::to_string(time) + R"(,"args": {"cpu": )" + std::to_string(bytes) +
        "}},\n";
  }
  counters.erase(counters.size() - 2, 1);
  EXPECT_THAT(events, HasSubstr(counters));
  ASSERT_EQ(maxima.size(), 1u);
  EXPECT_EQ(maxima[0].allocator, "cpu");
  EXPECT_EQ(maxima[0].micros, 1030);
  EXPECT_EQ(maxima[0].bytes, 20);
  EXPECT_THAT(maxima[0].tensors, ElementsAre("a", "b", "c"));
}

TEST(ClientTimelineTest, AnOpLastsAsLongAsItsKernels) {
  EXPECT_THAT(Events(kSmall, {.op_time = OpTime::kAll}),
              HasSubstr(R"("ts": 1030,"dur": 31,)"));
  EXPECT_THAT(Events(kSmall, {.op_time = OpTime::kGpu}),
              HasSubstr(R"("ts": 1031,"dur": 30,"args": {"name": "c","op": )"
                        R"("Add","input0")"));
}

// A device of the host with the given records.
std::string OnCpu(const std::string& records) {
  return "dev_stats { device: '/device:CPU:0' " + records + " }";
}

TEST(ClientTimelineTest, LabelsThatDoNotParseAreUnknown) {
  const std::string events = Events(
      OnCpu("node_stats { node_name: 'x' timeline_label: 'n=Op(y)' } "
            "node_stats { node_name: 'RecvTensor' timeline_label: '[4B] e' } "
            "node_stats { node_name: 'z' "
            "timeline_label: 'a = b = Foo(x)(y, )' }"),
      {});
  EXPECT_THAT(
      events,
      AllOf(HasSubstr(R"("name": "x","op": "unknown"}})"),
            HasSubstr(R"("op": "RecvTensor"}})"),
            HasSubstr(R"-("op": "Foo(x)","input0": "y","input1": ""}})-")));
}

TEST(ClientTimelineTest, AReceiveReadsTheTensorThatWasSent) {
  const std::string events = Events(
      OnCpu("node_stats { node_name: 'w' all_start_micros: 5 output {} } "
            "node_stats { node_name: 'r' all_start_micros: 5 "
            "timeline_label: 'r = _Recv(w/_3)' }"),
      {});
  EXPECT_THAT(events, HasSubstr(R"("cat": "DataFlow","name": "w")"));
}

TEST(ClientTimelineTest, KernelsHaveTheNameInTheirLabel) {
  const std::string events = Events(
      "dev_stats { device: '/device:GPU:0/memcpy' node_stats { "
      "node_name: 'k' timeline_label: 'm@@conv:Conv2D#id=1#' } }",
      {});
  EXPECT_THAT(events, HasSubstr(R"("name": "conv","op": "Conv2D"}})"));
}

TEST(ClientTimelineTest, ManyOverlappingOpsHaveALaneEach) {
  constexpr int kOps = 1000;
  std::string text = "dev_stats { device: 'd' ";
  for (int i = 0; i < kOps; ++i) {
    text +=
        "node_stats { node_name: 'n' all_start_micros: 9 "
        "all_end_rel_micros: 5 } ";
  }
  // All lanes are free again; the first one is used.
  text += "node_stats { node_name: 'last' all_start_micros: 99 } }";
  const std::string events = Events(text, {});
  EXPECT_THAT(events, HasSubstr(R"("tid": 999,)"));
  EXPECT_THAT(events, Not(HasSubstr(R"("tid": 1000,)")));
  EXPECT_THAT(events, HasSubstr(R"("tid": 0,"ts": 99,)"));
}

TEST(ClientTimelineTest, NothingButTheAllocators) {
  std::vector<AllocatorMaximum> maxima;
  EXPECT_THAT(Events("", {.show_memory = true}, &maxima),
              HasSubstr("Allocators"));
  EXPECT_THAT(maxima, IsEmpty());
}

TEST(ClientTimelineTest, DamageEndsTheMessageThatItIsIn) {
  const std::string_view messages[] = {
      "\x0a\x03\x0a\x01"
      "d\x12"};
  util::StringSink sink;
  WriteClientTimeline(messages, {}, sink);
  EXPECT_THAT(sink.text(), HasSubstr("d Compute"));
}

}  // namespace
}  // namespace tfprof::exporters
