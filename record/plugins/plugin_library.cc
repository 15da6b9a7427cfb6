#include "record/plugins/plugin_library.h"

#include <string_view>

#include "record/plugins/dynamic_linker.h"
#include "record/sink.h"

// This function of the C++ ABI for Unix is in libc. atexit() would be linked
// into the library itself, but the recorder is linked with nothing.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) int __cxa_atexit(void (*end)(void*),
                                                  void* argument,
                                                  void* library);

namespace tfprof::record {

bool PluginLibrary::Open(const char* setting,
                         std::initializer_list<const char*> names) {
  if (!HasDynamicLinker()) return false;
  const std::string_view own = Setting(setting);
  if (!own.empty()) {
    // Values of the environment end with a 0.
    handle_ = dlopen(own.data(), RTLD_LAZY | RTLD_LOCAL);
    return handle_ != nullptr;
  }
  for (const char* const name : names) {
    handle_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle_ != nullptr) return true;
  }
  return false;
}

void* PluginLibrary::Find(const char* symbol) const {
  return handle_ != nullptr ? dlsym(handle_, symbol) : nullptr;
}

bool IsLeftOut(const char* setting) { return Setting(setting) == "off"; }

void CallAtExit(void (*end)()) {
  if (__cxa_atexit == nullptr) return;
  // With a null handle, sanitizers treat the call as atexit() and pass no
  // argument. The address of `handle` belongs to no library, so nothing calls
  // the function early.
  static char handle;
  __cxa_atexit([](void* f) { reinterpret_cast<void (*)()>(f)(); },
               reinterpret_cast<void*>(end), &handle);
}

}  // namespace tfprof::record
