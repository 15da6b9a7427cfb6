#include "util/sandbox/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "util/files/errno_status.h"

namespace tfprof::util {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;
#endif

// Always allowed, with any arguments. Some calls exist on x86-64 only.
constexpr int kPlainCalls[] = {
    // Open descriptors.
    __NR_read,
    __NR_write,
    __NR_readv,
    __NR_writev,
    __NR_pread64,
    __NR_pwrite64,
    __NR_lseek,
    __NR_close,
    __NR_fstat,
    __NR_dup,
    __NR_dup3,
    __NR_getdents64,
    __NR_ppoll,
    __NR_pselect6,
    __NR_fadvise64,
    __NR_sendmsg,
    __NR_recvmsg,
    // Names, sizes and times of files.
    __NR_newfstatat,
    __NR_statx,
    __NR_faccessat,
    __NR_readlinkat,
    __NR_getcwd,
    __NR_fstatfs,
    __NR_statfs,
    // Memory.
    __NR_brk,
    __NR_munmap,
    __NR_mremap,
    __NR_madvise,
    __NR_mincore,
    // Threads, and the time.
    __NR_futex,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    __NR_set_robust_list,
    __NR_set_tid_address,
    __NR_nanosleep,
    __NR_clock_nanosleep,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_gettimeofday,
    __NR_restart_syscall,
    __NR_exit,
    __NR_exit_group,
    // Signals of the process itself.
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_rt_sigtimedwait,
    // What the process is.
    __NR_getpid,
    __NR_gettid,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getrusage,
    __NR_sysinfo,
    __NR_uname,
    __NR_getrandom,
    __NR_getcpu,
#ifdef __NR_rseq
    __NR_rseq,
#endif
#ifdef __NR_membarrier
    __NR_membarrier,
#endif
#ifdef __NR_faccessat2
    __NR_faccessat2,
#endif
#ifdef __x86_64__
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_poll,
    __NR_select,
    __NR_time,
    __NR_dup2,
    __NR_getrlimit,
#endif
};

constexpr int kServerCalls[] = {
    __NR_accept4,       __NR_recvfrom,    __NR_sendto,      __NR_shutdown,
    __NR_setsockopt,    __NR_getsockopt,  __NR_getsockname, __NR_getpeername,
    __NR_epoll_create1, __NR_epoll_ctl,   __NR_epoll_pwait, __NR_eventfd2,
    __NR_signalfd4,     __NR_setpriority,
#ifdef __x86_64__
    __NR_epoll_wait,
#endif
};

constexpr int kChangingCalls[] = {
    __NR_openat,    __NR_mkdirat,   __NR_unlinkat,  __NR_linkat,
    __NR_renameat,  __NR_ftruncate, __NR_fchmod,    __NR_fchown,
    __NR_flock,     __NR_fsync,     __NR_fdatasync, __NR_utimensat,
#ifdef __NR_renameat2
    __NR_renameat2,
#endif
#ifdef __x86_64__
    __NR_open,      __NR_mkdir,     __NR_unlink,    __NR_rmdir,
    __NR_link,      __NR_rename,
#endif
};

constexpr uint32_t kOpenForWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC |
                                     O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

// Whether a terminal is there, and how large it is. TIOCSTI, which types into
// the terminal, is not among them.
constexpr uint32_t kTerminalQuestions[] = {TCGETS, TIOCGWINSZ, FIONREAD,
                                           0x802c542a /* TCGETS2 */};
// Not F_SETOWN, which sends signals to other processes.
constexpr uint32_t kDescriptorCalls[] = {F_DUPFD, F_GETFD, F_SETFD,
                                         F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};

// The instructions of a filter. The kernel runs them for each call, with the
// number of the call in the accumulator.
class Program {
 public:
  Program() {
    Load(offsetof(seccomp_data, arch));
    Jump(kMachine, 1, 0);
    Return(SECCOMP_RET_KILL_PROCESS);
    Load(offsetof(seccomp_data, nr));
  }

  void Allow(std::span<const int> calls) {
    for (const int call : calls) {
      Jump(static_cast<uint32_t>(call), 0, 1);
      Return(SECCOMP_RET_ALLOW);
    }
  }
  // Allows `call` if the bits `mask` of its argument are one of `values`.
  void AllowIf(int call, int argument, uint32_t mask,
               std::span<const uint32_t> values) {
    const size_t steps = 2 + 2 * values.size() + 1;
    Jump(static_cast<uint32_t>(call), 0, static_cast<uint8_t>(steps));
    Load(LowHalf(argument));
    Add(BPF_ALU | BPF_AND | BPF_K, mask);
    for (const uint32_t value : values) {
      Jump(value, 0, 1);
      Return(SECCOMP_RET_ALLOW);
    }
    Return(Error(EPERM));
  }
  void AllowIf(int call, int argument, uint32_t mask, uint32_t value) {
    AllowIf(call, argument, mask, std::span(&value, 1));
  }
  // Allows `call` if all 64 bits of its argument are 0.
  void AllowIfNull(int call, int argument) {
    Jump(static_cast<uint32_t>(call), 0, 6);
    Load(LowHalf(argument));
    Jump(0, 0, 3);
    Load(LowHalf(argument) + sizeof(uint32_t));
    Jump(0, 0, 1);
    Return(SECCOMP_RET_ALLOW);
    Return(Error(EPERM));
  }
  void Fail(int call, int error) {
    Jump(static_cast<uint32_t>(call), 0, 1);
    Return(Error(error));
  }
  void FailOthers() { Return(Error(EPERM)); }

  std::span<sock_filter> code() { return code_; }

 private:
  static uint32_t Error(int error) {
    return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error);
  }
  // Both machines are little-endian.
  static uint32_t LowHalf(int argument) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args)) +
           static_cast<uint32_t>(argument) * sizeof(uint64_t);
  }
  void Add(uint16_t code, uint32_t k, uint8_t if_true = 0,
           uint8_t if_false = 0) {
    code_.push_back({code, if_true, if_false, k});
  }
  void Load(uint32_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void Jump(uint32_t value, uint8_t if_equal, uint8_t otherwise) {
    Add(BPF_JMP | BPF_JEQ | BPF_K, value, if_equal, otherwise);
  }
  void Return(uint32_t action) { Add(BPF_RET | BPF_K, action); }

  std::vector<sock_filter> code_;
};

}  // namespace

absl::Status FilterSyscalls(const AllowedCalls& allowed) {
  if (kMachine == 0) {
    return absl::UnimplementedError(
        "system calls are filtered on x86-64 and AArch64 only");
  }
  Program program;
  program.Allow(kPlainCalls);
  if (allowed.serve) program.Allow(kServerCalls);
  if (allowed.change_files) {
    program.Allow(kChangingCalls);
  } else {
    program.AllowIf(__NR_openat, 2, kOpenForWriting, 0);
#ifdef __x86_64__
    program.AllowIf(__NR_open, 1, kOpenForWriting, 0);
#endif
  }
  program.AllowIf(__NR_mmap, 2, PROT_EXEC, 0);
  program.AllowIf(__NR_mprotect, 2, PROT_EXEC, 0);
  program.AllowIf(__NR_ioctl, 1, UINT32_MAX, kTerminalQuestions);
  program.AllowIf(__NR_fcntl, 1, UINT32_MAX, kDescriptorCalls);
  program.AllowIf(__NR_tgkill, 0, UINT32_MAX, static_cast<uint32_t>(getpid()));
  program.AllowIf(__NR_prctl, 0, UINT32_MAX, PR_SET_NAME);
  program.AllowIfNull(__NR_prlimit64, 2);
  program.AllowIf(__NR_clone, 0, CLONE_THREAD, CLONE_THREAD);
#ifdef __NR_clone3
  // Its flags are in memory, which a filter cannot read. glibc then calls
  // clone().
  program.Fail(__NR_clone3, ENOSYS);
#endif
  program.FailOthers();
  const std::span<sock_filter> code = program.code();
  const sock_fprog filter = {.len = static_cast<unsigned short>(code.size()),
                             .filter = code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
    return ErrnoStatus(errno, "seccomp");
  }
  return absl::OkStatus();
}

}  // namespace tfprof::util
