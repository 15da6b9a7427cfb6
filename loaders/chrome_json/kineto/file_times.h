// The time axis of one or more files of a job. Files whose times count from
// 1970 share an axis; each other file has its own. All times are nanoseconds.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_FILE_TIMES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_FILE_TIMES_H_

#include <cstdint>
#include <limits>
#include <span>

namespace tfprof::kineto {

struct FileTimes {
  int64_t first = std::numeric_limits<int64_t>::max();  // the smallest start
  int64_t last = std::numeric_limits<int64_t>::min();   // the largest end
  // What the file says must be added for times since 1970.
  int64_t base = 0;
  // The times count from 1970, with or without `base`.
  bool absolute = false;
  // To add to the times of the file.
  int64_t shift = 0;
};

// Sets `absolute` and `shift` so that the smallest start is 0: for all files
// with absolute times together, and for each other file alone. A file without
// events begins at 0. If `keep`, absolute times stay absolute.
void SetShifts(std::span<FileTimes* const> files, bool keep = false);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_FILE_TIMES_H_
