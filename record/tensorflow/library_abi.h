// The part of libstdc++'s ABI that TensorFlow's wheels use: the layouts of
// std::string and std::function. The recorder cannot use the classes
// themselves, because it runs without libstdc++ (record/sink.h).
//
// Both layouts are unchanged since GCC 5, and clang uses them too.

#ifndef TFPROF_RECORD_TENSORFLOW_LIBRARY_ABI_H_
#define TFPROF_RECORD_TENSORFLOW_LIBRARY_ABI_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof::record {

// One word of an argument or a result. Functions whose declarations are unknown
// are called with words, which has the same effect as a jump to them.
using Word = uintptr_t;

// std::string. Short texts are stored in `local`.
struct StdString {
  const char* data;
  size_t size;
  char local[16];

  std::string_view text() const { return {data, size}; }
  bool IsAllocated() const { return data != local; }
};
static_assert(sizeof(StdString) == 32);

// std::function. It is passed by address, and the caller destroys it after the
// call. It may be moved bytewise: objects that must not be moved are never
// stored in `functor` itself.
struct StdFunction {
  enum Operation { kTypeInfo = 0, kAddress = 1, kClone = 2, kDestroy = 3 };
  using Manager = bool (*)(Word* to, const Word* from, Operation operation);
  // The declared arguments of the function follow the first one.
  using Invoker = void (*)(const Word* functor, Word argument);

  Word functor[2];
  Manager manager;  // null if it is empty
  Invoker invoker;

  // Moves the function out and leaves this one empty.
  StdFunction Take() {
    const StdFunction taken = *this;
    manager = nullptr;
    return taken;
  }
  void Invoke(Word argument) const { invoker(functor, argument); }
  void Destroy() {
    if (manager != nullptr) manager(functor, functor, kDestroy);
    manager = nullptr;
  }
};
static_assert(sizeof(StdFunction) == 32);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_LIBRARY_ABI_H_
