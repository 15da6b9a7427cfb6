#include "loaders/chrome_json/kineto/file_times.h"

#include <algorithm>

#include "util/arithmetic.h"

namespace tfprof::kineto {
namespace {

// Nanoseconds since 1970, in September 2001 and in 2100. Only times between
// them are absolute.
constexpr int64_t kFirstAbsolute = 1'000'000'000'000'000'000;
constexpr int64_t kLastAbsolute = 4'102'444'800'000'000'000;

int64_t Difference(int64_t a, int64_t b) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  return util::SaturatingAdd(
      a, b == kMin ? std::numeric_limits<int64_t>::max() : -b);
}

}  // namespace

void SetShifts(std::span<FileTimes* const> files, bool keep) {
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (FileTimes* file : files) {
    if (file->first == std::numeric_limits<int64_t>::max()) file->first = 0;
    for (const int64_t shift : {file->base, int64_t{0}}) {
      const int64_t first = util::SaturatingAdd(file->first, shift);
      if (first < kFirstAbsolute || first > kLastAbsolute) continue;
      file->absolute = true;
      file->shift = shift;
      origin = std::min(origin, first);
      break;
    }
  }
  if (keep) origin = 0;
  for (FileTimes* file : files) {
    file->shift = file->absolute ? Difference(file->shift, origin)
                                 : Difference(0, file->first);
  }
}

}  // namespace tfprof::kineto
