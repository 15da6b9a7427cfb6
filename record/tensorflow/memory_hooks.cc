// Hooks of TensorFlow's allocators: the memory of tensors on the host, and the
// best-fit allocators of devices. TFPROF_RECORD_MEMORY=off disables them.

#include <atomic>
#include <cstring>

#include "record/plugins/kept_texts.h"
#include "record/sink.h"
#include "record/tensorflow/library_abi.h"
#include "record/tensorflow/owned_string.h"
#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

using AlignedMalloc = void* (*)(size_t bytes, size_t alignment);
using AlignedFree = void (*)(void* memory);
using AlignedSizedFree = void (*)(void* memory, size_t bytes, size_t alignment);
using AllocateRaw = void* (*)(void* allocator, size_t alignment, size_t bytes,
                              void* attributes);
using DeallocateRaw = void (*)(void* allocator, void* memory);

// TensorFlow too uses this name for the host's allocator.
constexpr std::string_view kHost = "cpu";

// std::string BFCAllocator::Name()
constinit RealSymbol bfc_name("_ZN3tsl12BFCAllocator4NameB5cxx11Ev",
                              TFPROF_TENSORFLOW);
constinit AddressMap kept_names;

bool IsRecordingMemory() {
  // 0 means that the environment was not read yet.
  static constinit std::atomic<int> state = 0;
  if (!IsRecording()) return false;
  int known = state.load(std::memory_order_relaxed);
  if (known == 0) [[unlikely]] {
    known = Setting("TFPROF_RECORD_MEMORY") == "off" ? 1 : 2;
    state.store(known, std::memory_order_relaxed);
  }
  return known == 2;
}

uint64_t AddressOf(const void* memory) {
  return reinterpret_cast<uint64_t>(memory);
}

std::string_view NameOf(void* allocator) {
  const void* const kept = kept_names.Find(allocator);
  if (kept != nullptr) return static_cast<const char*>(kept);
  const auto ask = bfc_name.As<void (*)(StdString*, void*)>();
  if (ask == nullptr) return "BFC";
  OwnedString name;
  ask(name.place(), allocator);
  const std::string_view copy = KeepText(name.text());
  if (copy.empty()) return "BFC";
  kept_names.Insert(allocator, const_cast<char*>(copy.data()));
  return copy;
}

void RecordAllocate(std::string_view allocator, const void* memory,
                    size_t bytes) {
  if (memory != nullptr) Allocate(allocator, AddressOf(memory), bytes);
}

// A release is recorded before it happens, because afterwards another thread
// may get the same address at once.
void RecordRelease(std::string_view allocator, const void* memory) {
  if (memory != nullptr) Release(allocator, AddressOf(memory), 0);
}

}  // namespace
}  // namespace tfprof::record

namespace record = tfprof::record;

// The signature with std::align_val_t, since TensorFlow 2.20.
TFPROF_TENSORFLOW_HOOK(void*, TfprofAlignedMalloc,
                       "_ZN3tsl4port13AlignedMallocEmSt11align_val_t",
                       (size_t bytes, size_t alignment)) {
  void* const memory =
      TfprofAlignedMalloc_real.As<record::AlignedMalloc>()(bytes, alignment);
  if (record::IsRecordingMemory()) {
    record::RecordAllocate(record::kHost, memory, bytes);
  }
  return memory;
}

// The signature with int. In versions that have both, it calls the other one.
TFPROF_TENSORFLOW_HOOK(void*, TfprofAlignedMallocInt,
                       "_ZN3tsl4port13AlignedMallocEmi",
                       (size_t bytes, size_t alignment)) {
  void* const memory =
      TfprofAlignedMallocInt_real.As<record::AlignedMalloc>()(bytes, alignment);
  if (record::IsRecordingMemory() &&
      TfprofAlignedMalloc_real.As<void*>() == nullptr) {
    record::RecordAllocate(record::kHost, memory, bytes);
  }
  return memory;
}

TFPROF_TENSORFLOW_HOOK(void, TfprofAlignedFree, "_ZN3tsl4port11AlignedFreeEPv",
                       (void* memory)) {
  if (record::IsRecordingMemory()) {
    record::RecordRelease(record::kHost, memory);
  }
  TfprofAlignedFree_real.As<record::AlignedFree>()(memory);
}

TFPROF_TENSORFLOW_HOOK(void, TfprofAlignedSizedFree,
                       "_ZN3tsl4port16AlignedSizedFreeEPvmSt11align_val_t",
                       (void* memory, size_t bytes, size_t alignment)) {
  if (record::IsRecordingMemory()) {
    record::RecordRelease(record::kHost, memory);
  }
  TfprofAlignedSizedFree_real.As<record::AlignedSizedFree>()(memory, bytes,
                                                             alignment);
}

TFPROF_TENSORFLOW_HOOK(void*, TfprofBfcAllocate,
                       "_ZN3tsl12BFCAllocator11AllocateRawEmm"
                       "RKNS_20AllocationAttributesE",
                       (void* allocator, size_t alignment, size_t bytes,
                        void* attributes)) {
  void* const memory = TfprofBfcAllocate_real.As<record::AllocateRaw>()(
      allocator, alignment, bytes, attributes);
  if (record::IsRecordingMemory()) {
    record::RecordAllocate(record::NameOf(allocator), memory, bytes);
  }
  return memory;
}

TFPROF_TENSORFLOW_HOOK(void, TfprofBfcDeallocate,
                       "_ZN3tsl12BFCAllocator13DeallocateRawEPv",
                       (void* allocator, void* memory)) {
  if (record::IsRecordingMemory()) {
    record::RecordRelease(record::NameOf(allocator), memory);
  }
  TfprofBfcDeallocate_real.As<record::DeallocateRaw>()(allocator, memory);
}
