#include "loaders/ctf/events/transfers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

constexpr profile::StringId kKey = 7, kOther = 8;

TEST(TransferCollector, RequestsOfAKeyAreAnsweredInOrder) {
  Transfers transfers;
  TransferCollector collector(transfers);
  collector.Add(EventRole::kRequestBegin, kKey, 0, 100, Request::kNoStep);
  collector.Add(EventRole::kRequestBegin, kKey, 0, 200, Request::kNoStep);
  collector.Add(EventRole::kRequestSeen, kKey, 1, 150, 31);
  collector.Add(EventRole::kRequestBegin, kOther, 0, 210, Request::kNoStep);
  collector.Add(EventRole::kRequestSeen, kKey, 1, 190, 32);
  collector.Add(EventRole::kRequestEnd, kKey, 0, 300, Request::kNoStep);
  ASSERT_EQ(transfers.requests.size(), 3u);
  const Request& first = transfers.requests[0];
  EXPECT_EQ(first.client_begin, 100);
  EXPECT_EQ(first.client_end, 300);
  EXPECT_EQ(first.server_seen, 150);
  EXPECT_EQ(first.step, 31);
  EXPECT_TRUE(first.answered());
  EXPECT_FALSE(first.violates_causality());
  const Request& second = transfers.requests[1];
  EXPECT_EQ(second.number, 1u);
  EXPECT_FALSE(second.answered());
  EXPECT_TRUE(second.violates_causality()) << "seen at 190, sent at 200";
  EXPECT_EQ(transfers.requests[2].number, 0u);
}

TEST(TransferCollector, OneSideOfARequestAtOnce) {
  Transfers transfers;
  TransferCollector collector(transfers);
  collector.AddSide(kKey, 1, /*is_server=*/true, 20, 40);
  collector.AddSide(kKey, 0, /*is_server=*/false, 10, 30);
  ASSERT_EQ(transfers.requests.size(), 1u);
  EXPECT_EQ(transfers.requests[0].seen(), 20);
  EXPECT_EQ(transfers.requests[0].client_begin, 10);
  EXPECT_TRUE(transfers.requests[0].violates_causality())
      << "the answer is made at 40 and came at 30";
}

TEST(TransferCollector, WhoWaitedAtARendezvous) {
  Transfers transfers;
  TransferCollector collector(transfers);
  collector.AddLocal(/*is_send=*/false, 0, kKey, 10);
  collector.AddLocal(/*is_send=*/false, 0, kKey, 12);
  collector.AddLocal(/*is_send=*/true, 0, kKey, 15);  // awaited since 10
  collector.AddLocal(/*is_send=*/true, 0, kOther, 20);
  collector.AddLocal(/*is_send=*/true, 1, kKey, 21);  // from another process
  collector.AddLocal(/*is_send=*/false, 0, kOther, 27);
  const LocalTransfers& local = transfers.local;
  EXPECT_EQ(local.sends, 3);
  EXPECT_EQ(local.receives, 3);
  EXPECT_EQ(local.matched, 2);
  EXPECT_EQ(local.receive_first, 1);
  EXPECT_EQ(local.receive_wait_ns, 5);
  EXPECT_EQ(local.send_wait_ns, 7);
}

}  // namespace
}  // namespace tfprof::ctf
