#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <langinfo.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/program/program.h"
#include "profiler/shell/exit_status.h"
#include "util/run/memory_limit.h"

namespace {

// A file that we open must not get the number of a closed standard stream. A
// placeholder gets it, whose use is an error, like that of a closed stream.
void ReserveStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

// The terminal's encoding, for editing; numbers stay in "C" form. UTF-8 is part
// of a static glibc. For any other encoding it would load a library, and the
// one of another glibc may crash: such a terminal gets "C".
void ChooseEncoding() {
  setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") {
    setlocale(LC_CTYPE, "C");
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Buffers of the loaders are used again and again: returning them to the
  // system in between cost a fifth of the time of loading, in page faults.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  tfprof::util::EndWithoutMemory(tfprof::shell::kFailed);
  ReserveStandardStreams();
  // When the reader of our pipe closes it, writing fails; nothing else happens.
  signal(SIGPIPE, SIG_IGN);
  // The same beyond the size that a file may have (ulimit -f).
  signal(SIGXFSZ, SIG_IGN);
  ChooseEncoding();
  // The loaders describe errors in a file better than libprotobuf.
  google::protobuf::SetLogHandler(nullptr);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return tfprof::program::RunProgram(arguments);
}
