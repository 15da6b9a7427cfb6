// RealSymbol: the function that a hook stands in front of.
//
// Python loads TensorFlow's libraries into a scope of their own, where
// dlsym(RTLD_NEXT) does not look. So the definition is searched in the loaded
// objects themselves, those with TensorFlow's name first. It is searched once;
// a symbol that is not there is null for ever.
//
// No locks: two threads may search at once, and find the same.

#ifndef TFPROF_RECORD_TENSORFLOW_REAL_SYMBOL_H_
#define TFPROF_RECORD_TENSORFLOW_REAL_SYMBOL_H_

#include <atomic>

namespace tfprof::record {

class RealSymbol {
 public:
  // `name` is the mangled name and stays where it is.
  explicit constexpr RealSymbol(const char* name) : name_(name) {}

  // Null if no loaded object but the recorder defines it.
  template <typename Function>
  Function As() {
    void* address = address_.load(std::memory_order_acquire);
    if (address == nullptr) [[unlikely]] {
      address = Search();
    }
    return reinterpret_cast<Function>(address);
  }

 private:
  void* Search();

  const char* name_;
  std::atomic<void*> address_ = nullptr;
  std::atomic<bool> searched_ = false;
};

// Whether an object with TensorFlow's name is loaded.
bool IsTensorFlowLoaded();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_REAL_SYMBOL_H_
