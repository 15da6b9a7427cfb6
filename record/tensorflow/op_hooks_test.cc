// Tests of the hooks in op_hooks.cc, which are called as TensorFlow calls them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/sink.h"
#include "record/tensorflow/hook_testing.h"

extern "C" {
void Compute(void* device, void* kernel, void* context) __asm__(
    "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelE"
    "PNS_15OpKernelContextE");
void ComputeAsync(void* device, void* kernel, void* context, tfprof::record::StdFunction* done) __asm__(
    "_ZN10tensorflow16ThreadPoolDevice12ComputeAsyncEPNS_13AsyncOpKernelE"
    "PNS_15OpKernelContextESt8functionIFvvEE");
void DestroyKernel(void* kernel) __asm__("_ZN10tensorflow8OpKernelD2Ev");
}

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kBegin[] =
    "op_begin depth=0 step=-1 name=net/a type=MatMul device=/device:CPU:0";

void Name(FakeLibrary& library) {
  library.kernel = "net/a:MatMul";
  library.device = "/device:CPU:0";
}

TEST(OpHooksTest, AnOpIsRecordedAroundItsCall) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                Name(library);
                library.during = [] {
                  RangeBegin("within");
                  RangeEnd();
                };
                Compute(At(1), At(0x10), At(3));
                EXPECT_EQ(library.num_calls, 1);
                EXPECT_EQ(library.words[0], 1u);
                EXPECT_EQ(library.words[1], 0x10u);
                EXPECT_EQ(library.words[2], 3u);
              }),
              ElementsAre(kBegin, "range_begin depth=0 name=within",
                          "range_end depth=0", "op_end depth=0"));
}

TEST(OpHooksTest, DuringAPauseCallsArePassedOnAndNothingIsAsked) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                Name(library);
                Pause();
                Compute(At(1), At(0x10), At(3));
                int calls = 0;
                std::function<void()> done = [&calls] { ++calls; };
                ComputeAsync(At(1), At(0x10), At(3), Layout(done));
                done();
                EXPECT_EQ(library.num_calls, 2);
                EXPECT_EQ(library.num_asked, 0);
                EXPECT_EQ(calls, 1);
              }),
              IsEmpty());
}

TEST(OpHooksTest, AnAsynchronousOpEndsWhenItsCallbackIsCalled) {
  const std::vector<std::string> events =
      EventsOfProcess([](FakeLibrary& library) {
        Name(library);
        int calls = 0;
        std::function<void()> done = [&calls] { ++calls; };
        ComputeAsync(At(1), At(0x10), At(3), Layout(done));
        EXPECT_EQ(library.words[3], reinterpret_cast<Word>(&done));
        RangeBegin("between");
        done();
        done();  // a second call is no second end
        EXPECT_EQ(calls, 2);
      });
  EXPECT_THAT(events, ElementsAre("async_begin id=1 step=-1 name=net/a "
                                  "type=MatMul device=/device:CPU:0",
                                  "range_begin depth=0 name=between",
                                  "async_end id=1"));
}

TEST(OpHooksTest, ACallbackThatIsNeverCalledIsDestroyed) {
  const std::vector<std::string> events =
      EventsOfProcess([](FakeLibrary& library) {
        Name(library);
        const auto owned = std::make_shared<int>(1);
        {
          std::function<void()> done = [owned] {};
          ComputeAsync(At(1), At(0x10), At(3), Layout(done));
          EXPECT_EQ(owned.use_count(), 2);
        }
        EXPECT_EQ(owned.use_count(), 1);
      });
  EXPECT_THAT(events, ElementsAre("async_begin id=1 step=-1 name=net/a "
                                  "type=MatMul device=/device:CPU:0"));
}

TEST(OpHooksTest, AKernelAtTheAddressOfADestroyedOneIsAnother) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                Name(library);
                Compute(At(1), At(0x10), At(3));
                library.kernel = "net/b:Add";
                Compute(At(1), At(0x10), At(3));
                DestroyKernel(At(0x10));
                EXPECT_EQ(library.words[0], 0x10u);
                Compute(At(1), At(0x10), At(3));
              }),
              ElementsAre(kBegin, "op_end depth=0", kBegin, "op_end depth=0",
                          "op_begin depth=0 step=-1 name=net/b type=Add "
                          "device=/device:CPU:0",
                          "op_end depth=0"));
}

TEST(OpHooksTest, TheFirstOpSaysWhichTensorFlowItIs) {
  const std::vector<std::string> events = EventsOfProcess(
      [](FakeLibrary& library) {
        Name(library);
        for (int i = 0; i < 2; ++i) Compute(At(1), At(0x10), At(3));
      },
      /*with_notes=*/true);
  EXPECT_THAT(
      events,
      ElementsAre(
          "note source=tensorflow text=TensorFlow 9.87: ops are recorded",
          kBegin, "op_end depth=0", kBegin, "op_end depth=0"));
}

}  // namespace
}  // namespace tfprof::record
