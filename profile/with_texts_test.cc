// Profile::WithTexts().

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/attr_value.h"
#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {
namespace with_texts_test {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::string_view kAttribute = "\x12\x03old";  // AttrValue.s

class Details : public DetailReader {
 public:
  AttributeList Attributes(uint64_t) const override {
    return {{"source", kAttribute}, {"count", "\x18\x05"}};
  }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  RecordText Text(uint64_t) const override {
    return {.name = "old", .label = "kept"};
  }
  Transfer TransferOf(uint64_t) const override { return {.tensor = "old"}; }
  ArgumentList Arguments(uint64_t) const override {
    return {{"old", "old"}, {"b", "kept"}};
  }
  bool record_is_group() const override { return false; }
};

TextChange Change() {
  return {
      .text = [](std::string_view text) -> std::optional<std::string> {
        return text == "old" ? std::optional<std::string>("new") : std::nullopt;
      },
      .host = [](std::string_view host) { return "not " + std::string(host); }};
}

Profile Model() {
  ProfileBuilder builder;
  const uint32_t input = builder.AddInput(std::make_shared<Details>());
  builder.AddNode("old", "Op", MakeRecordRef(input, 0));
  builder.AddNode("other", "old", kNoRecord);
  builder.AddNode("new", "Op", kNoRecord);
  GraphTables& graph = builder.mutable_graph();
  graph.lanes.AddProcess({.host = "h", .name = "old"});
  return std::move(builder).Build();
}

TEST(WithTextsTest, NamesChangeAndIdsStay) {
  const Profile before = Model();
  const Profile after = before.WithTexts(Change());
  ASSERT_EQ(after.nodes().size(), 3u);
  EXPECT_EQ(after.strings().size(), before.strings().size());
  EXPECT_EQ(after.node_name(0), "new");
  EXPECT_EQ(after.node_name(1), "other");
  // It stays apart from what became the same.
  EXPECT_EQ(after.node_name(2), "new'");
  EXPECT_EQ(after.nodes().Find(after.strings().Find("new")), 0u);
  EXPECT_EQ(after.nodes().Find(after.strings().Find("old")), kNone);
  EXPECT_EQ(after.lanes().process(0).host, "not h");
  EXPECT_EQ(after.lanes().process(0).name, "new");
  // The original is as it was.
  EXPECT_EQ(before.node_name(0), "old");
  EXPECT_EQ(before.lanes().process(0).host, "h");
}

TEST(WithTextsTest, DetailsChange) {
  const Profile after = Model().WithTexts(Change());
  const RecordRef record = after.nodes().record[0];
  EXPECT_EQ(after.Text(record).name, "new");
  EXPECT_EQ(after.Text(record).label, "kept");
  EXPECT_EQ(after.TransferOf(record).tensor, "new");
  EXPECT_THAT(after.Arguments(record),
              ElementsAre(Pair("old", "new"), Pair("b", "kept")));
  const AttributeList attributes = after.Attributes(0);
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(AttrString(attributes[0].second), "new");
  EXPECT_EQ(attributes[1].second, "\x18\x05");
}

TEST(WithTextsTest, TablesAreSharedIfNothingChanges) {
  ProfileBuilder builder;
  builder.AddNode("a", "Op", kNoRecord);
  const Profile before = std::move(builder).Build();
  EXPECT_EQ(&before.WithTexts(Change()).graph(), &before.graph());
}

TEST(WithTextsTest, RecordsOfTheirOwnChange) {
  ProfileBuilder builder;
  CompileLogs logs;
  logs.logs.push_back({.path = "old"});
  logs.failures.push_back({.reason = "old"});
  builder.SetCompileLogs(std::move(logs));
  CollectiveRecords records;
  records.texts = {"old", "kept"};
  records.dumps.push_back({.path = "old"});
  builder.SetCollectiveRecords(std::move(records));
  const Profile after = std::move(builder).Build().WithTexts(Change());
  EXPECT_EQ(after.compile_logs().logs[0].path, "new");
  EXPECT_EQ(after.compile_logs().failures[0].reason, "new");
  EXPECT_THAT(after.collective_records().texts, ElementsAre("new", "kept"));
  EXPECT_EQ(after.collective_records().dumps[0].path, "new");
}

}  // namespace with_texts_test
}  // namespace
}  // namespace tfprof::profile
