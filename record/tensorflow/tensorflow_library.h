// Names that all hooks of TensorFlow need: of its libraries, and of the
// versions of Abseil in them.

#ifndef TFPROF_RECORD_TENSORFLOW_TENSORFLOW_LIBRARY_H_
#define TFPROF_RECORD_TENSORFLOW_TENSORFLOW_LIBRARY_H_

#include "record/plugins/hook.h"
#include "record/plugins/real_symbol.h"

// A part of libtensorflow_framework.so.2, libtensorflow_cc.so.2, and in older
// wheels _pywrap_tensorflow_internal.so.
#define TFPROF_TENSORFLOW "tensorflow"

#define TFPROF_TENSORFLOW_HOOK(RESULT, NAME, SYMBOL, PARAMETERS) \
  TFPROF_HOOK(RESULT, NAME, TFPROF_TENSORFLOW, SYMBOL, PARAMETERS)

// The versions of Abseil that occur in mangled names of TensorFlow 2.10 to
// 2.21.
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

#endif  // TFPROF_RECORD_TENSORFLOW_TENSORFLOW_LIBRARY_H_
