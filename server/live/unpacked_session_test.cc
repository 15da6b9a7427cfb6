#include "server/live/unpacked_session.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "exporters/formats/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/run_metadata.pb.h"
#include "server/live/session_folder.h"

namespace tfprof::server {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What is unpacked lies below the folder of the test.
class UnpackedSessionTest : public loaders::FolderTest {
 protected:
  UnpackedSessionTest() {
    fs::create_directories(PathOf("tmp"));
    setenv("TMPDIR", PathOf("tmp").c_str(), 1);
  }
  ~UnpackedSessionTest() override {
    setenv("TMPDIR", testing::TempDir().c_str(), 1);
  }

  static std::string Zip() {
    exporters::NewSession session;
    session.runs = {
        {.file = loaders::InputFile::FromBytes(
             "run", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta)),
         .rank = 0}};
    util::StringSink sink;
    EXPECT_TRUE(
        exporters::WriteZip(exporters::MakeSession(session), sink).ok());
    return sink.text();
  }
  static absl::StatusOr<std::unique_ptr<UnpackedSession>> Unpacked(
      std::vector<std::string> files) {
    loaders::LoadRequest request;
    request.files = std::move(files);
    return UnpackedSession::Of(request);
  }
  bool HasLeftNothing() { return fs::is_empty(PathOf("tmp")); }
};

TEST_F(UnpackedSessionTest, AnArchiveIsAFolderUntilItIsDone) {
  auto session = Unpacked({Write("s.zip", Zip())});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_NE(*session, nullptr);
  EXPECT_THAT((*session)->damage(), IsEmpty());
  const std::string folder = (*session)->folder();
  EXPECT_TRUE(folder.starts_with(PathOf("tmp"))) << folder;
  struct stat info = {};
  ASSERT_EQ(stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  {
    const auto opened = SessionFolder::Open(folder);
    ASSERT_TRUE(opened.ok()) << opened.status();
    const SessionFolder::Content content = opened->Read();
    ASSERT_EQ(content.traces.size(), 1u);
    EXPECT_EQ(opened->ReadTrace(content.traces[0]).value(),
              loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  }
  session->reset();
  EXPECT_TRUE(HasLeftNothing());
}

TEST_F(UnpackedSessionTest, APickleOfMessagesIsASession) {
  const std::string run =
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta);
  std::string size(4, '\0');
  for (size_t i = 0; i < 4; ++i) {
    size[i] = static_cast<char>(run.size() >> (8 * i));
  }
  using std::string_literals::operator""s;
  const std::string pickle =
      "\x80\x04}\x8c\x0a" + "serialized"s + "B" + size + run + "s.";
  const auto session = Unpacked({Write("traces.p", pickle)});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_NE(*session, nullptr);
  EXPECT_EQ(SessionFolder::Open((*session)->folder())->Read().traces.size(),
            1u);
}

TEST_F(UnpackedSessionTest, DamageIsSaidAndTheRestIsServed) {
  const std::string zip = Zip();
  const auto session =
      Unpacked({Write("cut.zip", zip.substr(0, zip.size() - 30))});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_NE(*session, nullptr);
  EXPECT_THAT((*session)->damage(), ElementsAre(HasSubstr("cut off")));
}

TEST_F(UnpackedSessionTest, OtherInputsAreNoSessionOfOneFile) {
  const std::string zip = Write("s.zip", Zip());
  const std::string run =
      Write("run", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  EXPECT_EQ(Unpacked({}).value(), nullptr);
  EXPECT_EQ(Unpacked({zip, run}).value(), nullptr);
  EXPECT_EQ(Unpacked({run}).value(), nullptr) << "another format";
  EXPECT_EQ(Unpacked({PathOf("")}).value(), nullptr) << "a folder";
  EXPECT_EQ(Unpacked({PathOf("missing")}).value(), nullptr);
  loaders::LoadRequest flagged;
  flagged.files = {zip};
  flagged.flagged = {{"graph_path", run}};
  EXPECT_EQ(UnpackedSession::Of(flagged).value(), nullptr);
  EXPECT_TRUE(HasLeftNothing());
}

TEST_F(UnpackedSessionTest, WhatCannotBeReadIsAnErrorAndLeavesNothing) {
  EXPECT_FALSE(Unpacked({Write("unknown", "no known format")}).ok());
  EXPECT_FALSE(Unpacked({Write("cut.zip", Zip().substr(0, 40))}).ok());
  EXPECT_TRUE(HasLeftNothing());
  const std::string zip = Write("s.zip", Zip());
  fs::remove_all(PathOf("tmp"));
  EXPECT_FALSE(Unpacked({zip}).ok()) << "there is no place for it";
}

}  // namespace
}  // namespace tfprof::server
