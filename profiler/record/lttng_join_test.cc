#include "profiler/record/lttng_join.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/record/record_testing.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A machine whose library of LTTng, and whose daemon, are those of the test.
// Both may be on the real one, too.
class LttngJoinTest : public RecordFilesTest {
 protected:
  LttngJoinTest() {
    Set("LD_LIBRARY_PATH", folder_ + "/none::" + folder_);
    // The path of a socket has at most 107 characters.
    home_ = "/tmp/tfprof-lttng-" + std::to_string(getpid());
    fs::create_directories(home_ + "/.lttng");
    Set("LTTNG_HOME", home_);
    std::ofstream(folder_ + "/liblttng-ust.so.1") << "x";
  }
  ~LttngJoinTest() override {
    if (socket_ >= 0) close(socket_);
    fs::remove_all(home_);
  }
  void Bind(const std::string& name) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = home_ + "/.lttng/" + name;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    memcpy(address.sun_path, path.c_str(), path.size());
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(
        bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
        0);
  }

  std::string home_;
  int socket_ = -1;
};

TEST_F(LttngJoinTest, ADaemonThatAnswersIsJoined) {
  Bind("lttng-ust-sock-8");
  ASSERT_EQ(listen(socket_, 8), 0);
  const auto place = FindLttng();
  ASSERT_TRUE(place.ok()) << place.status();
  std::ofstream(folder_ + "/liblttng-ust-fork.so.1") << "x";
  EXPECT_EQ(FindLttng()->fork_library, folder_ + "/liblttng-ust-fork.so.1");
}

TEST_F(LttngJoinTest, AFileThatNobodyListensOnIsNoDaemon) {
  if (fs::exists("/var/run/lttng") || fs::exists("/run/lttng")) {
    GTEST_SKIP() << "a daemon of the whole machine may run";
  }
  Set("HOME", folder_);
  const auto refused = [] {
    const auto place = FindLttng();
    EXPECT_EQ(place.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(place.status().message());
  };
  EXPECT_THAT(refused(), HasSubstr("lttng-sessiond --daemonize"));
  std::ofstream(home_ + "/.lttng/lttng-ust-sock-7") << "of a daemon that died";
  EXPECT_THAT(refused(), HasSubstr("none runs"));
  Bind("lttng-ust-sock-8");
  EXPECT_THAT(refused(), HasSubstr("none runs"));
}

TEST_F(LttngJoinTest, WithoutItsLibraryItCannotBeJoined) {
  for (const char* folder : {"/lib", "/usr/lib", "/usr/lib/x86_64-linux-gnu",
                             "/usr/local/lib", "/usr/lib/aarch64-linux-gnu"}) {
    if (fs::exists(std::string(folder) + "/liblttng-ust.so.1")) {
      GTEST_SKIP() << "this machine has it";
    }
  }
  fs::remove(folder_ + "/liblttng-ust.so.1");
  const auto place = FindLttng();
  EXPECT_EQ(place.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(place.status().message()),
              HasSubstr("install liblttng-ust1"));
}

}  // namespace
}  // namespace tfprof::recording
