#include "profiler/shell/redirect.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/shell/recording_ui_testing.h"

namespace tfprof::shell {
namespace {
namespace redirect_test {

using ::testing::HasSubstr;

using Kind = commands::Redirection::Kind;

std::string Fresh(const std::string& name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path.string();
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

absl::Status WriteTo(Kind kind, const std::string& target,
                     const std::string& text, bool good = true) {
  auto opened = OpenRedirection({.kind = kind, .target = target});
  if (!opened.ok()) return opened.status();
  (*opened)->sink().Write(text);
  return (*opened)->Close(good);
}

TEST(RedirectionTargetTest, AFileIsReplacedOnSuccessOnly) {
  const std::string path = Fresh("file");
  ASSERT_TRUE(WriteTo(Kind::kFile, path, "one").ok());
  ASSERT_TRUE(WriteTo(Kind::kFile, path, "two").ok());
  EXPECT_EQ(Contents(path), "two");
  ASSERT_TRUE(WriteTo(Kind::kFile, path, "three", /*good=*/false).ok());
  EXPECT_EQ(Contents(path), "two");
}

TEST(RedirectionTargetTest, AFileIsAppendedTo) {
  const std::string path = Fresh("appended");
  ASSERT_TRUE(WriteTo(Kind::kAppend, path, "one").ok());
  ASSERT_TRUE(WriteTo(Kind::kAppend, path, "two").ok());
  EXPECT_EQ(Contents(path), "onetwo");
}

TEST(RedirectionTargetTest, ACommandReadsItAndIsWaitedFor) {
  const std::string path = Fresh("piped");
  ASSERT_TRUE(WriteTo(Kind::kPipe, "tr a-z A-Z > " + path, "text").ok());
  EXPECT_EQ(Contents(path), "TEXT");
  const absl::Status failed = WriteTo(Kind::kPipe, "exit 3", "");
  EXPECT_THAT(std::string(failed.message()), HasSubstr("exit status 3"));
}

TEST(RedirectionTargetTest, ATargetThatCannotBeOpenedIsAnError) {
  for (const Kind kind : {Kind::kFile, Kind::kAppend}) {
    EXPECT_EQ(WriteTo(kind, "/no/such/file", "").code(),
              absl::StatusCode::kNotFound);
  }
}

TEST(RedirectedUiTest, OnlyReportsAreRedirected) {
  RecordingUi inner;
  RedirectedUi ui(inner);
  util::StringSink elsewhere;
  ui.Redirect(&elsewhere);
  ui.out().Write("report");
  ui.Show({.wanted = true}, [](util::Sink& sink) { sink.Write(" shown"); });
  ui.Error("message");
  EXPECT_FALSE(ui.screen().terminal);
  ui.Redirect(nullptr);
  ui.out().Write("here");
  EXPECT_EQ(elsewhere.text(), "report shown");
  EXPECT_EQ(inner.output(), "here");
  EXPECT_EQ(inner.errors(), "message");
}

}  // namespace redirect_test
}  // namespace
}  // namespace tfprof::shell
