#include "profiler/shell/pipe/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kGraph[] =
    "node { name: \"w\" op: \"VariableV2\" }\n"
    "node { name: \"y\" op: \"MatMul\" input: \"w\" }\n";
constexpr char kRun[] =
    "step_stats { dev_stats { device: \"/job:w/replica:0/task:0/cpu:0\"\n"
    "  node_stats { node_name: \"y\" all_start_micros: 1 op_end_rel_micros: 7\n"
    "    all_end_rel_micros: 9 } } }\n";

std::string Write(const std::string& name, std::string_view text) {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

class PipeServerTest : public ::testing::Test {
 protected:
  PipeReply Ask(std::string_view line) {
    if (!server_) Serve({});
    return server_->Answer(line);
  }
  void Serve(std::vector<std::string> files,
             const absl::Status& unopened = {}) {
    commands::Workspace workspace;
    workspace.inputs.files = std::move(files);
    auto opened = commands::OpenInputs(
        unopened.ok() ? workspace.inputs : loaders::LoadRequest(), workspace);
    ASSERT_TRUE(opened.ok()) << std::string(opened.status().message());
    workspace.opened = *std::move(opened);
    session_ = std::make_unique<Shell>(std::move(workspace), ui_);
    server_ = std::make_unique<PipeServer>(*session_, ui_, unopened);
  }

  PipeUi ui_;
  std::unique_ptr<Shell> session_;
  std::unique_ptr<PipeServer> server_;
};

TEST(PipeUiTest, FactsAreNotesAndOtherLinesAreWarnings) {
  PipeUi ui;
  ui.Note("run graph coverage: 4 more files, not listed");
  ui.Note("The average over 6 steps leaves out 16ms, which ran in no step.");
  ui.Note("Note: frames of libraries are part of their callers\n");
  ui.Note("trace.json: byte 7: the rest is missing");
  std::string levels;
  for (const PipeUi::Message& message : ui.TakeMessages()) {
    levels += message.level == PipeUi::Level::kNote ? 'n' : 'w';
  }
  EXPECT_EQ(levels, "nnnw");
}

TEST_F(PipeServerTest, ARequestHasAHeaderAndBytes) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  const PipeReply reply =
      Ask(R"({"id":1,"command":"scope","options":{"select":["op_types"]}})");
  EXPECT_EQ(reply.header, "{\"id\":1,\"status\":0,\"messages\":[],\"bytes\":" +
                              std::to_string(reply.data.size()) + "}\n");
  EXPECT_THAT(reply.data, HasSubstr("  y          MatMul\n"));
}

TEST_F(PipeServerTest, ARequestMayAskForTheReferencesForm) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  const PipeReply reply = Ask(
      R"({"command":"scope","options":{"select":["op_types"],"compatible":true}})");
  EXPECT_THAT(reply.data, HasSubstr("  y (MatMul)\n"));
}

TEST_F(PipeServerTest, AWrongRequestIsAnswered) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  EXPECT_THAT(Ask(R"({"id":2,"command":"opp"})").header,
              StartsWith("{\"id\":2,\"status\":2,\"messages\":[{\"level\":"
                         "\"error\",\"text\":\"there is no command"));
  EXPECT_THAT(Ask("nonsense").header, StartsWith("{\"id\":null,\"status\":2"));
  EXPECT_THAT(Ask(R"({"id":3,"command":"op"})").header,
              StartsWith("{\"id\":3,\"status\":0"));
}

TEST_F(PipeServerTest, AFailedCommandHasItsMessage) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  const PipeReply reply = Ask(R"({"command":"op","options":{"step":9}})");
  EXPECT_THAT(reply.header, StartsWith("{\"id\":null,\"status\":1"));
  EXPECT_THAT(reply.header, HasSubstr("step=9 not found"));
  EXPECT_THAT(reply.data, IsEmpty());
}

TEST_F(PipeServerTest, WithoutAProfile) {
  EXPECT_THAT(Ask(R"({"command":"op"})").header, HasSubstr("\"status\":2"));
  EXPECT_THAT(Ask(R"({"command":"ping"})").header, HasSubstr("\"status\":0"));
  Serve({"x"}, absl::NotFoundError("x; No such file"));
  EXPECT_THAT(Ask(R"({"command":"op"})").header,
              HasSubstr("\"status\":1,\"messages\":[{\"level\":\"error\","
                        "\"text\":\"x; No such file"));
  const std::string graph = Write("pipe_graph.pbtxt", kGraph);
  EXPECT_THAT(
      Ask(R"({"command":"load","arguments":[")" + graph + "\"]}").header,
      HasSubstr("\"status\":0"));
  EXPECT_THAT(Ask(R"({"command":"op"})").header, HasSubstr("\"status\":0"));
}

TEST_F(PipeServerTest, AStepIsAdded) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  const std::string op = R"({"command":"op","options":{"max_depth":1},)"
                         R"("output":"csv"})";
  EXPECT_THAT(Ask(op).data, HasSubstr("MatMul,0"));
  const std::string run = Write("pipe_run.pbtxt", kRun);
  const std::string add = R"({"command":"add","arguments":["3:)" + run + "\"]}";
  EXPECT_THAT(Ask(add).header, HasSubstr("\"level\":\"note\",\"text\":\"run "
                                         "graph coverage: 0.50\""));
  EXPECT_THAT(Ask(op).data, HasSubstr("MatMul,7"));
  // Files of one step add up.
  EXPECT_THAT(Ask(add).header, HasSubstr("\"status\":0"));
  EXPECT_THAT(Ask(op).data, HasSubstr("MatMul,14"));
  EXPECT_THAT(Ask(R"({"command":"add","arguments":["run"]})").header,
              HasSubstr("add takes STEP:FILE"));
  EXPECT_THAT(Ask(R"({"command":"add","arguments":["4:/no"]})").header,
              HasSubstr("stays open"));
  EXPECT_THAT(Ask(op).data, HasSubstr("MatMul,14"));
}

TEST_F(PipeServerTest, SetShowsTheOptions) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  EXPECT_THAT(Ask(R"({"command":"set","options":{"max_depth":4}})").data,
              StartsWith("-max_depth                  4\n"));
}

TEST_F(PipeServerTest, ServesUntilTheEnd) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  std::array<int, 2> in, out;
  ASSERT_EQ(pipe(in.data()), 0);
  ASSERT_EQ(pipe(out.data()), 0);
  // The last line has no newline.
  const std::string lines =
      "{\"id\":1,\"command\":\"ping\"}\n\n{\"id\":2,\"command\":\"ping\"}";
  ASSERT_EQ(write(in[1], lines.data(), lines.size()),
            static_cast<ssize_t>(lines.size()));
  close(in[1]);
  EXPECT_EQ(ServePipe(*server_, ui_, in[0], out[1]), 0);
  close(out[1]);
  std::string replies(4096, '\0');
  replies.resize(static_cast<size_t>(
      std::max<ssize_t>(0, read(out[0], replies.data(), replies.size()))));
  EXPECT_THAT(replies, StartsWith("{\"id\":1,\"status\":0"));
  EXPECT_THAT(replies, HasSubstr("{\"id\":null,\"status\":2"));
  EXPECT_THAT(replies, HasSubstr("{\"id\":2,\"status\":0"));
  close(in[0]);
  close(out[0]);
}

TEST_F(PipeServerTest, AFullDiskIsAnError) {
  Serve({Write("pipe_graph.pbtxt", kGraph)});
  std::array<int, 2> in;
  ASSERT_EQ(pipe(in.data()), 0);
  ASSERT_EQ(write(in[1], "{}\n", 3), 3);
  close(in[1]);
  const int full = open("/dev/full", O_WRONLY);
  EXPECT_EQ(ServePipe(*server_, ui_, in[0], full), ENOSPC);
  close(full);
  close(in[0]);
}

}  // namespace
}  // namespace tfprof::shell
