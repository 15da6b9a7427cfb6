#include "profiler/mcp/server.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A GraphDef with one node, in text.
constexpr char kGraph[] = "node { name: \"w\" op: \"VariableV2\" }\n";

class McpServerTest : public ::testing::Test {
 protected:
  McpServerTest() : folder_(testing::TempDir() + "/mcp_profiles") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/run1");
    Write("run1/graph.pbtxt", kGraph);
  }
  void Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }
  std::string Ask(std::string_view line) {
    if (!server_) server_ = std::make_unique<McpServer>(folder_);
    return server_->Handle(line);
  }
  std::string Call(std::string_view name, std::string_view arguments) {
    std::string line = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                       R"("params":{"name":")";
    line += name;
    line += R"(","arguments":)";
    line += arguments;
    line += "}}";
    return Ask(line);
  }

  std::string folder_;
  std::unique_ptr<McpServer> server_;
};

TEST_F(McpServerTest, Initialize) {
  EXPECT_THAT(
      Ask(R"({"jsonrpc":"2.0","id":"a","method":"initialize",)"
          R"("params":{"protocolVersion":"2024-11-05"}})"),
      AllOf(HasSubstr(R"("id":"a","result":{"protocolVersion":"2024-11-05")"),
            HasSubstr(R"("tools":{})")));
  EXPECT_THAT(Ask(R"({"id":2,"method":"initialize",)"
                  R"("params":{"protocolVersion":"1999-01-01"}})"),
              HasSubstr(R"("protocolVersion":"2025-06-18")"));
}

TEST_F(McpServerTest, NotificationsHaveNoReply) {
  EXPECT_EQ(Ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"),
            "");
}

TEST_F(McpServerTest, ListsToolsAndProfiles) {
  EXPECT_THAT(Ask(R"({"id":1,"method":"tools/list"})"),
              HasSubstr(R"({"tools":[{"name":"profiles")"));
  EXPECT_THAT(Call("profiles", "{}"), HasSubstr("run1/graph.pbtxt"));
}

TEST_F(McpServerTest, AnswersACommand) {
  const std::string reply =
      Call("scope", R"({"profile":"run1/graph.pbtxt","select":["params"]})");
  EXPECT_THAT(reply, HasSubstr(R"("isError":false)"));
  EXPECT_THAT(reply, HasSubstr("scope -select params"));
}

TEST_F(McpServerTest, AnswersWithinTheBudgetOfTheCall) {
  std::string graph;
  for (int i = 0; i < 500; ++i) {
    graph += "node { name: \"node" + std::to_string(i) + "\" op: \"Const\" }\n";
  }
  Write("run1/large.pbtxt", graph);
  const auto size = [&](std::string_view more) {
    return Call("scope", std::string(R"({"profile":"run1/large.pbtxt",)") +
                             R"("select":["params"])" + std::string(more) + "}")
        .size();
  };
  EXPECT_LT(size(R"(,"budget":300)"), 1500u);
  EXPECT_GT(size(R"(,"budget":20000)"), 3000u);
  EXPECT_LT(size(""), 20000u);
}

TEST_F(McpServerTest, LoadsAProfileAgainWhenItChanges) {
  const std::string call = R"({"profile":"run1/graph.pbtxt"})";
  EXPECT_THAT(Call("status", call), HasSubstr("nodes: 1,"));
  Write("run1/graph.pbtxt",
        std::string(kGraph) + "node { name: \"x\" op: \"Const\" }\n");
  EXPECT_THAT(Call("status", call), HasSubstr("nodes: 2,"));
}

TEST_F(McpServerTest, StaysInItsFolder) {
  std::ofstream(testing::TempDir() + "/outside.pbtxt") << kGraph;
  std::filesystem::create_symlink(testing::TempDir() + "/outside.pbtxt",
                                  folder_ + "/link");
  for (const char* path : {"../outside.pbtxt", "link", "/etc/passwd"}) {
    EXPECT_THAT(Call("status", std::string(R"({"profile":")") + path + "\"}"),
                AllOf(HasSubstr(R"("isError":true)"),
                      HasSubstr("is not below the folder")))
        << path;
  }
}

TEST_F(McpServerTest, ErrorsOfACommandAreResults) {
  EXPECT_THAT(
      Call("op", R"({"profile":"run1/graph.pbtxt","step":7})"),
      AllOf(HasSubstr(R"("isError":true)"), HasSubstr("-step=7 not found")));
  EXPECT_THAT(Call("op", R"({"profile":"none.pb"})"),
              AllOf(HasSubstr(R"("isError":true)"),
                    HasSubstr("there is no profile none.pb")));
}

TEST_F(McpServerTest, ErrorsOfTheProtocol) {
  EXPECT_THAT(Ask("{nonsense"), HasSubstr("-32700"));
  EXPECT_THAT(Ask("nonsense"), HasSubstr("-32600"));
  EXPECT_THAT(Ask(R"({"id":1,"method":"ping")"), HasSubstr("-32700"));
  EXPECT_THAT(Ask("[]"), HasSubstr("-32600"));
  EXPECT_THAT(Ask(R"({"id":{},"method":"ping"})"), HasSubstr("-32600"));
  EXPECT_THAT(Ask(R"({"id":1})"), HasSubstr("-32600"));
  EXPECT_THAT(Ask(R"({"id":1,"method":"resources/list"})"),
              HasSubstr("-32601"));
  EXPECT_THAT(Call("save", "{}"),
              AllOf(HasSubstr("-32602"), HasSubstr("there is no tool")));
}

TEST_F(McpServerTest, OneFileIsTheOnlyProfile) {
  McpServer server(folder_ + "/run1/graph.pbtxt");
  EXPECT_THAT(server.Handle(R"({"id":1,"method":"tools/call",)"
                            R"("params":{"name":"status"}})"),
              HasSubstr("nodes: 1,"));
  EXPECT_THAT(server.Handle(R"({"id":1,"method":"tools/call","params":)"
                            R"({"name":"status","arguments":)"
                            R"({"profile":"other"}}})"),
              HasSubstr("there is one profile: graph.pbtxt"));
}

TEST_F(McpServerTest, ServesLines) {
  const std::string in = folder_ + "/in", out = folder_ + "/out";
  std::ofstream(in) << R"({"id":1,"method":"ping"})"
                    << "\n\n"
                    << std::string(5 << 20, 'x') << "\n"
                    << R"({"id":2,"method":"ping"})"
                    << "\n";
  FILE* from = fopen(in.c_str(), "r");
  FILE* to = fopen(out.c_str(), "w");
  McpServer server(folder_);
  ServeMcp(server, from, to);
  fclose(from);
  fclose(to);
  std::ifstream result(out);
  std::string line;
  std::getline(result, line);
  EXPECT_EQ(line, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  std::getline(result, line);
  EXPECT_THAT(line, HasSubstr("longer than 4 MB"));
  std::getline(result, line);
  EXPECT_EQ(line, R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

}  // namespace
}  // namespace tfprof::mcp
