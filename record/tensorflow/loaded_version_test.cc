#include "record/tensorflow/loaded_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "record/tensorflow/hook_testing.h"
#include "record/tensorflow/step_ids.h"

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Notes(const std::function<void(FakeLibrary&)>& run) {
  return EventsOfProcess(run, /*with_notes=*/true);
}

TEST(LoadedVersionTest, OpsWithoutNamesAreSaidOnce) {
  EXPECT_THAT(Notes([](FakeLibrary&) {
                NoteOp(/*has_facts=*/false);
                NoteOp(true);
                NoteEnd();
              }),
              ElementsAre("note source=tensorflow text=TensorFlow 9.87: it "
                          "does not give the names of ops (there is no "
                          "OpKernel::TraceString), so no op is recorded"));
}

TEST(LoadedVersionTest, TheEndSaysThatNoOpRan) {
  EXPECT_THAT(Notes([](FakeLibrary&) { NoteEnd(); }),
              ElementsAre("note source=tensorflow text=TensorFlow 9.87: no op "
                          "ran, or this version runs ops through unknown "
                          "functions; no op is recorded"));
}

TEST(LoadedVersionTest, TheEndSaysThatStepIdsWereNotFound) {
  EXPECT_THAT(
      Notes([](FakeLibrary&) {
        NoteOp(true);
        NoteEnd();
      }),
      ElementsAre(
          "note source=tensorflow text=TensorFlow 9.87: ops are recorded",
          "note source=tensorflow text=TensorFlow 9.87: the step ids of ops "
          "were not found; ops belong to the step that was open"));
}

TEST(LoadedVersionTest, AnEndWithKnownStepIdsSaysNothing) {
  EXPECT_THAT(
      Notes([](FakeLibrary&) {
        NoteOp(true);
        int64_t params = int64_t{-7} << 40;  // one random id is enough
        const void* context[8] = {nullptr, &params};
        LearnContext(context, &params);
        LearnContext(context, &params);
        ExpectStep(params);
        EXPECT_EQ(StepOf(context), params);
        NoteEnd();
      }),
      ElementsAre(
          "note source=tensorflow text=TensorFlow 9.87: ops are recorded"));
}

}  // namespace
}  // namespace tfprof::record
