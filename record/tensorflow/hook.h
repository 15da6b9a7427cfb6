// TFPROF_HOOK: the definition of a function that stands in front of one of
// TensorFlow's.
//
// A function is hooked by defining it: the dynamic linker binds TensorFlow's
// own calls, through its tables of virtual functions too, to the definition of
// a preloaded library. A hook calls the real one with the words that it got,
// so only their number must be known, not the classes behind them. If a name
// is not that of a function of the loaded version, the hook is never called.

#ifndef TFPROF_RECORD_TENSORFLOW_HOOK_H_
#define TFPROF_RECORD_TENSORFLOW_HOOK_H_

#include "record/tensorflow/real_symbol.h"

// NAME is unique within the recorder, SYMBOL the mangled name. The body
// follows; in it, NAME_real is the RealSymbol.
#define TFPROF_HOOK(RESULT, NAME, SYMBOL, PARAMETERS)                \
  extern "C" RESULT NAME PARAMETERS __asm__(SYMBOL);                 \
  static constinit ::tfprof::record::RealSymbol NAME##_real{SYMBOL}; \
  extern "C" __attribute__((visibility("default"))) RESULT NAME PARAMETERS

// The names under which versions of Abseil are part of mangled names: those of
// TensorFlow 2.10 to 2.21.
#define TFPROF_FOR_EACH_ABSEIL(HOOK) \
  HOOK(20211102)                     \
  HOOK(20220623)                     \
  HOOK(20230125)                     \
  HOOK(20230802)                     \
  HOOK(20240116)                     \
  HOOK(20240722)                     \
  HOOK(20250127)                     \
  HOOK(20250512)                     \
  HOOK(20250814)

#endif  // TFPROF_RECORD_TENSORFLOW_HOOK_H_
