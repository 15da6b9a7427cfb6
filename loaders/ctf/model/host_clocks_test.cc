#include "loaders/ctf/model/host_clocks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {
namespace host_clocks_test {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Makes two processes on two hosts.
TraceFacts TwoHosts() {
  TraceFacts facts;
  facts.processes.resize(2);
  facts.processes[0].host = facts.names.Intern("a");
  facts.processes[1].host = facts.names.Intern("b");
  return facts;
}

// Makes a request with an answer; each time is on the clock of its host.
Request Answered(uint32_t client, uint32_t server, int64_t begin, int64_t seen,
                 int64_t prepared, int64_t end) {
  Request request;
  request.client = client;
  request.server = server;
  request.client_begin = begin;
  request.server_seen = seen;
  request.prepare_end = prepared;
  request.client_end = end;
  return request;
}

TEST(HostClocks, RequestsOfBothHostsBoundTheirLead) {
  TraceFacts facts = TwoHosts();
  // B is 500 ahead; each way takes 10.
  facts.transfers.requests = {Answered(0, 1, 100, 610, 620, 130),
                              Answered(1, 0, 900, 410, 420, 930)};
  const auto clocks = CompareHosts(facts);
  ASSERT_THAT(clocks, SizeIs(1));
  EXPECT_EQ(clocks[0].host, facts.processes[1].host);
  EXPECT_EQ(clocks[0].reference, facts.processes[0].host);
  EXPECT_EQ(clocks[0].requests, 2u);
  EXPECT_EQ(clocks[0].bounds.low, 490);
  EXPECT_EQ(clocks[0].bounds.high, 510);
  // One has its answer at 130, sent at 620; one is seen at 410, sent at 900.
  EXPECT_EQ(clocks[0].violations, 2u);
}

TEST(HostClocks, RequestsThatDoNotTellAllTimesAreLeftOut) {
  TraceFacts facts = TwoHosts();
  Request no_answer = Answered(0, 1, 100, 610, 620, 130);
  no_answer.client_end = Request::kNoTime;
  Request no_server = Answered(0, 1, 100, 610, 620, 130);
  no_server.server = profile::kNone;
  Request same_host = Answered(0, 0, 100, 610, 620, 130);
  facts.transfers.requests = {no_answer, no_server, same_host};
  const auto clocks = CompareHosts(facts);
  ASSERT_THAT(clocks, SizeIs(1));
  EXPECT_EQ(clocks[0].requests, 0u);
  EXPECT_FALSE(clocks[0].bounds.known());
}

TEST(HostClocks, OneHostIsComparedWithNone) {
  TraceFacts facts = TwoHosts();
  facts.processes[1].host = facts.processes[0].host;
  EXPECT_THAT(CompareHosts(facts), IsEmpty());
}

}  // namespace host_clocks_test
}  // namespace
}  // namespace tfprof::ctf
