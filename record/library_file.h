// The shared libraries that `tfprof record` loads into programs, as files.

#ifndef TFPROF_RECORD_LIBRARY_FILE_H_
#define TFPROF_RECORD_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof {

// The bytes of libtfprof_record.so.
std::string_view RecorderLibrary();
// Those of the library that has its events as tracepoints of LTTng-UST.
std::string_view LttngProvider();

}  // namespace tfprof

#endif  // TFPROF_RECORD_LIBRARY_FILE_H_
