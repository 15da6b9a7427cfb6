#include "record/tensorflow/step_ids.h"

#include <gtest/gtest.h>

#include "record/sink.h"

namespace tfprof::record {
namespace {

struct Params {
  int64_t step;
};
struct Context {
  const void* words[8] = {};
};

// What has been learnt belongs to the process, so this is one story.
TEST(StepIdsTest, AreBelievedAfterTheyWereConfirmed) {
  Params params{5}, other{6};
  Context context;
  // Two words have the address by chance, the first time.
  context.words[1] = &params;
  context.words[3] = &params;
  LearnContext(&context, &params);
  ExpectStep(5);
  EXPECT_EQ(StepOf(&context), kNoStep);

  Context second;
  second.words[1] = &params;
  second.words[3] = &other;
  LearnContext(&second, &other);
  // Known where; the first id that agrees is a small number.
  EXPECT_EQ(StepOf(&context), kNoStep);
  EXPECT_FALSE(AreStepIdsKnown());
  ExpectStep(6);
  EXPECT_EQ(StepOf(&context), kNoStep);
  EXPECT_EQ(StepOf(&second), 6);
  EXPECT_TRUE(AreStepIdsKnown());
  EXPECT_EQ(StepOf(&context), 5);
}

}  // namespace
}  // namespace tfprof::record
