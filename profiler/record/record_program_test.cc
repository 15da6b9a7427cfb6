#include "profiler/record/record_program.h"

#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/record/record_testing.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Programs of shells: they have no op, so that nothing is recorded of them.
class RecordProgramTest : public RecordFilesTest {
 protected:
  RecordProgramTest() {
    options_.folder = folder_ + "/trace";
    Set("TMPDIR", folder_);
  }

  int Record(const std::vector<std::string>& program) {
    said_.clear();
    return RecordProgram(options_, program,
                         [&](std::string_view text) { said_ += text; });
  }
  int RecordShell(const std::string& script) {
    return Record({"/bin/sh", "-c", script});
  }
  std::string Text(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/" + name).rdbuf();
    return text.str();
  }

  options::RecordOptions options_;
  std::string said_;
};

TEST_F(RecordProgramTest, TheExitStatusIsThatOfTheProgram) {
  EXPECT_EQ(RecordShell("exit 0"), kNothingRecorded);
  EXPECT_EQ(RecordShell("exit 42"), 42);
  EXPECT_EQ(RecordShell("kill -TERM $$"), 128 + 15);
  EXPECT_EQ(RecordShell("kill -KILL $$"), 128 + 9);
}

TEST_F(RecordProgramTest, AProgramThatCannotBeRunIsNamed) {
  EXPECT_EQ(Record({"no-such-program"}), kNoSuchProgram);
  EXPECT_EQ(said_,
            "tfprof: record: the program cannot be run: no-such-program; no "
            "such program, here or in PATH\n");
  std::ofstream(folder_ + "/text") << "x";
  EXPECT_EQ(Record({folder_ + "/text"}), kCannotExecute);
  EXPECT_THAT(said_, HasSubstr("Permission denied"));
  EXPECT_FALSE(fs::exists(options_.folder)) << "it got nothing";
}

TEST_F(RecordProgramTest, WithoutEventsThereIsNoFolder) {
  EXPECT_EQ(RecordShell("exit 3"), 3);
  EXPECT_THAT(said_, StartsWith("tfprof: nothing was recorded: "));
  EXPECT_THAT(said_, HasSubstr("not operations of PyTorch"));
  EXPECT_FALSE(fs::exists(options_.folder));
  fs::create_directories(options_.folder);
  EXPECT_EQ(RecordShell("exit 3"), 3);
  EXPECT_TRUE(fs::exists(options_.folder)) << "it was there before";
}

TEST_F(RecordProgramTest, ARecordingWithoutEventsIsAFailure) {
  EXPECT_EQ(RecordShell("true"), kNothingRecorded);
  EXPECT_FALSE(fs::exists(options_.folder));
}

TEST_F(RecordProgramTest, TheProgramFindsTheLibraryAndTheFolder) {
  EXPECT_EQ(RecordShell("echo \"$TFPROF_RECORD\" > " + folder_ + "/out; " +
                        "test -r \"${LD_PRELOAD%%:*}\""),
            kNothingRecorded);
  EXPECT_EQ(Text("out"), options_.folder + "\n");
}

TEST_F(RecordProgramTest, AFolderWithFilesIsNotWrittenInto) {
  fs::create_directories(options_.folder);
  std::ofstream(options_.folder + "/thesis") << "x";
  EXPECT_EQ(RecordShell("touch " + folder_ + "/ran"), kCannotRecord);
  EXPECT_THAT(said_, HasSubstr("exists and is not an empty folder"));
  EXPECT_FALSE(fs::exists(folder_ + "/ran"));
  options_.folder = folder_ + "/missing/trace";
  EXPECT_EQ(RecordShell("touch " + folder_ + "/ran"), kCannotRecord);
  EXPECT_THAT(said_, HasSubstr("No such file or directory"));
  EXPECT_FALSE(fs::exists(folder_ + "/ran"));
}

// The folder of a process, as the recorder leaves it, is reported.
TEST_F(RecordProgramTest, WhatWasRecordedIsSaidWithTheCommandThatOpensIt) {
  options_.folder = folder_ + "/it's here";
  EXPECT_EQ(RecordShell("mkdir \"$TFPROF_RECORD/p\" && "
                        "printf 12345 > \"$TFPROF_RECORD/p/metadata\""),
            0);
  EXPECT_THAT(said_,
              StartsWith("tfprof: recorded 0 events in 0 threads of 1 process, "
                         "0 dropped, 5B; open it with\n  tfprof '" +
                         folder_ + "/it'\\''s here'\n"));
}

TEST_F(RecordProgramTest, ProcessesThatGoOnAreSaid) {
  EXPECT_EQ(RecordShell("sleep 0.5 >/dev/null 2>&1 & exit 0"), 0);
  EXPECT_THAT(said_, HasSubstr("are still running"));
  // It is a child of this process now.
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

TEST_F(RecordProgramTest, LttngHasNoFolder) {
  options_.lttng = true;
  EXPECT_EQ(RecordShell("touch " + folder_ + "/ran"), kCannotRecord);
  EXPECT_THAT(said_, HasSubstr("give either it or -o"));
  EXPECT_FALSE(fs::exists(folder_ + "/ran"));
}

}  // namespace
}  // namespace tfprof::recording
