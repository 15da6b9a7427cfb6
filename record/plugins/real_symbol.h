// RealSymbol: the function that a hook stands in front of.
//
// Programs load libraries into scopes of their own, where dlsym(RTLD_NEXT) does
// not look: Python does so with TensorFlow's. So the definition is searched in
// the loaded objects themselves, those with a part of the library's name first.
// It is searched once; a symbol that is not there is null for ever.
//
// No locks: two threads may search at once, and find the same.

#ifndef TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_
#define TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_

#include <atomic>

namespace tfprof::record {

class RealSymbol {
 public:
  // `name` is the mangled name, `object` a part of the names of the files that
  // may define it. Both stay where they are.
  constexpr RealSymbol(const char* name, const char* object)
      : name_(name), object_(object) {}

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
  const char* object_;
  std::atomic<void*> address_ = nullptr;
  std::atomic<bool> searched_ = false;
};

// Whether a file with this part in its name is loaded.
bool IsLoaded(const char* object);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_
