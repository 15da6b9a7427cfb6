// The global ids of Nsight Systems: a process above the 24 bits of a thread.

#ifndef TFPROF_LOADERS_NSYS_GLOBAL_ID_H_
#define TFPROF_LOADERS_NSYS_GLOBAL_ID_H_

#include <cstdint>

namespace tfprof::nsys {

inline constexpr int kThreadBits = 24;

constexpr int64_t ProcessOf(int64_t global_id) {
  return global_id >> kThreadBits;
}
constexpr int64_t ThreadOf(int64_t global_id) {
  return global_id & ((int64_t{1} << kThreadBits) - 1);
}

}  // namespace tfprof::nsys

#endif  // TFPROF_LOADERS_NSYS_GLOBAL_ID_H_
