#include "exporters/reference/proto.h"

#include <string>

#include "accounting/tfprof_rules.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "util/files/wire.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

// A message as text: "1:w 22:1 12{1:x}". Fields in `messages` are nested.
std::string Text(std::string_view bytes, std::string_view messages) {
  std::string text;
  util::WireReader reader(bytes);
  while (reader.Next()) {
    const uint32_t field = reader.tag() >> 3;
    const std::string number = std::to_string(field);
    if (!text.empty()) text += ' ';
    text += number;
    if ((reader.tag() & 7) == 0) {
      text += ":" + std::to_string(reader.value());
    } else if (messages.find("," + number + ",") != messages.npos) {
      text += "{" + Text(reader.view(), messages) + "}";
    } else {
      text += ":" + std::string(reader.view());
    }
  }
  EXPECT_FALSE(reader.damaged());
  return text;
}

// A scope "a" with the nodes "a/x" and "a/y", which reads "a/x".
profile::Profile SmallProfile() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId x = builder.AddNode("a/x", "Const", profile::kNoRecord);
  const int64_t dims[] = {2, 3};
  builder.AddOutputShape(0, builder.mutable_graph().shapes.Intern(dims));
  builder.SetFloatOps(x, 7);
  builder.AddNode("a/y", "Neg", profile::kNoRecord);
  builder.AddEdge(builder.mutable_graph().strings.Intern("a/x"), 0, 0, 0);
  return std::move(builder).Build();
}

std::string Written(const profile::Profile& profile, views::View view,
                    const views::ViewOptions& options) {
  views::Views views(profile);
  const views::Report report = views.Show(view, options);
  util::StringSink sink;
  WriteReportProto(report, nullptr, sink);
  return sink.text();
}

TEST(ReportProtoTest, ATreeOfScopes) {
  EXPECT_EQ(Text(Written(SmallProfile(), views::View::kScope, {}), ",2,12,16,"),
            "1:_TFProfRoot 12{1:a 12{1:a/x 13:7 14:7 23:1} "
            "12{1:a/y 16{1:0 2{2{1:2} 2{1:3}}} 23:1} 14:7 23:3} 14:7 23:3");
}

TEST(ReportProtoTest, RowsOfOpAreAChain) {
  const std::string text =
      Text(Written(SmallProfile(), views::View::kOp, {}), ",10,11,");
  EXPECT_EQ(text.substr(0, text.find(" 16:")),
            "1:_TFProfRoot 9:7 11{1:Const 5:7 9:7 "
            "10{1:a/x 13:7 14:7 23:1} 11{1:Neg 10{1:a/y");
}

TEST(ReportProtoTest, ARowThatIsNotAccountedHasItsNumbers) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  builder.SetFloatOps(builder.AddNode("a", "Const", profile::kNoRecord), 7);
  builder.AddNode("a/y", "Neg", profile::kNoRecord);
  views::ViewOptions options;
  options.account_types = {"Neg"};
  const std::string text =
      Text(Written(std::move(builder).Build(), views::View::kScope, options),
           ",12,");
  // A parent of an accounted row counts in the totals, as in the reference.
  EXPECT_EQ(text,
            "1:_TFProfRoot 12{1:a 12{1:a/y 23:1} 13:7 14:7 23:2} 14:7 23:2");
}

TEST(ReportProtoTest, DeepTreesDoNotRecurse) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  std::string name = "a";
  for (int i = 0; i < 2000; ++i) name += "/a";
  builder.AddNode(name, "Const", profile::kNoRecord);
  views::ViewOptions options;
  options.max_depth = 1 << 20;
  const std::string bytes =
      Written(std::move(builder).Build(), views::View::kScope, options);
  std::string_view inner = bytes;
  size_t depth = 0;
  for (bool more = true; more; ++depth) {
    util::WireReader reader(inner);
    more = false;
    while (reader.Next()) {
      if (reader.tag() >> 3 != 12) continue;
      inner = reader.view();
      more = true;
      break;
    }
  }
  EXPECT_EQ(depth, 2002u);
}

}  // namespace
}  // namespace tfprof::exporters
