#include "tables/answer.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

TEST(AnswerTest, ATablesFactsBecomeThoseOfTheAnswer) {
  DataTable table = List("words", "word", {"a"});
  table.facts = {{{.name = "step"}, int64_t{3}}};
  const Answer answer = TableAnswer(std::move(table));
  EXPECT_EQ(answer.data.kind, "words");
  ASSERT_EQ(answer.data.facts.size(), 1u);
  EXPECT_EQ(answer.data.facts[0].second, DataCell(int64_t{3}));
  EXPECT_TRUE(answer.data.parts[0].table.facts.empty());
  EXPECT_TRUE(answer.data.is_one_table());
  EXPECT_TRUE(answer.status.ok());
}

TEST(AnswerTest, ADocumentKeepsItsTables) {
  const Answer answer = DocumentAnswer(Several());
  EXPECT_EQ(answer.data.kind, "several");
  EXPECT_EQ(answer.data.parts.size(), 3u);
  EXPECT_FALSE(answer.data.is_one_table());
}

TEST(AnswerTest, OneTableWithATitleIsADocument) {
  DataDocument document = One(List("words", "word", {"a"}));
  EXPECT_TRUE(document.is_one_table());
  document.parts[0].title = "Words";
  EXPECT_FALSE(document.is_one_table());
  EXPECT_FALSE(DataDocument().is_one_table());
}

TEST(AnswerTest, AnErrorHasNoData) {
  const Answer answer = ErrorAnswer(absl::NotFoundError("no such node"));
  EXPECT_TRUE(absl::IsNotFound(answer.status));
  EXPECT_TRUE(answer.data.parts.empty());
}

TEST(AnswerTest, TheCommandIsTheFirstFact) {
  Answer answer = DocumentAnswer(Several());
  AddCommand("show x", &answer);
  EXPECT_EQ(answer.data.facts[0].first.name, "command");
  EXPECT_EQ(answer.data.facts[0].first.title, "");
  EXPECT_EQ(answer.data.facts[0].second, DataCell("show x"));
  EXPECT_EQ(answer.data.facts[1].first.name, "step");
}

TEST(AnswerTest, FormsAreFoundByName) {
  Answer answer;
  answer.forms.push_back(
      {.name = "text", .write = [](const TextLook&, util::Sink&) {}});
  EXPECT_EQ(answer.FindForm("text"), &answer.forms[0]);
  EXPECT_EQ(answer.FindForm("junit"), nullptr);
  EXPECT_EQ(Answer().FindForm(""), nullptr);
}

TEST(AnswerTest, KeepsWhatItPointsTo) {
  Answer copy;
  {
    Answer answer;
    const std::string& kept = answer.Keep(std::string(100, 'x'));
    answer.forms.push_back(
        {.name = "text", .write = [&kept](const TextLook&, util::Sink& sink) {
           sink.Write(kept);
         }});
    copy = answer;
  }
  EXPECT_EQ(Written([&](util::Sink& sink) { copy.forms[0].write({}, sink); }),
            std::string(100, 'x'));
}

}  // namespace
}  // namespace tfprof::tables
