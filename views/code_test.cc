#include "views/code.h"

#include <string>
#include <string_view>
#include <vector>

#include "accounting/gradients.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "views/views.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CodeTest : public HandMadeTest {
 protected:
  struct Line {
    std::string_view file;
    int32_t line;
    std::string_view function;
  };
  void Traced(std::string_view name, int64_t micros,
              const std::vector<Line>& lines) {
    Node(name, {}, micros);
    profile::GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    profile::StackId stack = profile::kNoStack;
    for (const Line& line : lines) {
      stack = graph.stacks.Push(
          stack, {.file = graph.strings.Intern(line.file),
                  .function = graph.strings.Intern(line.function),
                  .line = graph.strings.Intern("source"),
                  .lineno = line.line});
    }
    graph.nodes.stack[graph.nodes.size() - 1] = stack;
  }
};

TEST_F(CodeTest, GradientsAreUnderTheirForwardLines) {
  Traced("conv", 100,
         {{"/a/main.py", 10, "main"}, {"/a/model.py", 20, "build"}});
  Traced("gradients/conv_grad/Bprop", 40, {{"/tf/gradients.py", 1, "grad"}});
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  EXPECT_THAT(Show(View::kCode, options),
              ElementsAre("_TFProfRoot --/140", " main.py:10:main 0/100",
                          "  model.py:20:build 100/100",
                          " main.py:10:main (gradient) 0/40",
                          "  model.py:20:build (gradient) 40/40"));
}

TEST_F(CodeTest, FramesOfLibrariesAreFoldedIntoTheLineThatCalledThem) {
  const std::string_view lib = "/usr/lib/python3/dist-packages/lib.py";
  Traced("a", 1, {{lib, 1, "run"}, {"m.py", 1, "f"}, {lib, 2, "g"}});
  Traced("b", 2,
         {{lib, 1, "run"},
          {"m.py", 1, "f"},
          {lib, 2, "g"},
          {"m.py", 9, "back"},
          {lib, 3, "h"}});
  Traced("c", 4, {{lib, 1, "run"}, {lib, 7, "own"}});
  ViewOptions options;
  options.fold_libraries = true;
  // Library frames above all program frames stay.
  EXPECT_THAT(
      Show(View::kCode, options),
      ElementsAre("_TFProfRoot --/7", " lib.py:1:run 0/7", "  lib.py:7:own 4/4",
                  "  m.py:1:f 1/3", "   m.py:9:back 2/2"));
}

TEST_F(CodeTest, GradientsWithoutAForwardNodeAreCounted) {
  Traced("conv", 1, {{"m.py", 1, "f"}});
  Traced("gradients/gone_grad/a", 2, {{"m.py", 1, "f"}});
  Traced("gradients/gone_grad/b", 2, {{"m.py", 1, "f"}});
  Traced("gradients/lost_grad/b", 2, {{"m.py", 1, "f"}});
  const profile::Profile profile = Build();
  Views views(profile);
  EXPECT_THAT(Rows(views.Show(View::kCode, {})),
              ElementsAre("_TFProfRoot --/1", " m.py:1:f 1/1"));
  EXPECT_EQ(views.code().lost_gradients, 2);  // counts names, not nodes
}

TEST_F(CodeTest, NamesOfLines) {
  Traced("a", 1, {{"no_folder.py", 1, "nineteen_characters"}});
  Traced("b", 2, {{"/x/m.py", -1, "twenty_characters_xx"}});
  // Another path with the same base name belongs to the same row.
  Traced("c", 4, {{"/y/m.py", -1, "twenty_characters_yy"}});
  EXPECT_THAT(
      Show(View::kCode),
      ElementsAre("_TFProfRoot --/7", " m.py:-1:twenty_characters... 6/6",
                  " no_folder.py:1:nineteen_characters 1/1"));
}

TEST_F(CodeTest, TrimDropsTheRowsThemselves) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 2, "g"}});
  Traced("b", 2, {{"m.py", 1, "f"}, {"m.py", 3, "h"}});
  const profile::Profile profile = Build();
  Views views(profile);
  ViewOptions options;
  options.trim_names = {".*g"};
  EXPECT_THAT(
      Rows(views.Show(View::kCode, options)),
      ElementsAre("_TFProfRoot --/3", " m.py:1:f 0/3", "  m.py:3:h 2/2"));
  options.trim_names = {".*"};  // the reference crashes on this
  EXPECT_THAT(Names(views.Show(View::kCode, options)),
              ElementsAre("_TFProfRoot"));
  options.trim_names = {};
  options.max_depth = 0;
  EXPECT_THAT(Names(views.Show(View::kCode, options)),
              ElementsAre("_TFProfRoot"));
}

TEST_F(CodeTest, AccountTypes) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 2, "g"}});
  Traced("b", 2, {{"m.py", 1, "f"}});
  ViewOptions options;
  options.account_types = {"Op_a"};
  EXPECT_THAT(
      Show(View::kCode, options),
      ElementsAre("_TFProfRoot --/1", " m.py:1:f --/1", "  m.py:2:g 1/1"));
}

TEST_F(CodeTest, OnlyGradients) {
  Traced("gradients/x_grad/y", 1, {{"m.py", 1, "f"}});
  EXPECT_THAT(Show(View::kCode), ElementsAre("_TFProfRoot --/0"));
}

TEST_F(CodeTest, NodesOfALineAreTogether) {
  Traced("b", 1, {{"m.py", 1, "f"}});
  Traced("a", 2, {{"m.py", 1, "f"}});
  Node("untraced", {}, 100);
  const profile::Profile profile = Build();
  Views views(profile);
  const CodeTree& tree = views.code();
  ASSERT_THAT(tree.names, ElementsAre("_TFProfRoot", "m.py:1:f"));
  // The nodes are sorted by name; a node without a call stack is in no row.
  EXPECT_THAT(tree.nodes_of(1), ElementsAre(1, 0));
  EXPECT_THAT(tree.nodes_of(0), IsEmpty());
  EXPECT_EQ(views.Show(View::kCode, {}).root_total[accounting::kMicros], 3);
}

TEST_F(CodeTest, RowsAreAfterTheirCallers) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 2, "g"}, {"m.py", 3, "h"}});
  Traced("b", 2, {{"m.py", 1, "f"}, {"n.py", 2, "g"}});
  const profile::Profile profile = Build();
  Views views(profile);
  const CodeTree& tree = views.code();
  EXPECT_THAT(tree.names, ElementsAre("_TFProfRoot", "m.py:1:f", "m.py:2:g",
                                      "m.py:3:h", "n.py:2:g"));
  EXPECT_THAT(tree.parent, ElementsAre(0, 0, 1, 2, 1));
  EXPECT_THAT(tree.gradient, ElementsAre(0, 0, 0, 0, 0));
  EXPECT_EQ(tree.frame[0], profile::kNone);
}

// A line that is called from two places has two rows.
TEST_F(CodeTest, ALineIsARowForEachCaller) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 9, "g"}});
  Traced("b", 2, {{"m.py", 2, "f"}, {"m.py", 9, "g"}});
  EXPECT_THAT(Show(View::kCode),
              ElementsAre("_TFProfRoot --/3", " m.py:1:f 0/1", "  m.py:9:g 1/1",
                          " m.py:2:f 0/2", "  m.py:9:g 2/2"));
}

TEST_F(CodeTest, GradientRowsSortTheirNodesByName) {
  Traced("x", 1, {{"m.py", 1, "f"}});
  Traced("y", 1, {{"m.py", 1, "f"}});
  Traced("gradients/x_grad/b", 1, {{"g.py", 1, "f"}});
  Traced("gradients/y_grad/a", 1, {{"g.py", 1, "f"}});
  Traced("gradients/x_grad/c", 1, {{"g.py", 1, "f"}});
  const profile::Profile profile = Build();
  Views views(profile);
  const CodeTree& tree = views.code();
  ASSERT_THAT(tree.names,
              ElementsAre("_TFProfRoot", "m.py:1:f", "m.py:1:f (gradient)"));
  EXPECT_THAT(tree.gradient, ElementsAre(0, 0, 1));
  // The nodes are sorted by their full names, not by those of their forward
  // nodes.
  EXPECT_THAT(tree.nodes_of(2), ElementsAre(2, 4, 3));
}

TEST_F(CodeTest, GradientsOfGradientsAreLost) {
  Traced("x", 1, {{"m.py", 1, "f"}});
  Traced("gradients/x_grad/mul", 2, {{"m.py", 2, "f"}});
  Traced("gradients/gradients/x_grad/mul_grad/a", 4, {{"m.py", 3, "f"}});
  const profile::Profile profile = Build();
  Views views(profile);
  // The name rule takes the text up to the first "_grad/", so the forward name
  // of the second gradient is that of x.
  EXPECT_EQ(accounting::ForwardName("gradients/gradients/x_grad/mul_grad/a"),
            "gradients/x");
  EXPECT_EQ(views.code().lost_gradients, 1);
  EXPECT_THAT(Rows(views.Show(View::kCode, {})),
              ElementsAre("_TFProfRoot --/3", " m.py:1:f 1/1",
                          " m.py:1:f (gradient) 2/2"));
}

TEST_F(CodeTest, AnEmptyProfileHasARoot) {
  EXPECT_THAT(Show(View::kCode), ElementsAre("_TFProfRoot --/0"));
}

TEST_F(CodeTest, CountsDistinctNodesOfARow) {
  Traced("a", 1, {{"m.py", 1, "f"}});
  Traced("b", 2, {{"m.py", 1, "f"}, {"m.py", 2, "g"}});
  const profile::Profile profile = Build();
  Views views(profile);
  ViewOptions options;
  options.account_types = {"Op_a", "Op_.", "Op_b"};
  const Report report = views.Show(View::kCode, options);
  // A node that matches two patterns is summed twice, but is one node.
  EXPECT_THAT(Rows(report), ElementsAre("_TFProfRoot --/6", " m.py:1:f 2/6",
                                        "  m.py:2:g 4/4"));
  EXPECT_THAT(report.tree->node_count, ElementsAre(0, 1, 1));
}

// ---- Names

TEST(CodeRowNameTest, UnknownFilesAndFunctions) {
  profile::ProfileBuilder builder;
  profile::StringPool& strings = builder.mutable_graph().strings;
  const profile::StringId file = strings.Intern("/a/m.py");
  const profile::StringId function = strings.Intern("f");
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(CodeRowName(profile, {.function = function, .lineno = 3}),
            "<unknown>:3:f");
  EXPECT_EQ(CodeRowName(profile, {.file = file, .lineno = 0}),
            "m.py:0:<unknown>");
  EXPECT_EQ(FrameString(profile, profile::kNone), "<unknown>");
  EXPECT_EQ(FrameString(profile, file), "/a/m.py");
}

TEST(CodeRowNameTest, FunctionsAreCutTo20Bytes) {
  profile::ProfileBuilder builder;
  profile::StringPool& strings = builder.mutable_graph().strings;
  const profile::StringId fits = strings.Intern(std::string(19, 'f'));
  const profile::StringId longer = strings.Intern(std::string(20, 'g'));
  const profile::StringId folder = strings.Intern("folder/");
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(CodeRowName(profile, {.function = fits}),
            "<unknown>:-1:" + std::string(19, 'f'));
  EXPECT_EQ(CodeRowName(profile, {.function = longer}),
            "<unknown>:-1:" + std::string(17, 'g').append("..."));
  // A path that ends in a separator has an empty base name.
  EXPECT_EQ(CodeRowName(profile, {.file = folder, .function = fits}),
            ":-1:" + std::string(19, 'f'));
}

}  // namespace
}  // namespace tfprof::views
