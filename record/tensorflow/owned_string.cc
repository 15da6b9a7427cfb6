#include "record/tensorflow/owned_string.h"

#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

// void operator delete(void*)
constinit RealSymbol operator_delete("_ZdlPv", TFPROF_TENSORFLOW);

}  // namespace

OwnedString::~OwnedString() {
  if (!string_.IsAllocated()) return;
  const auto free = operator_delete.As<void (*)(const void*)>();
  if (free != nullptr) free(string_.data);
}

}  // namespace tfprof::record
