// Tests of the hooks in run_hooks.cc, and of the step ids that ops get from
// them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "record/sink.h"
#include "record/tensorflow/hook_testing.h"

using tfprof::record::StdFunction;
using tfprof::record::Word;

extern "C" {
Word RunInternal(Word, Word, Word, Word, Word, Word, Word, Word) __asm__(
    "_ZN10tensorflow13DirectSession11RunInternalElRKNS_10RunOptionsE"
    "PNS_18CallFrameInterfaceEPNS0_16ExecutorsAndKeysE"
    "PNS_11RunMetadataERKN3tsl6thread17ThreadPoolOptionsE");
Word CallFunction(Word, Word, Word, Word, Word, Word, Word, Word, Word) __asm__(
    "_ZN10tensorflow19KernelAndDeviceFunc3RunE"
    "PNS_19ScopedStepContainerERKNS_15EagerKernelArgsE"
    "PSt6vectorISt7variantIJNS_6TensorENS_11TensorShapeEEESaISA_EE"
    "PN3tsl19CancellationManagerE"
    "RKSt8optionalINS_19EagerFunctionParamsEE"
    "RKSH_INS_17ManagedStackTraceEEPNSE_24CoordinationServiceAgentE");
Word RunSync(Word, Word, Word, Word, Word, Word, Word) __asm__(
    "_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncE"
    "RKNS_22FunctionLibraryRuntime7OptionsEmN4absl12lts_20230125"
    "4SpanIKNS_6TensorEEEPSt6vectorIS8_SaIS8_EE");
void RunGraph(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, StdFunction* done) __asm__(
    "_ZN10tensorflow8GraphMgr12ExecuteAsyncE"
    "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEl"
    "RKNS_12ExecutorOptsERKSt3mapIS6_NS_6TensorESt4lessIS6_E"
    "SaISt4pairIS7_SD_EEEPNS_13WorkerSessionEPNS_18StepStatsCollectorE"
    "PNS_30MutableRunGraphResponseWrapperEPN3tsl19CancellationManagerE"
    "PNSS_24CoordinationServiceAgentE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
void Compute(void* device, void* kernel, void* context) __asm__(
    "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelE"
    "PNS_15OpKernelContextE");
void MakeContext(void* context, void* params) __asm__(
    "_ZN10tensorflow15OpKernelContextC1EPNS0_6ParamsE");
}

namespace tfprof::record {
namespace {
namespace run_hooks_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

// Larger than any count of runs, as addresses are.
constexpr Word kAddress = Word{0x7f00} << 32;

// The status is written through the first word, as in all builds so far.
void RunStep(FakeLibrary& library, Word step) {
  library.result = kAddress;
  RunInternal(kAddress, kAddress + 1, step, 4, 5, 6, 7, 8);
}

TEST(RunHooksTest, ARunIsAStepAndGetsAllWords) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.result = 77;
                EXPECT_EQ(RunInternal(1, 2, 3, 4, 5, 6, 7, 8), 77u);
                EXPECT_THAT(library.words, ElementsAreArray({1, 2, 3, 4, 5, 6,
                                                             7, 8, 0, 0, 0}));
              }),
              ElementsAre("step_begin step=3 name=session", "step_end step=3"));
}

// Until a call has shown where the status is, a word that may be an address is
// not used as a step id.
TEST(RunHooksTest, AnAddressIsNoStepUntilTheStatusWasSeen) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                RunStep(library, kAddress + 2);
                RunStep(library, kAddress + 3);
              }),
              ElementsAre("step_begin step=" + std::to_string(kAddress + 3) +
                              " name=session",
                          "step_end step=" + std::to_string(kAddress + 3)));
}

// If a build returns the status in a register, all arguments are one word
// earlier, and none is read.
TEST(RunHooksTest, WithTheStatusInARegisterNoArgumentIsRead) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                library.function = "__inference_f_1";
                library.result = 0;
                RunInternal(kAddress, 1, kAddress + 2, 4, 5, 6, 7, 0);
                RunInternal(kAddress, 2, kAddress + 2, 4, 5, 6, 7, 0);
                library.during = [] {
                  TheLibrary().during = nullptr;
                  RunSync(1, 2, 3, 4, 5, 6, 7);
                };
                CallFunction(1, 2, 3, 4, 5, 6, 7, 8, 9);
                EXPECT_EQ(library.num_asked, 0);
                EXPECT_EQ(library.num_calls, 3 + 1);
              }),
              IsEmpty());
}

// The options that RunSync() gets begin with the step id.
int64_t options[2];

void CallAFunction(FakeLibrary& library, std::string_view name, int64_t step) {
  options[0] = step;
  library.function = name;
  library.during = [] {
    FakeLibrary& inner = TheLibrary();
    inner.during = [] {
      RangeBegin("body");
      RangeEnd();
    };
    RunSync(1, 2, reinterpret_cast<Word>(options), 4, 5, 6, 7);
  };
  library.result = 1;
  CallFunction(1, 2, 3, 4, 5, 6, 7, 8, 9);
  library.during = nullptr;
}

TEST(RunHooksTest, ACallOfAFunctionIsAStepOfItsName) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                RunStep(library, 1);
                CallAFunction(library, "__inference_train_12", -7);
              }),
              ElementsAre("step_begin step=1 name=session", "step_end step=1",
                          "step_begin step=-7 name=__inference_train_12",
                          "range_begin depth=0 name=body", "range_end depth=0",
                          "step_end step=-7"));
}

TEST(RunHooksTest, AnEagerOpIsNoStep) {
  EXPECT_THAT(
      EventsOfProcess([](FakeLibrary& library) {
        RunStep(library, 1);
        CallAFunction(library, "__wrapped__Add_device_CPU", -7);
        // The same holds for a function that nobody has asked the thread to
        // call.
        RunSync(1, 2, reinterpret_cast<Word>(options), 4, 5, 6, 7);
      }),
      ElementsAre("step_begin step=1 name=session", "step_end step=1",
                  "range_begin depth=0 name=body", "range_end depth=0"));
}

TEST(RunHooksTest, APartOfADistributedRunEndsWithItsCallback) {
  EXPECT_THAT(
      EventsOfProcess([](FakeLibrary& library) {
        int calls = 0;
        std::function<void(const int&)> done = [&](const int& status) {
          calls += status;
        };
        RunGraph(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, Layout(done));
        EXPECT_THAT(
            library.words,
            ElementsAreArray({Word{1}, Word{2}, Word{3}, Word{4}, Word{5},
                              Word{6}, Word{7}, Word{8}, Word{9}, Word{10},
                              reinterpret_cast<Word>(&done)}));
        RangeBegin("between");
        done(5);
        EXPECT_EQ(calls, 5);
      }),
      ElementsAre("step_begin step=3 name=RunGraph",
                  "range_begin depth=0 name=between", "step_end step=3"));
}

TEST(RunHooksTest, DuringAPauseNothingIsAStep) {
  EXPECT_THAT(EventsOfProcess([](FakeLibrary& library) {
                Pause();
                RunStep(library, 1);
                CallAFunction(library, "__inference_f_1", -7);
                std::function<void(const int&)> done = [](const int&) {};
                RunGraph(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, Layout(done));
                done(0);
                EXPECT_EQ(library.num_calls, 4);
              }),
              IsEmpty());
}

struct Params {
  int64_t step;
};
struct Context {
  const void* words[8] = {};
};

// The constructor shows where a context keeps its parameters. Step ids are used
// once two runs have had ids that agree.
TEST(RunHooksTest, OpsGetTheStepOfTheirContext) {
  const std::vector<std::string> events =
      EventsOfProcess([](FakeLibrary& library) {
        library.kernel = "a:Op";
        static Params params;
        static Context context;
        context.words[2] = &params;
        MakeContext(&context, &params);
        MakeContext(&context, &params);
        EXPECT_EQ(library.words[1], reinterpret_cast<Word>(&params));
        for (const int64_t step : {4, 5, 6}) {
          params.step = step;
          library.result = kAddress;
          library.during = [] {
            TheLibrary().during = nullptr;
            Compute(At(1), At(0x10), &context);
          };
          RunInternal(kAddress, 2, static_cast<Word>(step), 4, 5, 6, 7, 8);
        }
      });
  EXPECT_THAT(
      events,
      ElementsAre(
          "step_begin step=4 name=session",
          "op_begin depth=0 step=-1 name=a type=Op device=", "op_end depth=0",
          "step_end step=4", "step_begin step=5 name=session",
          "op_begin depth=0 step=5 name=a type=Op device=", "op_end depth=0",
          "step_end step=5", "step_begin step=6 name=session",
          "op_begin depth=0 step=6 name=a type=Op device=", "op_end depth=0",
          "step_end step=6"));
}

// With another layout of the context, its words are never used as step ids.
TEST(RunHooksTest, OpsOfAnotherLayoutHaveNoStep) {
  const std::vector<std::string> events =
      EventsOfProcess([](FakeLibrary& library) {
        library.kernel = "a:Op";
        static Params params = {12345};
        static Context context;
        context.words[2] = &params;
        for (int i = 0; i < 3; ++i) MakeContext(&context, &params);
        for (const Word step : {4, 5, 6}) {
          RunStep(library, step);
          Compute(At(1), At(0x10), &context);
        }
      });
  int ops = 0;
  for (const std::string& event : events) {
    if (!event.starts_with("op_begin")) continue;
    EXPECT_EQ(event, "op_begin depth=0 step=-1 name=a type=Op device=");
    ++ops;
  }
  EXPECT_EQ(ops, 3);
}

}  // namespace run_hooks_test
}  // namespace
}  // namespace tfprof::record
