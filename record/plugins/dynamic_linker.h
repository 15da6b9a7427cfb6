// Weak declarations of the functions of the dynamic linker. They may be
// missing: glibc before 2.34 has them in a separate library. Programs that load
// plug-ins or Python modules always have them.

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
