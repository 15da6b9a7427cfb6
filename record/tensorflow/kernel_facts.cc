#include "record/tensorflow/kernel_facts.h"

#include <cstring>

#include "record/plugins/kept_texts.h"
#include "record/tensorflow/library_abi.h"
#include "record/tensorflow/owned_string.h"
#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

// std::string OpKernel::TraceString(const OpKernelContext&, bool verbose)
// const: "NAME:TYPE".
constinit RealSymbol trace_string(
    "_ZNK10tensorflow8OpKernel11TraceStringB5cxx11"
    "ERKNS_15OpKernelContextEb",
    TFPROF_TENSORFLOW);
// const std::string& Device::name() const
constinit RealSymbol device_name("_ZNK10tensorflow6Device4nameB5cxx11Ev",
                                 TFPROF_TENSORFLOW);

constinit AddressMap kept_facts;

std::string_view Cut(std::string_view text) { return text.substr(0, kMaxText); }

size_t Pack(const KernelFacts& facts, PackedFacts& place) {
  char* at = place.bytes + 3 * sizeof(uint16_t);
  int i = 0;
  for (const std::string_view text : {facts.name, facts.type, facts.device}) {
    const auto size = static_cast<uint16_t>(text.size());
    memcpy(place.bytes + i++ * sizeof(size), &size, sizeof(size));
    memcpy(at, text.data(), size);
    at += size;
  }
  return static_cast<size_t>(at - place.bytes);
}

std::string_view DeviceName(const void* device) {
  const auto name = device_name.As<const StdString* (*)(const void*)>();
  return name != nullptr ? Cut(name(device)->text()) : std::string_view();
}

}  // namespace

const char* FindKernelFacts(const void* device, const void* kernel,
                            const void* context, PackedFacts& place) {
  const void* const kept = kept_facts.Find(kernel);
  if (kept != nullptr) [[likely]] {
    return static_cast<const char*>(kept);
  }
  const auto trace =
      trace_string.As<void (*)(StdString*, const void*, const void*, bool)>();
  if (trace == nullptr) return nullptr;
  OwnedString traced;
  trace(traced.place(), kernel, context, /*verbose=*/false);
  // Names of nodes contain no colon.
  KernelFacts facts = {.name = traced.text(), .device = DeviceName(device)};
  const size_t colon = facts.name.rfind(':');
  if (colon != std::string_view::npos) {
    facts.type = facts.name;
    facts.type.remove_prefix(colon + 1);
    facts.name.remove_suffix(facts.name.size() - colon);
  }
  facts.name = Cut(facts.name);
  facts.type = Cut(facts.type);
  const size_t size = Pack(facts, place);
  const std::string_view copy = KeepText({place.bytes, size});
  if (copy.empty()) return place.bytes;
  kept_facts.Insert(kernel, const_cast<char*>(copy.data()));
  return copy.data();
}

KernelFacts Unpack(const char* packed) {
  uint16_t sizes[3];
  memcpy(sizes, packed, sizeof(sizes));
  const char* const name = packed + sizeof(sizes);
  const char* const type = name + sizes[0];
  return {{name, sizes[0]}, {type, sizes[1]}, {type + sizes[1], sizes[2]}};
}

void ForgetKernel(const void* kernel) { kept_facts.Erase(kernel); }

}  // namespace tfprof::record
