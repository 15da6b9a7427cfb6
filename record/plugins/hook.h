// TFPROF_HOOK: the definition of a function that stands in front of one of
// another library.
//
// A function is hooked by defining it: the dynamic linker binds the calls of
// programs and libraries, through tables of virtual functions too, to the
// definition of a preloaded library. A hook calls the real one with the words
// that it got, so only their number must be known, not the classes behind them.
// If a name is not that of a function of the loaded version, the hook is never
// called.

#ifndef TFPROF_RECORD_PLUGINS_HOOK_H_
#define TFPROF_RECORD_PLUGINS_HOOK_H_

#include "record/plugins/real_symbol.h"

// NAME is unique within the recorder, SYMBOL the mangled name, OBJECT a part of
// the name of the library that has the real one. The body follows; in it,
// NAME_real is the RealSymbol.
#define TFPROF_HOOK(RESULT, NAME, OBJECT, SYMBOL, PARAMETERS)                \
  extern "C" RESULT NAME PARAMETERS __asm__(SYMBOL);                         \
  static constinit ::tfprof::record::RealSymbol NAME##_real{SYMBOL, OBJECT}; \
  extern "C" __attribute__((visibility("default"))) RESULT NAME PARAMETERS

#endif  // TFPROF_RECORD_PLUGINS_HOOK_H_
