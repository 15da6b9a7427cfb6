// The shared library that `tfprof record` loads into programs, as a file.

#ifndef TFPROF_RECORD_LIBRARY_FILE_H_
#define TFPROF_RECORD_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof {

// The bytes of libtfprof_record.so.
std::string_view RecorderLibrary();

}  // namespace tfprof

#endif  // TFPROF_RECORD_LIBRARY_FILE_H_
