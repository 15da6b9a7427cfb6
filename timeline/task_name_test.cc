#include "timeline/task_name.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(TaskNameTest, TheJobOfATask) {
  EXPECT_EQ(JobOfTask("/job:worker/replica:0/task:1"), "worker");
  EXPECT_EQ(JobOfTask("/job:ps"), "ps");
}

TEST(TaskNameTest, ATaskWithoutAJob) {
  EXPECT_EQ(JobOfTask(""), "");
  EXPECT_EQ(JobOfTask("/job:"), "");
  EXPECT_EQ(JobOfTask("/replica:0/job:w"), "");
  EXPECT_EQ(JobOfTask("job:w"), "");
}

}  // namespace
}  // namespace tfprof
