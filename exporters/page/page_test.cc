#include "exporters/page/page.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Written(const Page& page) {
  util::StringSink sink;
  EXPECT_TRUE(WritePage(page, sink).ok());
  return sink.text();
}

// One event on one lane.
Page Small() {
  Page page;
  page.title = "a </script> <b>";
  page.processes = {{"worker"}};
  page.devices.push_back({.label = "cpu:0", .name = "<!-- cpu"});
  page.lanes.push_back({.name = "ops", .kind = PageKind::kCompute});
  page.entries.push_back({.name = page.strings.Intern("op")});
  page.events.push_back({.start = 3, .duration = 4});
  page.span = 7;
  return page;
}

TEST(PageTest, TheHeadHasWhatThereIs) {
  const std::string text = Written(Small());
  EXPECT_THAT(text, HasSubstr(R"("counts":{"strings":1,"entries":1,"events":1,)"
                              R"("transfers":0,"links":0,"scopes":1)"));
  EXPECT_THAT(text, HasSubstr(R"("lanes":[{"device":0,"name":"ops",)"
                              R"("kind":"compute","counted":true,)"
                              R"("thread":-1,"events":1}])"));
}

TEST(PageTest, NoNameEndsItsElement) {
  const std::string text = Written(Small());
  EXPECT_THAT(text, HasSubstr(R"("title":"a \u003c/script> \u003cb>")"));
  EXPECT_THAT(text, Not(HasSubstr("<!-- cpu")));
}

TEST(PageTest, ThePolicyAllowsOneScriptAndOneStyle) {
  const std::string text = Written(Small());
  EXPECT_THAT(text, HasSubstr("content=\"default-src 'none'; script-src "
                              "'sha256-"));
  EXPECT_THAT(text, HasSubstr("; style-src 'sha256-"));
  EXPECT_THAT(text, Not(HasSubstr("unsafe")));
}

TEST(PageTest, FiguresAndCausesOfIdleTime) {
  Page page = Small();
  page.devices[0].figures = {.span = 7, .busy = 4, .idle = 3};
  page.devices[0].figures->idle_by_cause = {{"launch \"late\"", 3}};
  EXPECT_THAT(Written(page),
              HasSubstr(R"("idle":3,"causes":[["launch \"late\"",3]]})"));
}

TEST(PageTest, EqualPagesHaveEqualBytes) {
  EXPECT_EQ(Written(Small()), Written(Small()));
}

TEST(PageTest, APageOfNothingIsAPage) {
  EXPECT_THAT(Written(Page()), HasSubstr(R"("events":0)"));
}

}  // namespace
}  // namespace tfprof::exporters
