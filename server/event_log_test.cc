#include "server/event_log.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EventLogTest, GivesWhatCameAfter) {
  EventLog log;
  log.Publish("opened", "{}");
  uint64_t id = log.last();
  EXPECT_EQ(log.After(id), "");
  log.Publish("reloaded", "{\"a\":1}");
  EXPECT_EQ(log.After(id), "id: 2\nevent: reloaded\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(id, 2u);
  EXPECT_EQ(log.After(id), "");
}

TEST(EventLogTest, SaysThatEventsAreLost) {
  EventLog log;
  for (size_t i = 0; i < EventLog::kKept + 5; ++i) log.Publish("x", "{}");
  uint64_t id = 2;
  EXPECT_THAT(log.After(id), HasSubstr("event: lost\n"));
  id = 5;  // the next one is the first that is kept
  EXPECT_THAT(log.After(id), Not(HasSubstr("event: lost\n")));
}

TEST(EventLogTest, ANumberOfAnotherRunIsLost) {
  EventLog log;
  log.Publish("x", "{}");
  uint64_t id = 77;
  EXPECT_THAT(log.After(id), HasSubstr("event: lost\n"));
  EXPECT_EQ(id, 1u);
}

TEST(EventLogTest, CallsWhoeverWaits) {
  EventLog log;
  int calls = 0;
  log.OnPublish([&] { ++calls; });
  log.Publish("x", "{}");
  log.OnPublish({});
  log.Publish("x", "{}");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tfprof::server
