#include "record/tensorflow/step_ids.h"

#include <gtest/gtest.h>

#include "record/sink.h"

namespace tfprof::record {
namespace {
namespace step_ids_test {

struct Params {
  int64_t step;
};
struct Context {
  const void* words[8] = {};
};

// The learned state belongs to the process, so the cases are steps of one test.
TEST(StepIdsTest, AreBelievedAfterTheyWereConfirmed) {
  Params params{5}, other{6};
  Context context;
  // The first context has the address in two words by chance.
  context.words[1] = &params;
  context.words[3] = &params;
  LearnContext(&context, &params);
  ExpectStep(5);
  EXPECT_EQ(StepOf(&context), kNoStep);

  Context second;
  second.words[1] = &params;
  second.words[3] = &other;
  LearnContext(&second, &other);
  // The place is known, but the first id that agrees is a small number.
  EXPECT_EQ(StepOf(&context), kNoStep);
  EXPECT_FALSE(AreStepIdsKnown());
  ExpectStep(6);
  EXPECT_EQ(StepOf(&context), kNoStep);
  EXPECT_EQ(StepOf(&second), 6);
  EXPECT_TRUE(AreStepIdsKnown());
  EXPECT_EQ(StepOf(&context), 5);
}

}  // namespace step_ids_test
}  // namespace
}  // namespace tfprof::record
