// The functions of the dynamic linker, which a program may not have: glibc
// before 2.34 has them in a library of its own. Programs that load plug-ins or
// Python's modules have them.

#ifndef TFPROF_RECORD_PLUGINS_DYNAMIC_LINKER_H_
#define TFPROF_RECORD_PLUGINS_DYNAMIC_LINKER_H_

#include <dlfcn.h>
#include <link.h>

#pragma weak dl_iterate_phdr
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlopen

namespace tfprof::record {

inline bool HasDynamicLinker() {
  return dl_iterate_phdr != nullptr && dladdr != nullptr &&
         dlclose != nullptr && dlopen != nullptr;
}

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_DYNAMIC_LINKER_H_
