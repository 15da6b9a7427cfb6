#include "server/live/session_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SessionFolderTest : public ::testing::Test {
 protected:
  SessionFolderTest() : path_(testing::TempDir() + "/session_folder") {
    fs::remove_all(path_);
  }
  ~SessionFolderTest() override { fs::remove_all(path_); }

  SessionFolder Create() {
    auto folder = SessionFolder::Create(path_, {});
    EXPECT_TRUE(folder.ok()) << folder.status();
    return *std::move(folder);
  }
  void Write(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  std::string Text(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(path_ + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  bool Exists(const std::string& name) {
    return fs::exists(path_ + "/" + name);
  }
  static LiveTrace Trace(std::string id, std::string kind = "run_metadata") {
    LiveTrace trace;
    trace.id = std::move(id);
    trace.kind = std::move(kind);
    return trace;
  }
  static std::string Message(const absl::Status& status) {
    return std::string(status.message());
  }

  const std::string path_;
};

TEST(SessionNameTest, OnlyShortPlainNamesArePartsOfPaths) {
  for (const std::string& name :
       {std::string("c1"), std::string("a-0"), std::string(40, 'x')}) {
    EXPECT_TRUE(IsSessionName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"),
        std::string("A"), std::string("a.pb"), std::string("\xc3\xa4"),
        std::string("a\0b", 3), std::string(41, 'x')}) {
    EXPECT_FALSE(IsSessionName(name)) << name;
  }
}

TEST_F(SessionFolderTest, ANewFolderIsForItsOwnerAndHasOneServer) {
  {
    const SessionFolder folder = Create();
    struct stat info = {};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    EXPECT_TRUE(SessionFolder::IsSession(path_));
    const auto other = SessionFolder::Create(path_, {});
    EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(Message(other.status()), HasSubstr("another tfprof serves"));
    EXPECT_TRUE(SessionFolder::Open(path_).ok()) << "only for looking at it";
  }
  EXPECT_TRUE(SessionFolder::Create(path_, {}).ok()) << "the lock is free";
}

TEST_F(SessionFolderTest, AFolderOfOthersIsLeftAlone) {
  Write("thesis.txt", "x");
  const auto folder = SessionFolder::Create(path_, {});
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(folder.status()),
              HasSubstr("neither a session nor empty"));
  EXPECT_FALSE(Exists("manifest.json"));
  EXPECT_FALSE(Exists("traces"));
}

TEST_F(SessionFolderTest, OnlyManifestsOfVersionOneAreSessions) {
  struct Case {
    const char* manifest;
    const char* message;
  };
  for (const Case& c :
       {Case{R"({"format":"tfprof session","version":2})", "a newer tfprof"},
        Case{R"({"format":"other","version":1})",
             "this folder is not a session"},
        Case{"", "this folder is not a session"},
        Case{"{", "is not a session"}}) {
    Write("manifest.json", c.manifest);
    EXPECT_FALSE(SessionFolder::IsSession(path_)) << c.manifest;
    EXPECT_THAT(Message(SessionFolder::Open(path_).status()),
                HasSubstr(c.message));
    EXPECT_THAT(Message(SessionFolder::Create(path_, {}).status()),
                HasSubstr(c.message));
  }
  fs::remove(path_ + "/manifest.json");
  Write("elsewhere", R"({"format":"tfprof session","version":1})");
  fs::create_symlink(path_ + "/elsewhere", path_ + "/manifest.json");
  EXPECT_FALSE(SessionFolder::IsSession(path_)) << "links are not followed";
}

TEST_F(SessionFolderTest, WhatIsSavedIsReadBack) {
  SessionFolder folder = Create();
  LiveClient client;
  client.client = "c1";
  client.key = "k";
  ASSERT_TRUE(folder.SaveClient(client).ok());
  LiveTrace trace = Trace("000001", "xspace");
  ASSERT_TRUE(folder.AddTrace(trace, "data").ok());
  EXPECT_EQ(trace.file, "000001.xplane.pb");
  EXPECT_EQ(trace.bytes, 4);
  trace.name = "slow";
  ASSERT_TRUE(folder.SaveAbout(trace).ok());
  // Orders of a program that has ended, or is unknown, wait for nobody.
  std::map<uint64_t, LiveOrder> orders;
  for (const char* of : {"c1", "c2"}) {
    LiveOrder& order = orders[orders.size() + 1];
    order.order = orders.size();
    order.client = of;
    order.rule = "next";
    order.count = 1;
  }
  ASSERT_TRUE(folder.SaveOrders(orders).ok());

  const SessionFolder::Content content = folder.Read();
  EXPECT_THAT(content.damaged, IsEmpty());
  ASSERT_EQ(content.clients.size(), 1u);
  EXPECT_EQ(content.clients[0].key, "k");
  ASSERT_EQ(content.traces.size(), 1u);
  EXPECT_EQ(content.traces[0].name, "slow");
  EXPECT_EQ(folder.ReadTrace(content.traces[0]).value(), "data");
  ASSERT_EQ(content.orders.size(), 1u);
  EXPECT_EQ(content.orders[0].client, "c1");

  client.end = "ok";
  ASSERT_TRUE(folder.SaveClient(client).ok());
  EXPECT_THAT(folder.Read().orders, IsEmpty());
  ASSERT_TRUE(folder.RemoveTrace(trace).ok());
  EXPECT_THAT(folder.Read().traces, IsEmpty());
  EXPECT_TRUE(fs::is_empty(path_ + "/traces"));
  EXPECT_TRUE(folder.RemoveTrace(trace).ok()) << "it is gone already";
}

TEST_F(SessionFolderTest, TheFileOfATraceHasTheEndingOfItsKind) {
  SessionFolder folder = Create();
  for (const auto& [kind, file] :
       {std::pair("run_metadata", "000001.pb"),
        std::pair("xspace", "000001.xplane.pb"),
        std::pair("kineto", "000001.pt.trace.json")}) {
    LiveTrace trace = Trace("000001", kind);
    ASSERT_TRUE(folder.AddTrace(trace, "x").ok());
    EXPECT_EQ(trace.file, file);
    EXPECT_TRUE(Exists(std::string("traces/") + file));
  }
}

TEST_F(SessionFolderTest, WhatIsDamagedIsNamedAndTheRestIsRead) {
  const SessionFolder folder = Create();
  Write("clients/c1.json", R"({"client":"c1","key":"k"})");
  Write("clients/c2.json", R"({"client":"c1","key":"k"})");
  Write("clients/c3.json", "{");
  Write("clients/.json", R"({"client":"","key":"k"})");
  Write("outside.pb", "secret");
  Write("traces/a.about.json", R"({"id":"b","file":"a.pb","kind":"xspace"})");
  Write("traces/b.about.json",
        R"({"id":"b","file":"../outside.pb","kind":"run_metadata"})");
  Write("traces/c.about.json",
        R"({"id":"c","file":"c.pb","kind":"run_metadata"})");
  Write("traces/d.about.json",
        R"({"id":"d","file":"d.pb","kind":"run_metadata"})");
  fs::create_symlink("../outside.pb", path_ + "/traces/d.pb");
  Write("traces/e.about.json",
        R"({"id":"e","file":"e.pb","kind":"run_metadata","bytes":999})");
  Write("traces/e.pb", "12345");
  Write("orders.json", R"({"orders":[{"order":1,"rule":"never"}]})");
  const SessionFolder::Content content = folder.Read();
  EXPECT_THAT(
      content.damaged,
      ElementsAre(
          StartsWith("clients/.json: "), StartsWith("clients/c2.json: "),
          StartsWith("clients/c3.json: "), StartsWith("traces/a.about.json: "),
          StartsWith("traces/b.about.json: "),
          "traces/c.about.json: c.pb is missing",
          "traces/d.about.json: d.pb is missing", StartsWith("orders.json: ")));
  ASSERT_EQ(content.clients.size(), 1u);
  ASSERT_EQ(content.traces.size(), 1u);
  EXPECT_EQ(content.traces[0].bytes, 5) << "those that are there";
}

TEST_F(SessionFolderTest, FactsThatAreTooLargeAreNotRead) {
  const SessionFolder folder = Create();
  Write("clients/c1.json", "");
  fs::resize_file(path_ + "/clients/c1.json", (16 << 20) + 1);
  EXPECT_THAT(folder.Read().damaged,
              ElementsAre("clients/c1.json: it is too large"));
}

TEST_F(SessionFolderTest, RecordsWithoutFactsAreRemoved) {
  SessionFolder folder = Create();
  LiveTrace whole = Trace("000001");
  ASSERT_TRUE(folder.AddTrace(whole, "x").ok());
  Write("traces/000002.pb", "its server was killed");
  Write("traces/000003.pt.trace.json", "this one, too");
  const std::string foreign[] = {"NOTES.txt", "copy-of-best.pb",
                                 "12.pb",     "000002.txt",
                                 "000002",    "000002.pb.gz"};
  for (const std::string& name : foreign) Write("traces/" + name, "mine");
  folder.RemoveOrphans();
  for (const std::string& name : foreign) {
    EXPECT_TRUE(Exists("traces/" + name)) << name;
  }
  EXPECT_TRUE(Exists("traces/000001.pb"));
  EXPECT_TRUE(Exists("traces/000001.about.json"));
  EXPECT_FALSE(Exists("traces/000002.pb"));
  EXPECT_FALSE(Exists("traces/000003.pt.trace.json"));
}

TEST_F(SessionFolderTest, FoldersThatAreLinksAreRefused) {
  const std::string victim = path_ + "_victim";
  for (const std::string name : {"traces", "clients", "graphs"}) {
    { const SessionFolder folder = Create(); }
    fs::remove_all(path_ + "/" + name);
    fs::create_directories(victim);
    std::ofstream(victim + "/000001.pb") << "precious";
    fs::create_symlink(victim, path_ + "/" + name);
    const auto folder = SessionFolder::Create(path_, {});
    EXPECT_EQ(folder.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(Message(folder.status()),
                HasSubstr(name + ": expected a folder, found a link"));
    EXPECT_TRUE(fs::exists(victim + "/000001.pb"));
    fs::remove_all(path_);
  }
  fs::remove_all(victim);
}

TEST_F(SessionFolderTest, AFolderThatBecomesALinkIsNotFollowed) {
  const std::string victim = path_ + "_victim";
  SessionFolder folder = Create();
  fs::create_directories(victim);
  std::ofstream(victim + "/000001.pb") << "precious";
  fs::remove(path_ + "/traces");
  fs::create_symlink(victim, path_ + "/traces");
  folder.RemoveOrphans();
  EXPECT_TRUE(fs::exists(victim + "/000001.pb"));
  fs::remove_all(victim);
}

TEST_F(SessionFolderTest, FoldersOfOthersAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  constexpr uid_t kNobody = 65534;
  { const SessionFolder folder = Create(); }
  ASSERT_EQ(chown(path_.c_str(), kNobody, kNobody), 0);
  const absl::Status whole = SessionFolder::Create(path_, {}).status();
  EXPECT_EQ(whole.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(whole), HasSubstr("belongs to user 65534"));
  ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
  ASSERT_EQ(chown((path_ + "/traces").c_str(), kNobody, kNobody), 0);
  const absl::Status part = SessionFolder::Create(path_, {}).status();
  EXPECT_THAT(Message(part), HasSubstr("/traces: this folder"));
}

TEST_F(SessionFolderTest, ATraceThatCannotBeStoredLeavesNothing) {
  SessionFolder folder = Create();
  fs::create_directories(path_ + "/traces/000001.about.json/x");
  LiveTrace trace = Trace("000001");
  EXPECT_FALSE(folder.AddTrace(trace, "x").ok());
  EXPECT_FALSE(Exists("traces/000001.pb"));
}

TEST_F(SessionFolderTest, GraphsHavePlainNames) {
  SessionFolder folder = Create();
  EXPECT_EQ(folder.AddGraph("../g", "x").code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(folder.AddGraph("g1", "graph").ok());
  EXPECT_EQ(Text("graphs/g1.pb"), "graph");
  const auto graphs_of = [&](const std::string& graph) {
    LiveTrace trace = Trace("000001");
    trace.graph = graph;
    EXPECT_TRUE(folder.AddTrace(trace, "x").ok());
    return SessionFolder::GraphsOf(folder.path() + "/traces/000001.pb");
  };
  EXPECT_THAT(graphs_of("g1"), ElementsAre(folder.path() + "/graphs/g1.pb"));
  EXPECT_THAT(graphs_of("g2"), IsEmpty()) << "there is no such file";
  EXPECT_THAT(graphs_of("../graphs/g1"), IsEmpty());
  EXPECT_THAT(graphs_of(""), IsEmpty());
  EXPECT_THAT(SessionFolder::GraphsOf(folder.path() + "/traces/9.pb"),
              IsEmpty());
}

TEST_F(SessionFolderTest, TheAddressIsForTheOwnerAndGoesWithTheServer) {
  {
    SessionFolder folder = Create();
    // What another program has left there is not followed.
    fs::create_symlink(path_ + "/stolen", path_ + "/server.json.new");
    ASSERT_TRUE(folder.SaveServer("{\"token\":\"secret\"}").ok());
    EXPECT_FALSE(Exists("stolen"));
    struct stat info = {};
    ASSERT_EQ(lstat((path_ + "/server.json").c_str(), &info), 0);
    EXPECT_TRUE(S_ISREG(info.st_mode));
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    EXPECT_EQ(Text("server.json"), "{\"token\":\"secret\"}");
    const SessionFolder moved = std::move(folder);
  }
  EXPECT_FALSE(Exists("server.json"));
}

}  // namespace
}  // namespace tfprof::server
