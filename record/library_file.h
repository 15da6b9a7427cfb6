// The shared libraries that `tfprof record` loads into programs, as bytes
// embedded in the program.

#ifndef TFPROF_RECORD_LIBRARY_FILE_H_
#define TFPROF_RECORD_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof {

// The bytes of libtfprof_record.so.
std::string_view RecorderLibrary();
// The bytes of the library that turns events into LTTng-UST tracepoints.
std::string_view LttngProvider();

}  // namespace tfprof

#endif  // TFPROF_RECORD_LIBRARY_FILE_H_
