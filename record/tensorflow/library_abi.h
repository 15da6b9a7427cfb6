// Facts of the ABI of libstdc++ that TensorFlow's wheels have been built for:
// how std::string and std::function are laid out. The recorder cannot use the
// classes themselves, because it runs without libstdc++ (record/sink.h).
//
// Both layouts are the same since GCC 5, and clang uses them too.

#ifndef TFPROF_RECORD_TENSORFLOW_LIBRARY_ABI_H_
#define TFPROF_RECORD_TENSORFLOW_LIBRARY_ABI_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof::record {

// One word of an argument or a result. Functions whose declarations are not
// known are called with words, which has the same effect as a jump to them.
using Word = uintptr_t;

// std::string. Short texts are in `local`.
struct StdString {
  const char* data;
  size_t size;
  char local[16];

  std::string_view text() const { return {data, size}; }
  bool IsAllocated() const { return data != local; }
};
static_assert(sizeof(StdString) == 32);

// std::function. A value of it is passed by address, and the caller destroys
// what it finds there after the call. Bytes may be moved: what cannot be moved
// is never in `functor` itself.
struct StdFunction {
  enum Operation { kTypeInfo = 0, kAddress = 1, kClone = 2, kDestroy = 3 };
  using Manager = bool (*)(Word* to, const Word* from, Operation operation);
  // Its declared arguments follow the first one.
  using Invoker = void (*)(const Word* functor, Word argument);

  Word functor[2];
  Manager manager;  // null: it is empty
  Invoker invoker;

  // Leaves this one empty.
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
