#include "record/plugins/real_symbol.h"

#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "record/plugins/dynamic_linker.h"

namespace tfprof::record {
namespace {

// The paths of loaded objects that may define a function. They are
// copied first and opened afterwards: dlopen() within dl_iterate_phdr() waits
// for a lock that a thread may hold which waits for this one.
struct Objects {
  static constexpr size_t kMaxObjects = 8;
  static constexpr size_t kMaxPath = 1024;
  std::string_view part_of_name;
  size_t num_objects = 0;
  char paths[kMaxObjects][kMaxPath];
};

int AddObject(dl_phdr_info* info, size_t, void* data) {
  auto& objects = *static_cast<Objects*>(data);
  const char* const path = info->dlpi_name;
  if (path == nullptr) return 0;
  std::string_view name = path;
  const size_t size = name.size();
  if (size >= Objects::kMaxPath) return 0;
  const size_t slash = name.rfind('/');
  if (slash != name.npos) name.remove_prefix(slash + 1);
  if (name.find(objects.part_of_name) == name.npos) return 0;
  memcpy(objects.paths[objects.num_objects++], path, size + 1);
  return objects.num_objects == Objects::kMaxObjects;
}

void FindObjects(std::string_view part_of_name, Objects& objects) {
  objects.part_of_name = part_of_name;
  if (HasDynamicLinker()) dl_iterate_phdr(AddObject, &objects);
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
  FindObjects(object_, objects);
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

bool IsLoaded(const char* object) {
  Objects objects;
  FindObjects(object, objects);
  return objects.num_objects > 0;
}

}  // namespace tfprof::record
