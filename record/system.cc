#include "record/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <type_traits>

namespace tfprof::record {
namespace {

// MADV_WIPEONFORK, which older headers lack.
constexpr int kWipeOnFork = 18;

constexpr size_t kZeroBytes = 4096;

long ToLong(const void* pointer) { return reinterpret_cast<long>(pointer); }
template <typename T>
requires(std::is_integral_v<T>) long ToLong(T number) {
  return static_cast<long>(number);
}

// Returns the kernel's result. libc's syscall() sets errno, which belongs to
// the recorded program, so errno is restored.
template <typename... A>
int64_t Call(long number, A... arguments) {
  const int saved = errno;
  const long result = syscall(number, ToLong(arguments)...);
  const int error = errno;
  errno = saved;
  return result < 0 ? -error : result;
}

int Open(const char* path, int flags) {
  return static_cast<int>(
      Call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, 0644));
}
void Close(int fd) { Call(SYS_close, fd); }

// Writes at an explicit offset, which other writers cannot move.
int64_t WriteAll(int fd, uint64_t offset, std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const int64_t n = Call(SYS_pwrite64, fd, bytes.data() + done,
                           bytes.size() - done, offset + done);
    if (n == -EINTR) continue;
    if (n <= 0) return n == 0 ? -EIO : n;
    done += static_cast<size_t>(n);
  }
  return 0;
}

// The kernel ends a program with SIGXFSZ when it writes beyond this limit.
bool MayBeThatLong(uint64_t size) {
  struct rlimit limit;
  if (Call(SYS_prlimit64, 0, int{RLIMIT_FSIZE}, nullptr, &limit) < 0)
    return true;
  return limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

bool Reserve(int fd, size_t size) {
  int64_t result = 0;
  do {
    result = Call(SYS_fallocate, fd, 0, 0, size);
  } while (result == -EINTR);
  if (result == 0) return true;
  if (result != -EOPNOTSUPP && result != -ENOSYS) return false;
  // File systems without fallocate() allocate space when it is written.
  static const char zeros[kZeroBytes] = {};
  for (size_t done = 0; done < size; done += kZeroBytes) {
    const size_t rest = size - done;
    if (WriteAll(fd, done, {zeros, rest < kZeroBytes ? rest : kZeroBytes}) !=
        0) {
      return false;
    }
  }
  return true;
}

}  // namespace

uint64_t ReadClock(int clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<uint64_t>(now.tv_nsec);
}

uint32_t CurrentThread() { return static_cast<uint32_t>(Call(SYS_gettid)); }
uint32_t CurrentProcess() { return static_cast<uint32_t>(Call(SYS_getpid)); }
size_t PageBytes() {
  const long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<size_t>(bytes) : 4096;
}

int MakeFolder(const char* path) {
  return static_cast<int>(Call(SYS_mkdirat, AT_FDCWD, path, 0755));
}

int WriteNewFile(const char* path, std::string_view bytes) {
  if (!MayBeThatLong(bytes.size())) return -EFBIG;
  const int fd = Open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return fd;
  const auto result = static_cast<int>(WriteAll(fd, 0, bytes));
  // A part of a file would look like damage.
  if (result != 0) Call(SYS_ftruncate, fd, 0);
  Close(fd);
  return result;
}

int AppendToFile(const char* path, uint64_t offset, std::string_view bytes) {
  if (!MayBeThatLong(offset + bytes.size())) return -EFBIG;
  const int fd = Open(path, O_WRONLY | O_CREAT);
  if (fd < 0) return fd;
  const auto result = static_cast<int>(WriteAll(fd, offset, bytes));
  // An incomplete packet would look like damage.
  if (result != 0) Call(SYS_ftruncate, fd, offset);
  Close(fd);
  return result;
}

int64_t ReadFile(const char* path, char* bytes, size_t size) {
  const int fd = Open(path, O_RDONLY);
  if (fd < 0) return fd;
  const int64_t n = Call(SYS_read, fd, static_cast<void*>(bytes), size);
  Close(fd);
  return n;
}

void* MapNewFile(const char* path, size_t size) {
  if (!MayBeThatLong(size)) return nullptr;
  const int fd = Open(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return nullptr;
  void* mapped = nullptr;
  if (Reserve(fd, size)) {
    const int64_t address = Call(SYS_mmap, nullptr, size,
                                 PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    // The kernel returns numbers.
    if (address > 0) mapped = reinterpret_cast<void*>(address);
  }
  if (mapped == nullptr) {
    // An empty file would look like damage.
    Call(SYS_unlinkat, AT_FDCWD, path, 0);
  } else {
    // A child made by fork has its own files.
    Call(SYS_madvise, mapped, size, MADV_DONTFORK);
  }
  Close(fd);
  return mapped;
}

void Unmap(void* part, size_t size) { Call(SYS_munmap, part, size); }

void* AllocatePages(size_t size) {
  const int64_t address = Call(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address > 0 ? reinterpret_cast<void*>(address) : nullptr;
}

bool WipeOnFork(void* pages, size_t size) {
  return Call(SYS_madvise, pages, size, kWipeOnFork) == 0;
}

void YieldProcessor() { Call(SYS_sched_yield); }
void Sleep(uint64_t nanos) {
  struct timespec time = {static_cast<time_t>(nanos / 1000000000),
                          static_cast<long>(nanos % 1000000000)};
  Call(SYS_nanosleep, &time, nullptr);
}

}  // namespace tfprof::record
