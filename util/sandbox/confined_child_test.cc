#include "util/sandbox/confined_child.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/new_file.h"
#include "util/sandbox/sandbox_testing.h"

namespace tfprof::util {
namespace {

using testing::HasSubstr;

class ConfinedChildTest : public testing::Test {
 protected:
  ConfinedChildTest() {
    std::filesystem::create_directories(folder_);
    child_.may_make = [this](const std::string& path) { return path == out_; };
    child_.say = [this](const std::string& missing) { said_ = missing; };
  }
  ~ConfinedChildTest() override { std::filesystem::remove_all(folder_); }

  ChildEnd Run(const std::function<int()>& work) {
    const absl::StatusOr<ChildEnd> end = RunConfined(child_, work);
    EXPECT_TRUE(end.ok()) << end.status();
    return end.value_or(ChildEnd{.status = -1});
  }
  static std::string Text(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // Writes `text` to a new file at `path`; 0, or the code of the error.
  static int Write(const std::string& path, std::string_view text,
                   bool commit) {
    const auto file = MakeNewFile(path);
    if (!file.ok()) return static_cast<int>(file.status().code());
    if (write((*file)->fd(), text.data(), text.size()) < 0) return 100;
    return commit ? static_cast<int>((*file)->Commit().code()) : 0;
  }

  const std::string folder_ = testing::TempDir() + "/confined/";
  const std::string out_ = folder_ + "out";
  ConfinedChild child_;
  std::string said_;
};

TEST_F(ConfinedChildTest, ItsStatusIsReturned) {
  const ChildEnd end = Run([] { return 3; });
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.signal, 0);
  EXPECT_FALSE(end.out_of_time);
  EXPECT_EQ(said_.empty(), LandlockVersion() > 0);
}

TEST_F(ConfinedChildTest, ItIsConfined) {
  const int refused = LandlockVersion() > 0 ? EACCES : 0;
  EXPECT_EQ(Run([] { return OpenError("/etc/passwd", O_RDONLY); }).status,
            refused);
  EXPECT_EQ(Run([&] { return OpenError(out_, O_WRONLY | O_CREAT); }).status,
            EPERM);
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(ConfinedChildTest, AFileIsMadeForIt) {
  EXPECT_EQ(Run([&] { return Write(out_, "text", true); }).status, 0);
  EXPECT_EQ(Text(out_), "text");
  EXPECT_EQ(Run([&] { return Write(out_, "longer text", true); }).status, 0);
  EXPECT_EQ(Text(out_), "longer text");
}

TEST_F(ConfinedChildTest, AFileThatIsNotCommittedIsNotThere) {
  EXPECT_EQ(Run([&] { return Write(out_, "text", false); }).status, 0);
  EXPECT_EQ(Run([&] {
              const auto file = MakeNewFile(out_);
              _exit(file.ok() ? 5 : 6);
              return 0;
            }).status,
            5);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ConfinedChildTest, OtherFilesAreNotMadeForIt) {
  const int denied = static_cast<int>(absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Run([&] { return Write(folder_ + "x", "", true); }).status, denied);
  EXPECT_EQ(
      Run([&] { return Write(out_ + std::string("\0x", 2), "", true); }).status,
      denied);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ConfinedChildTest, ErrorsOfFilesAreThoseOfTheSystem) {
  child_.may_make = [](const std::string&) { return true; };
  EXPECT_EQ(Run([&] { return Write(folder_ + "no/x", "", true); }).status,
            static_cast<int>(absl::StatusCode::kNotFound));
}

TEST_F(ConfinedChildTest, ItHasTemporaryFiles) {
  EXPECT_EQ(Run([] {
              const int fd = MakeTemporaryFile();
              char read_back = 0;
              if (fd < 0 || write(fd, "x", 1) != 1) return 1;
              return pread(fd, &read_back, 1, 0) == 1 ? read_back : 2;
            }).status,
            'x');
}

TEST_F(ConfinedChildTest, ASignalIsReported) {
  EXPECT_EQ(Run([] {
              signal(SIGSEGV, SIG_DFL);
              raise(SIGSEGV);
              return 0;
            }).signal,
            SIGSEGV);
}

TEST_F(ConfinedChildTest, TooLongIsTheEnd) {
  child_.seconds = 1;
  const ChildEnd end = Run([] {
    for (;;) pause();
    return 0;
  });
  EXPECT_TRUE(end.out_of_time);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(ConfinedChildTest, StopSignalsArePassedOn) {
  child_.passes_stop_signals = true;
  const pid_t parent = getpid();
  const pid_t sender = fork();
  if (sender == 0) {
    usleep(300'000);
    kill(parent, SIGINT);
    _exit(0);
  }
  const ChildEnd end = Run([] {
    for (;;) usleep(1000);
    return 0;
  });
  waitpid(sender, nullptr, 0);
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST_F(ConfinedChildTest, WhoMayChangeFilesMakesThemInItsFolders) {
  child_.confinement.calls.change_files = true;
  child_.confinement.files = {{folder_, FileUse::kChange}};
  child_.may_make = [](const std::string&) { return false; };
  EXPECT_EQ(Run([&] { return Write(out_, "text", true); }).status, 0);
  EXPECT_EQ(Text(out_), "text");
  EXPECT_EQ(Run([] { return MakeTemporaryFile() < 0; }).status, 0);
  if (LandlockVersion() == 0) return;
  EXPECT_NE(
      Run([] { return Write(testing::TempDir() + "/x", "x", true); }).status,
      0);
}

TEST_F(ConfinedChildTest, DescriptorsOfOthersAreClosed) {
  const int kept = dup(STDERR_FILENO), other = dup(STDERR_FILENO);
  child_.descriptors = {kept};
  EXPECT_EQ(Run([&] { return fcntl(kept, F_GETFD) < 0; }).status, 0);
  EXPECT_EQ(Run([&] { return fcntl(other, F_GETFD) < 0; }).status, 1);
  close(kept);
  close(other);
}

TEST_F(ConfinedChildTest, NonsenseAtTheGateIsTheEndOfIt) {
  // What a reader that was taken over may send.
  EXPECT_EQ(Run([&] {
              for (int fd = 3; fd < 64; ++fd) {
                if (write(fd, "12345678", 8) < 0) continue;
                return Write(out_, "text", true) == 0 ? 1 : 0;
              }
              return 2;
            }).status,
            0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace tfprof::util
