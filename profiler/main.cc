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

#include "profiler/shell/program.h"

namespace {

// The number of a standard stream that is closed must not go to a file that we
// open. It goes to one whose use is an error, as it was.
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
  // Buffers of the loaders are used again and again: giving them back to the
  // system in between cost a fifth of loading, in page faults.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  ReserveStandardStreams();
  // Who closes our pipe has seen enough: writing fails, and nothing else.
  signal(SIGPIPE, SIG_IGN);
  // The same beyond the size that a file may have (ulimit -f).
  signal(SIGXFSZ, SIG_IGN);
  ChooseEncoding();
  // What libprotobuf has to say about a file, the loaders say better.
  google::protobuf::SetLogHandler(nullptr);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return tfprof::RunProgram(arguments);
}
