#include "record/tensorflow/real_symbol.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

// Older versions of glibc have them in a library that some programs do not
// load. Those that load TensorFlow do.
#pragma weak dl_iterate_phdr
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlopen

namespace tfprof::record {
namespace {

// The paths of loaded objects that may define TensorFlow's functions. They are
// copied first and opened afterwards: dlopen() within dl_iterate_phdr() waits
// for a lock that a thread may hold which waits for this one.
struct Objects {
  static constexpr size_t kMaxObjects = 8;
  static constexpr size_t kMaxPath = 1024;
  char paths[kMaxObjects][kMaxPath];
  size_t num_objects = 0;
};

// libtensorflow_framework.so.2, libtensorflow_cc.so.2, and in older wheels
// _pywrap_tensorflow_internal.so.
bool MayDefine(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != path.npos) path.remove_prefix(slash + 1);
  return path.find("tensorflow") != path.npos;
}

int AddObject(dl_phdr_info* info, size_t, void* data) {
  auto& objects = *static_cast<Objects*>(data);
  const char* const path = info->dlpi_name;
  if (path == nullptr || !MayDefine(path)) return 0;
  const size_t size = strlen(path);
  if (size >= Objects::kMaxPath) return 0;
  memcpy(objects.paths[objects.num_objects++], path, size + 1);
  return objects.num_objects == Objects::kMaxObjects;
}

void FindObjects(Objects& objects) {
  const bool is_linked = dl_iterate_phdr != nullptr && dlopen != nullptr &&
                         dlclose != nullptr && dladdr != nullptr;
  if (is_linked) dl_iterate_phdr(AddObject, &objects);
}

bool IsOwn(void* address) {
  static const char here = 0;
  Dl_info own, other;
  return dladdr(&here, &own) != 0 && dladdr(address, &other) != 0 &&
         own.dli_fbase == other.dli_fbase;
}

}  // namespace

void* RealSymbol::Search() {
  if (searched_.load(std::memory_order_acquire)) {
    return address_.load(std::memory_order_acquire);
  }
  Objects objects;
  FindObjects(objects);
  void* found = nullptr;
  for (size_t i = 0; i < objects.num_objects && found == nullptr; ++i) {
    void* const object = dlopen(objects.paths[i], RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    found = dlsym(object, name_);
    dlclose(object);
    if (found != nullptr && IsOwn(found)) found = nullptr;
  }
  if (found == nullptr) found = dlsym(RTLD_NEXT, name_);
  address_.store(found, std::memory_order_release);
  // A symbol of an object that is loaded later is found then.
  if (found != nullptr || objects.num_objects > 0) {
    searched_.store(true, std::memory_order_release);
  }
  return found;
}

bool IsTensorFlowLoaded() {
  Objects objects;
  FindObjects(objects);
  return objects.num_objects > 0;
}

}  // namespace tfprof::record
