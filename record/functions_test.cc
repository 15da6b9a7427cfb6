// The functions that a program finds in the recorder, through the table that
// it gets; sink_test.cc has what they record.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "record/recording_testing.h"
#include "record/sink.h"
#include "record/tfprof_record.h"

extern "C" const tfprof_record_functions* tfprof_record_get_functions(
    uint32_t version);

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const tfprof_record_functions& Functions() {
  return *tfprof_record_get_functions(TFPROF_RECORD_VERSION);
}

TEST(FunctionsTest, OtherVersionsHaveNoTable) {
  ASSERT_NE(tfprof_record_get_functions(TFPROF_RECORD_VERSION), nullptr);
  EXPECT_EQ(Functions().version, uint32_t{TFPROF_RECORD_VERSION});
  EXPECT_EQ(Functions().size, sizeof(tfprof_record_functions));
  EXPECT_EQ(tfprof_record_get_functions(0), nullptr);
  EXPECT_EQ(tfprof_record_get_functions(TFPROF_RECORD_VERSION + 1), nullptr);
}

TEST(FunctionsTest, EachOneRecordsItsEvent) {
  const Recording recording;
  const tfprof_record_functions& f = Functions();
  EXPECT_EQ(f.is_recording(), 1);
  f.op_begin("a", "Add", "/device:CPU:0", 7);
  f.op_end();
  f.range_begin("range");
  f.range_end();
  f.call_begin("clFinish", 11);
  f.call_end();
  f.step_begin(3, "train");
  f.step_end(3);
  f.async_begin(5, "recv", "Recv", "d", -1);
  f.async_end(5);
  f.counter("queue", "items", 2.5);
  f.allocate("cpu", 16, 64);
  f.release("cpu", 16, 64);
  f.clock_pair("gpu:0", 1, 2, 3);
  f.thread_name("worker");
  f.queue_name("gpu:0", 9, "copies");
  EXPECT_THAT(
      recording.Events(),
      ElementsAre("op_begin depth=0 step=7 name=a type=Add "
                  "device=/device:CPU:0",
                  "op_end depth=0", "range_begin depth=0 name=range",
                  "range_end depth=0",
                  "call_begin depth=0 correlation=11 domain= name=clFinish",
                  "call_end depth=0", "step_begin step=3 name=train",
                  "step_end step=3",
                  "async_begin id=5 step=-1 name=recv type=Recv device=d",
                  "async_end id=5", "counter value=2.5 name=queue unit=items",
                  "allocate address=16 bytes=64 allocator=cpu",
                  "release address=16 bytes=64 allocator=cpu",
                  "clock_pair host_before=1 device_time=2 host_after=3 "
                  "device=gpu:0",
                  "thread_name name=worker",
                  "queue_name queue=9 device=gpu:0 name=copies"));
}

TEST(FunctionsTest, NullIsAnEmptyText) {
  const Recording recording;
  const tfprof_record_functions& f = Functions();
  f.op_begin(nullptr, nullptr, nullptr, 1);
  f.op_end();
  f.range_begin(nullptr);
  f.range_end();
  f.counter(nullptr, nullptr, 0);
  f.thread_name(nullptr);
  f.work(nullptr);
  EXPECT_THAT(recording.Events(),
              ElementsAre("op_begin depth=0 step=1 name= type= device=",
                          "op_end depth=0",
                          "range_begin depth=0 name=", "range_end depth=0",
                          "counter value=0 name= unit=", "thread_name name="));
}

TEST(FunctionsTest, WorkHasTheWordOfItsKind) {
  struct Case {
    uint8_t kind;
    std::string_view fields;
  };
  for (const Case& c : {Case{TFPROF_WORK_KERNEL, "work=0 clock=1"},
                        Case{TFPROF_WORK_COPY, "work=1 clock=1"},
                        Case{TFPROF_WORK_FILL, "work=2 clock=1"},
                        Case{TFPROF_WORK_OTHER, "work=3 clock=1"},
                        Case{200, "work=3 clock=1"}}) {
    const Recording recording;
    tfprof_work work = {};
    work.name = "gemm";
    work.kind = c.kind;
    work.clock = TFPROF_CLOCK_DEVICE;
    work.queue = 1;
    work.correlation = 3;
    work.bytes = 4;
    work.thread = 5;
    work.entry = 7;
    work.exit = 8;
    work.queued = 9;
    work.submitted = 10;
    work.start = 11;
    work.end = 12;
    Functions().work(&work);
    constexpr std::string_view kWords[] = {"kernel", "copy", "fill", "other"};
    ASSERT_THAT(recording.Events(), SizeIs(1));
    const std::string event = recording.Events()[0];
    EXPECT_THAT(event, HasSubstr(std::string(c.fields)));
    EXPECT_THAT(event,
                HasSubstr("launch_tid=5 correlation=3 context=0 queue=1 "
                          "bytes=4 entry=7 exit=8 queued=9 submit=10 start=11 "
                          "end=12 kind=" +
                          std::string(kWords[c.kind < 3 ? c.kind : 3]) +
                          " name=gemm device="));
  }
}

TEST(FunctionsTest, APauseIsOfTheWholeProcess) {
  const Recording recording;
  Functions().pause();
  EXPECT_EQ(Functions().is_recording(), 0);
  Functions().range_begin("hidden");
  Functions().range_end();
  Functions().resume();
  EXPECT_EQ(Functions().is_recording(), 1);
  EXPECT_THAT(recording.Processes(), IsEmpty());
}

TEST(FunctionsTest, IdsAndTimesGoOn) {
  const uint64_t id = Functions().new_id();
  EXPECT_NE(id, 0u);
  EXPECT_NE(Functions().new_id(), id);
  const uint64_t before = Functions().now();
  EXPECT_GT(before, 0u);
  EXPECT_GE(Functions().now(), before);
}

}  // namespace
}  // namespace tfprof::record
