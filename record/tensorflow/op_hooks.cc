// Hooks of the functions with which devices run kernels: each op becomes an
// event. The kernels' own Compute() cannot be hooked, because each class has
// its own.

#include "record/sink.h"
#include "record/tensorflow/kernel_facts.h"
#include "record/tensorflow/library_abi.h"
#include "record/tensorflow/loaded_version.h"
#include "record/tensorflow/shared_done.h"
#include "record/tensorflow/step_ids.h"
#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

using Compute = void (*)(void* device, void* kernel, void* context);
using ComputeAsync = void (*)(void* device, void* kernel, void* context,
                              StdFunction* done);
using Construct = void (*)(void* context, void* params);
using ConstructWithOutputs = void (*)(void* context, void* params, int outputs);
using Destroy = void (*)(void* kernel);

void RecordCompute(RealSymbol& symbol, void* device, void* kernel,
                   void* context) {
  const auto real = symbol.As<Compute>();
  if (!IsRecording()) return real(device, kernel, context);
  PackedFacts place;
  const char* const packed = FindKernelFacts(device, kernel, context, place);
  NoteOp(packed != nullptr);
  if (packed == nullptr) return real(device, kernel, context);
  const KernelFacts facts = Unpack(packed);
  OpBegin(facts.name, facts.type, facts.device, StepOf(context));
  real(device, kernel, context);
  OpEnd();
}

void EndAsync(const DoneArguments& done) { AsyncEnd(done.first); }

void RecordComputeAsync(RealSymbol& symbol, void* device, void* kernel,
                        void* context, StdFunction* done) {
  const auto real = symbol.As<ComputeAsync>();
  if (!IsRecording()) return real(device, kernel, context, done);
  PackedFacts place;
  const char* const packed = FindKernelFacts(device, kernel, context, place);
  NoteOp(packed != nullptr);
  const uint64_t id = NewId();
  // The op may end and its context be destroyed before the real function
  // returns.
  if (packed != nullptr && CallBefore(*done, EndAsync, {id})) {
    const KernelFacts facts = Unpack(packed);
    AsyncBegin(id, facts.name, facts.type, facts.device, StepOf(context));
  }
  real(device, kernel, context, done);
}

}  // namespace
}  // namespace tfprof::record

using tfprof::record::StdFunction;

// CLASS is the mangled name of a device class.
#define TFPROF_HOOK_DEVICE(NAME, CLASS)                                   \
  TFPROF_TENSORFLOW_HOOK(void, NAME##Compute,                             \
                         "_ZN10tensorflow" CLASS                          \
                         "7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE", \
                         (void* device, void* kernel, void* context)) {   \
    tfprof::record::RecordCompute(NAME##Compute_real, device, kernel,     \
                                  context);                               \
  }                                                                       \
  TFPROF_TENSORFLOW_HOOK(                                                 \
      void, NAME##ComputeAsync,                                           \
      "_ZN10tensorflow" CLASS                                             \
      "12ComputeAsyncEPNS_13AsyncOpKernelE"                               \
      "PNS_15OpKernelContextESt8functionIFvvEE",                          \
      (void* device, void* kernel, void* context, StdFunction* done)) {   \
    tfprof::record::RecordComputeAsync(NAME##ComputeAsync_real, device,   \
                                       kernel, context, done);            \
  }

// The CPU, GPUs, devices of plug-ins, and classes that use the function of
// their base class. RenamedDevice calls one of these.
TFPROF_HOOK_DEVICE(TfprofThreadPoolDevice, "16ThreadPoolDevice")
TFPROF_HOOK_DEVICE(TfprofGpuDevice, "13BaseGPUDevice")
TFPROF_HOOK_DEVICE(TfprofPluggableDevice, "15PluggableDevice")
TFPROF_HOOK_DEVICE(TfprofNextPluggableDevice, "19NextPluggableDevice")
TFPROF_HOOK_DEVICE(TfprofDevice, "6Device")

#undef TFPROF_HOOK_DEVICE

// The constructors of OpKernelContext. Compilers emit each of them under two
// names.
#define TFPROF_HOOK_CONTEXT(NAME, KIND)                                     \
  TFPROF_TENSORFLOW_HOOK(                                                   \
      void, NAME, "_ZN10tensorflow15OpKernelContext" KIND "EPNS0_6ParamsE", \
      (void* context, void* params)) {                                      \
    NAME##_real.As<tfprof::record::Construct>()(context, params);           \
    tfprof::record::LearnContext(context, params);                          \
  }                                                                         \
  TFPROF_TENSORFLOW_HOOK(void, NAME##WithOutputs,                           \
                         "_ZN10tensorflow15OpKernelContext" KIND            \
                         "EPNS0_6ParamsEi",                                 \
                         (void* context, void* params, int outputs)) {      \
    NAME##WithOutputs_real.As<tfprof::record::ConstructWithOutputs>()(      \
        context, params, outputs);                                          \
    tfprof::record::LearnContext(context, params);                          \
  }

TFPROF_HOOK_CONTEXT(TfprofContext1, "C1")
TFPROF_HOOK_CONTEXT(TfprofContext2, "C2")

#undef TFPROF_HOOK_CONTEXT

TFPROF_TENSORFLOW_HOOK(void, TfprofDestroyKernel,
                       "_ZN10tensorflow8OpKernelD2Ev", (void* kernel)) {
  tfprof::record::ForgetKernel(kernel);
  TfprofDestroyKernel_real.As<tfprof::record::Destroy>()(kernel);
}
