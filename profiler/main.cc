#include <google/protobuf/stubs/logging.h>

#include <clocale>
#include <string>
#include <vector>

#include "profiler/shell.h"

int main(int argc, char** argv) {
  // The terminal's encoding, for editing; numbers stay in "C" form.
  setlocale(LC_CTYPE, "");
  // What libprotobuf has to say about a file, the loaders say better.
  google::protobuf::SetLogHandler(nullptr);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return tfprof::RunProgram(arguments);
}
