#include "util/sandbox/syscall_filter.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "gtest/gtest.h"
#include "util/sandbox/sandbox_testing.h"

namespace tfprof::util {
namespace {

constexpr int kNotFiltered = 200;

int Filtered(const AllowedCalls& allowed, const std::function<int()>& work) {
  return InChild(
      [&] { return FilterSyscalls(allowed).ok() ? work() : kNotFiltered; });
}

// The errno of a call in a filtered process; 0: it worked.
int ErrorOf(const std::function<long()>& call,
            const AllowedCalls& allowed = {}) {
  return Filtered(allowed, [&] {
    errno = 0;
    return call() >= 0 ? 0 : errno;
  });
}

TEST(SyscallFilterTest, WhatAReaderDoesWorks) {
  const std::string path = testing::TempDir() + "/filtered";
  std::ofstream(path) << "some text";
  EXPECT_EQ(Filtered({},
                     [&] {
                       std::ifstream file(path);
                       std::stringstream text;
                       text << file.rdbuf();
                       if (text.str() != "some text") return 1;
                       int sum = 0;
                       std::thread([&] { sum = 3; }).join();
                       if (sum != 3) return 2;
                       std::vector<char> memory(64 << 20, 'x');
                       if (memory.back() != 'x') return 3;
                       std::error_code error;
                       const auto size =
                           std::filesystem::file_size(path, error);
                       return !error && size == 9 ? 0 : 4;
                     }),
            0);
}

TEST(SyscallFilterTest, FilesAreNotWritten) {
  const std::string path = testing::TempDir() + "/not_written";
  std::ofstream(path) << "x";
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC,
                          O_WRONLY | O_APPEND, O_RDONLY | O_CREAT}) {
    EXPECT_EQ(Filtered({}, [&] { return OpenError(path, flags); }), EPERM)
        << flags;
  }
  EXPECT_EQ(
      Filtered(
          {},
          [] { return OpenError(testing::TempDir(), O_TMPFILE | O_WRONLY); }),
      EPERM);
  EXPECT_EQ(ErrorOf([&] { return unlink(path.c_str()); }), EPERM);
  EXPECT_EQ(ErrorOf([&] { return rename(path.c_str(), "x"); }), EPERM);
  EXPECT_EQ(ErrorOf([&] { return chmod(path.c_str(), 0777); }), EPERM);
  EXPECT_EQ(ErrorOf([] { return mkdir("x", 0777); }), EPERM);
  EXPECT_EQ(ErrorOf([&] { return truncate(path.c_str(), 0); }), EPERM);
}

TEST(SyscallFilterTest, FilesAreWrittenByWhoMay) {
  const std::string path = testing::TempDir() + "/written";
  const AllowedCalls allowed = {.change_files = true};
  EXPECT_EQ(
      Filtered(allowed, [&] { return OpenError(path, O_WRONLY | O_CREAT); }),
      0);
  EXPECT_EQ(ErrorOf([&] { return unlink(path.c_str()); }, allowed), 0);
}

TEST(SyscallFilterTest, ThereIsNoWayOut) {
  const pid_t parent = getpid();
  char* const arguments[] = {nullptr};
  const std::pair<const char*, std::function<long()>> calls[] = {
      {"socket", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
      {"unix socket", [] { return socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"connect", [] { return connect(0, nullptr, 0); }},
      {"bind", [] { return bind(0, nullptr, 0); }},
      {"execve", [&] { return execve("/bin/true", arguments, arguments); }},
      {"fork", [] { return fork(); }},
      {"ptrace", [&] { return ptrace(PTRACE_ATTACH, parent, 0, 0); }},
      {"process_vm_readv",
       [&] { return process_vm_readv(parent, nullptr, 0, nullptr, 0, 0); }},
      {"kill", [&] { return kill(parent, 0); }},
      {"tgkill", [&] { return syscall(SYS_tgkill, parent, parent, 0); }},
      {"F_SETOWN", [&] { return fcntl(0, F_SETOWN, parent); }},
      {"TIOCSTI", [] { return ioctl(0, TIOCSTI, "x"); }},
      {"memfd_create", [] { return syscall(SYS_memfd_create, "x", 0); }},
      {"io_uring_setup", [] { return syscall(425, 1, nullptr); }},
      {"openat2", [] { return syscall(437, 0, "x", nullptr, 0); }},
      {"setrlimit",
       [] {
         const rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
         return setrlimit(RLIMIT_DATA, &limit);
       }},
      {"code",
       [] {
         void* const code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return code == MAP_FAILED ? -1L : 0L;
       }},
      {"accept4", [] { return accept4(0, nullptr, nullptr, 0); }},
  };
  for (const auto& [name, call] : calls)
    EXPECT_EQ(ErrorOf(call), EPERM) << name;
}

TEST(SyscallFilterTest, AServerAcceptsButMakesNoSocket) {
  const AllowedCalls allowed = {.serve = true};
  EXPECT_EQ(ErrorOf([] { return accept4(-1, nullptr, nullptr, 0); }, allowed),
            EBADF);
  EXPECT_EQ(ErrorOf([] { return socket(AF_INET, SOCK_STREAM, 0); }, allowed),
            EPERM);
}

#ifdef __x86_64__
TEST(SyscallFilterTest, NumbersOfAnotherMachineEndTheProcess) {
  EXPECT_EQ(Filtered({},
                     [] {
                       long number = 20;  // getpid() of 32 bits
                       asm volatile("int $0x80" : "+a"(number));
                       return 0;
                     }),
            -1);
}
#endif

}  // namespace
}  // namespace tfprof::util
