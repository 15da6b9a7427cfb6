// RealSymbol: the real function behind a hook.
//
// Programs may load libraries into local scopes, where dlsym(RTLD_NEXT) does
// not look; Python loads TensorFlow that way. So the definition is searched in
// the loaded objects themselves, beginning with those whose name contains a
// part of the library's name. It is searched once; a missing symbol stays null.
//
// There are no locks: two threads may search at the same time, and find the
// same.

#ifndef TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_
#define TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_

#include <atomic>

namespace tfprof::record {

class RealSymbol {
 public:
  // `name` is the mangled name, `object` a part of the names of the files that
  // may define it. Both must outlive this.
  constexpr RealSymbol(const char* name, const char* object)
      : name_(name), object_(object) {}

  // Null if no loaded object except the recorder defines it.
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

// True if a file with this part in its name is loaded.
bool IsLoaded(const char* object);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_REAL_SYMBOL_H_
