// TFPROF_HOOK: defines a function that replaces one of another library and
// calls it.
//
// A function is hooked by defining it: the dynamic linker binds the calls of
// programs and libraries, also through virtual tables, to the definition in a
// preloaded library. A hook calls the real function with the same words, so it
// must know only their number, not the classes behind them. If the loaded
// version has no function of that name, the hook is never called.

#ifndef TFPROF_RECORD_PLUGINS_HOOK_H_
#define TFPROF_RECORD_PLUGINS_HOOK_H_

#include "record/plugins/real_symbol.h"

// NAME is unique within the recorder, SYMBOL is the mangled name, and OBJECT is
// a part of the name of the library that has the real function. The body
// follows; in it, NAME_real is the RealSymbol.
#define TFPROF_HOOK(RESULT, NAME, OBJECT, SYMBOL, PARAMETERS)                \
  extern "C" RESULT NAME PARAMETERS __asm__(SYMBOL);                         \
  static constinit ::tfprof::record::RealSymbol NAME##_real{SYMBOL, OBJECT}; \
  extern "C" __attribute__((visibility("default"))) RESULT NAME PARAMETERS

#endif  // TFPROF_RECORD_PLUGINS_HOOK_H_
