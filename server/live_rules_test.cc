#include "server/live_rules.h"

#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/live/live_json.h"
#include "util/json/json_tree.h"

namespace tfprof::server {
namespace {

using ::testing::HasSubstr;

// The request for `rule` with a value of the field that it needs.
std::string Asked(const LiveRule& rule, int64_t value) {
  if (rule.needs.empty()) {
    return fmt::format(R"({{"rule":"{}"}})", rule.name);
  }
  const bool list =
      FindLiveField(rule.needs).kind == LiveField::Kind::kIntegers;
  return fmt::format(R"({{"rule":"{}","{}":{}{}{}}})", rule.name, rule.needs,
                     list ? "[" : "", value, list ? "]" : "");
}

TEST(LiveRulesTest, AnOrderOfEachRuleIsUnderstood) {
  for (const LiveRule& rule : LiveRules()) {
    EXPECT_EQ(FindLiveRule(rule.name), &rule);
    const auto request = ParseLiveRequest(Asked(rule, 7));
    ASSERT_TRUE(request.ok()) << rule.name << " " << request.status();
    EXPECT_EQ(request->order.limit, FindLiveField("limit").otherwise);
  }
  EXPECT_EQ(FindLiveRule("later"), nullptr);
}

TEST(LiveRulesTest, AnOrderNeedsItsFieldWithinItsBounds) {
  for (const LiveRule& rule : LiveRules()) {
    if (rule.needs.empty()) continue;
    const LiveField& field = FindLiveField(rule.needs);
    EXPECT_NE(field.expected, "") << field.name;
    if (field.otherwise == 0) {
      const std::string without = fmt::format(R"({{"rule":"{}"}})", rule.name);
      EXPECT_THAT(std::string(ParseLiveRequest(without).status().message()),
                  HasSubstr(fmt::format("{} for the rule {}", field.expected,
                                        rule.name)));
    }
    if (field.kind == LiveField::Kind::kIntegers) continue;
    const int64_t low = field.is_above ? field.least : field.least - 1;
    EXPECT_FALSE(ParseLiveRequest(Asked(rule, low)).ok()) << rule.name;
    EXPECT_TRUE(ParseLiveRequest(Asked(rule, low + 1)).ok()) << rule.name;
    EXPECT_TRUE(ParseLiveRequest(Asked(rule, field.most)).ok()) << rule.name;
    EXPECT_FALSE(ParseLiveRequest(Asked(rule, field.most + 1)).ok())
        << rule.name;
  }
}

TEST(LiveRulesTest, ThePublishedTableHasThemAll) {
  const std::string text = LiveRulesJson();
  const auto tree = util::JsonTree::Parse(text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->root()["rules"].size(), LiveRules().size());
  for (const util::JsonValue rule : tree->root()["rules"]) {
    EXPECT_NE(FindLiveRule(*rule["rule"].String()), nullptr);
    for (const util::JsonValue name : rule["takes"]) {
      EXPECT_EQ(FindLiveField(*name.String()).name, *name.String());
    }
  }
  EXPECT_THAT(text, HasSubstr(R"("field":"slower","label":"x","kind":"number",)"
                              R"("above":1,"most":1000000,"suggested":"2")"));
}

}  // namespace
}  // namespace tfprof::server
