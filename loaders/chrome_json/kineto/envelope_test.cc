#include "loaders/chrome_json/kineto/envelope.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;

TEST(KinetoEnvelope, AllThatIsRead) {
  const std::vector<chrome_json::TopMember> members = {
      {"schemaVersion", "1"},
      {"baseTimeNanoseconds", "1790857026000000000"},
      {"host_name", "\"node \\u0041\""},
      {"distributedInfo",
       R"({"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{}]})"},
      {"deviceProperties",
       R"([{"id": 0, "name": "A", "totalGlobalMem": 85018279936},
           {"id": 1, "name": "B"}])"},
      {"ERROR", R"(["one", {"x": 1}, "two"])"},
  };
  const KinetoEnvelope envelope = ReadKinetoEnvelope(members);
  EXPECT_EQ(envelope.base_nanos, 1790857026000000000);
  EXPECT_EQ(envelope.host, "node A");
  EXPECT_EQ(envelope.rank, 3);
  EXPECT_EQ(envelope.world_size, 8);
  ASSERT_EQ(envelope.devices.size(), 2u);
  EXPECT_EQ(envelope.devices[0].memory_bytes, 85018279936);
  EXPECT_THAT(envelope.errors, ElementsAre("one", "two"));
}

TEST(KinetoEnvelope, ProcessGroups) {
  const std::vector<chrome_json::TopMember> members = {
      {"distributedInfo",
       R"({"pg_count": 3, "pg_config": [
           {"pg_name": "0", "pg_desc": "default_pg",
            "backend_config": "cuda:nccl", "pg_size": 4,
            "ranks": [0, 1, 2, 3]},
           {"pg_name": "7", "pg_size": 3, "ranks": [0, 2, "x", 5, 6]},
           {"ranks": 5}, 8]})"}};
  const KinetoEnvelope envelope = ReadKinetoEnvelope(members);
  ASSERT_EQ(envelope.groups.size(), 4u);
  EXPECT_THAT(envelope.groups[0].ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(GroupText(envelope.groups[0]),
            "process group 0 (default_pg): 4 ranks: 0-3, cuda:nccl");
  EXPECT_EQ(GroupText(envelope.groups[1]), "process group 7: 3 ranks: 0,2,5-6");
  EXPECT_EQ(GroupText(envelope.groups[2]), "process group : 0 ranks");
}

TEST(KinetoEnvelope, ManyProcessGroupsAndRanks) {
  std::string config = "{\"pg_config\": [";
  for (int i = 0; i < 300; ++i) config += i == 0 ? "{}" : ",{}";
  config += "]}";
  const std::vector<chrome_json::TopMember> members = {
      {"distributedInfo", config}};
  const KinetoEnvelope envelope = ReadKinetoEnvelope(members);
  EXPECT_EQ(envelope.groups.size(), 256u);
  EXPECT_EQ(envelope.more_groups, 44);
  KinetoGroup odd;
  odd.name = "odd";
  for (int64_t rank = 1; rank < 40; rank += 2) odd.ranks.push_back(rank);
  EXPECT_EQ(GroupText(odd),
            "process group odd: 20 ranks: 1,3,5,7,9,11,13,15,…");
}

TEST(KinetoEnvelope, WhatIsMissingOrOfAnotherKind) {
  const std::vector<chrome_json::TopMember> members = {
      {"baseTimeNanoseconds", "{}"},
      {"distributedInfo", "7"},
      {"deviceProperties", "{\"id\": 1}"},
      {"ERROR", "\"text\""},
  };
  const KinetoEnvelope envelope = ReadKinetoEnvelope(members);
  EXPECT_EQ(envelope.base_nanos, 0);
  EXPECT_EQ(envelope.rank, -1);
  EXPECT_TRUE(envelope.devices.empty());
  EXPECT_TRUE(envelope.errors.empty());
}

TEST(KinetoEnvelope, OldDevices) {
  const std::vector<chrome_json::TopMember> members = {
      {"computeProperties", R"([{"id": 2, "name": "V100"}])"}};
  const KinetoEnvelope envelope = ReadKinetoEnvelope(members);
  EXPECT_EQ(FindKinetoDevice(envelope, 2).name, "V100");
}

TEST(KinetoEnvelope, ADeviceThatIsNotListed) {
  KinetoEnvelope envelope;
  EXPECT_EQ(FindKinetoDevice(envelope, 9).name, "");
  envelope.devices = {{0, "MI300X", 100}};
  const KinetoDevice same_model = FindKinetoDevice(envelope, 9);
  EXPECT_EQ(same_model.name, "MI300X");
  EXPECT_EQ(same_model.memory_bytes, 0);
  envelope.devices.push_back({1, "MI250", 50});
  EXPECT_EQ(FindKinetoDevice(envelope, 9).name, "");
}

}  // namespace
}  // namespace tfprof::kineto
