#include "record/plugins/real_symbol.h"

#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "record/plugins/dynamic_linker.h"

namespace tfprof::record {
namespace {

// The paths of loaded objects that may define a function, a few at a time. They
// are copied first and opened afterwards: dlopen() within dl_iterate_phdr()
// could deadlock with a thread that holds the loader's lock and waits for this
// one.
struct Objects {
  static constexpr size_t kMaxObjects = 8;
  static constexpr size_t kMaxPath = 1024;
  std::string_view part_of_name;
  size_t num_skipped = 0;  // objects of earlier rounds
  size_t num_objects = 0;
  char paths[kMaxObjects][kMaxPath];

  bool is_full() const { return num_objects == kMaxObjects; }
};

int AddObject(dl_phdr_info* info, size_t, void* data) {
  auto& objects = *static_cast<Objects*>(data);
  const std::string_view path =
      info->dlpi_name != nullptr ? info->dlpi_name : "";
  // The program itself has no path. Its own functions take precedence over the
  // recorder's and are not hooked.
  if (path.empty() || path.size() >= Objects::kMaxPath) return 0;
  std::string_view name = path;
  const size_t slash = name.rfind('/');
  if (slash != name.npos) name.remove_prefix(slash + 1);
  if (name.find(objects.part_of_name) == name.npos) return 0;
  if (objects.num_skipped > 0) {
    --objects.num_skipped;
    return 0;
  }
  char* const copy = objects.paths[objects.num_objects++];
  memcpy(copy, path.data(), path.size());
  copy[path.size()] = 0;
  return objects.is_full();
}

void FindObjects(std::string_view part_of_name, size_t num_skipped,
                 Objects& objects) {
  objects.part_of_name = part_of_name;
  objects.num_skipped = num_skipped;
  objects.num_objects = 0;
  if (HasDynamicLinker()) dl_iterate_phdr(AddObject, &objects);
}

bool IsOwn(void* address) {
  static const char here = 0;
  Dl_info own, other;
  return dladdr(&here, &own) != 0 && dladdr(address, &other) != 0 &&
         own.dli_fbase == other.dli_fbase;
}

void* FindIn(std::string_view part_of_name, const char* symbol) {
  Objects objects;
  for (size_t seen = 0;; seen += Objects::kMaxObjects) {
    FindObjects(part_of_name, seen, objects);
    for (size_t i = 0; i < objects.num_objects; ++i) {
      void* const object = dlopen(objects.paths[i], RTLD_LAZY | RTLD_NOLOAD);
      if (object == nullptr) continue;
      void* const found = dlsym(object, symbol);
      dlclose(object);
      if (found != nullptr && !IsOwn(found)) return found;
    }
    if (!objects.is_full()) return nullptr;
  }
}

}  // namespace

void* RealSymbol::Search() {
  if (searched_.load(std::memory_order_acquire)) {
    return address_.load(std::memory_order_acquire);
  }
  void* found = FindIn(object_, name_);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name_);
  // The hook was called, so the function exists somewhere, perhaps in a library
  // that has another library linked into it.
  if (found == nullptr) found = FindIn("", name_);
  address_.store(found, std::memory_order_release);
  searched_.store(true, std::memory_order_release);
  return found;
}

bool IsLoaded(const char* object) {
  Objects objects;
  FindObjects(object, 0, objects);
  return objects.num_objects > 0;
}

}  // namespace tfprof::record
