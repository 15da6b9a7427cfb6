// UninitializedVector: a std::vector whose resize() leaves new elements
// uninitialized, for columns that all cores fill. Zeroing them causes page
// faults: 80 bytes for each of a million nodes cause 20,000 faults, 30 ms on
// one core. Structs that can be copied as bytes do not get the initial values
// of their members, either.

#ifndef TFPROF_PROFILE_UNINITIALIZED_H_
#define TFPROF_PROFILE_UNINITIALIZED_H_

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tfprof::profile {

template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <typename U>
  void construct(U* p) {
    if constexpr (!std::is_trivially_copyable_v<U>) {
      ::new (static_cast<void*>(p)) U;
    }
  }
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
};

template <typename T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_UNINITIALIZED_H_
