// Hooks of the functions that run a graph. A step is a run of a session, a call
// of a tf.function, or a worker's part of a distributed run.
//
// Some of these functions return an absl::Status. In all builds of TensorFlow
// so far, the caller passes the address of the status as the first word, and it
// is returned. Abseil could also return the status in a register; the arguments
// would then be one word earlier. After the real function has returned, a hook
// sees which of the two it was; it reads arguments only after one such call.

#include <atomic>
#include <string_view>

#include "record/sink.h"
#include "record/tensorflow/library_abi.h"
#include "record/tensorflow/shared_done.h"
#include "record/tensorflow/step_ids.h"
#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

constinit std::atomic<bool> is_status_at_address = false;

void SeeStatus(Word address, Word result) {
  const bool is_at_address = address == result;
  if (is_status_at_address.load(std::memory_order_relaxed) != is_at_address) {
    is_status_at_address.store(is_at_address, std::memory_order_relaxed);
  }
}

// Sessions count their runs, and no count reaches this number, but addresses
// are larger. So the first run of a process can be recorded too.
constexpr Word kMaxCount = Word{1} << 32;

bool MayReadArguments() {
  return IsRecording() && is_status_at_address.load(std::memory_order_relaxed);
}

void BeginStep(int64_t step, std::string_view name) {
  ExpectStep(step);
  StepBegin(step, name);
}

void EndStep(const DoneArguments& done) {
  StepEnd(static_cast<int64_t>(done.first));
}

// The name of the function that the thread was asked to call, until it runs. An
// eager op is also a function, but no step.
constexpr std::string_view kEagerOp = "__wrapped__";
__attribute__((tls_model(
    "initial-exec"))) constinit thread_local std::string_view called_function;

// KernelAndDeviceFunc::Run takes nine words, including the status.
using Nine = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word);
// RunInternal takes eight words, RunSync seven, and ExecuteAsync eleven.
using Eight = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word);
using Seven = Word (*)(Word, Word, Word, Word, Word, Word, Word);
using Eleven = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word,
                        Word, StdFunction*);

// const std::string& KernelAndDeviceFunc::name() const
constinit RealSymbol function_name(
    "_ZNK10tensorflow19KernelAndDeviceFunc4nameB5cxx11Ev", TFPROF_TENSORFLOW);

std::string_view NameOfFunction(Word function) {
  const auto name = function_name.As<const StdString* (*)(Word)>();
  return name != nullptr ? name(function)->text() : "function";
}

Word RecordRunSync(RealSymbol& symbol, Word status, Word library, Word options,
                   Word handle, Word arguments, Word num_arguments,
                   Word results) {
  const auto real = symbol.As<Seven>();
  const std::string_view name = called_function;
  called_function = {};
  const bool is_step = !name.empty() && MayReadArguments();
  int64_t step = kNoStep;
  if (is_step) {
    // The options begin with the step id.
    step = *reinterpret_cast<const int64_t*>(options);
    if (name.starts_with(kEagerOp)) {
      ExpectStep(step);
    } else {
      BeginStep(step, name);
    }
  }
  const Word result =
      real(status, library, options, handle, arguments, num_arguments, results);
  if (is_step && !name.starts_with(kEagerOp)) StepEnd(step);
  return result;
}

void RecordRunGraph(RealSymbol& symbol, Word manager, Word handle, Word step,
                    Word options, Word inputs, Word session, Word collector,
                    Word response, Word cancellation, Word agent,
                    StdFunction* done) {
  if (IsRecording() && CallBefore(*done, EndStep, {step})) {
    BeginStep(static_cast<int64_t>(step), "RunGraph");
  }
  symbol.As<Eleven>()(manager, handle, step, options, inputs, session,
                      collector, response, cancellation, agent, done);
}

}  // namespace
}  // namespace tfprof::record

using tfprof::record::StdFunction;
using tfprof::record::Word;

TFPROF_TENSORFLOW_HOOK(
    Word, TfprofRunInternal,
    "_ZN10tensorflow13DirectSession11RunInternalElRKNS_10RunOptionsE"
    "PNS_18CallFrameInterfaceEPNS0_16ExecutorsAndKeysE"
    "PNS_11RunMetadataERKN3tsl6thread17ThreadPoolOptionsE",
    (Word status, Word session, Word step, Word options, Word frame,
     Word executors, Word metadata, Word pools)) {
  namespace record = tfprof::record;
  const bool is_step =
      record::IsRecording() &&
      (record::is_status_at_address.load(std::memory_order_relaxed) ||
       step < record::kMaxCount);
  if (is_step) record::BeginStep(static_cast<int64_t>(step), "session");
  const Word result = TfprofRunInternal_real.As<record::Eight>()(
      status, session, step, options, frame, executors, metadata, pools);
  if (is_step) record::StepEnd(static_cast<int64_t>(step));
  record::SeeStatus(status, result);
  return result;
}

TFPROF_TENSORFLOW_HOOK(
    Word, TfprofCallFunction,
    "_ZN10tensorflow19KernelAndDeviceFunc3RunE"
    "PNS_19ScopedStepContainerERKNS_15EagerKernelArgsE"
    "PSt6vectorISt7variantIJNS_6TensorENS_11TensorShapeEEESaISA_EE"
    "PN3tsl19CancellationManagerE"
    "RKSt8optionalINS_19EagerFunctionParamsEE"
    "RKSH_INS_17ManagedStackTraceEEPNSE_24CoordinationServiceAgentE",
    (Word status, Word function, Word container, Word inputs, Word outputs,
     Word cancellation, Word params, Word stack, Word agent)) {
  namespace record = tfprof::record;
  if (record::MayReadArguments()) {
    record::called_function = record::NameOfFunction(function);
  }
  const Word result = TfprofCallFunction_real.As<record::Nine>()(
      status, function, container, inputs, outputs, cancellation, params, stack,
      agent);
  record::called_function = {};
  record::SeeStatus(status, result);
  return result;
}

// These mangled names contain the version of Abseil: "12lts_20230125".
#define TFPROF_HOOK_VERSION(LTS)                                              \
  TFPROF_TENSORFLOW_HOOK(                                                     \
      Word, TfprofRunSync##LTS,                                               \
      "_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncE"              \
      "RKNS_22FunctionLibraryRuntime7OptionsEmN4absl12lts_" #LTS              \
      "4SpanIKNS_6TensorEEEPSt6vectorIS8_SaIS8_EE",                           \
      (Word status, Word library, Word options, Word handle, Word arguments,  \
       Word num_arguments, Word results)) {                                   \
    return tfprof::record::RecordRunSync(TfprofRunSync##LTS##_real, status,   \
                                         library, options, handle, arguments, \
                                         num_arguments, results);             \
  }                                                                           \
  TFPROF_TENSORFLOW_HOOK(                                                     \
      void, TfprofRunGraph##LTS,                                              \
      "_ZN10tensorflow8GraphMgr12ExecuteAsyncE"                               \
      "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEl"               \
      "RKNS_12ExecutorOptsERKSt3mapIS6_NS_6TensorESt4lessIS6_E"               \
      "SaISt4pairIS7_SD_EEEPNS_13WorkerSessionEPNS_18StepStatsCollectorE"     \
      "PNS_30MutableRunGraphResponseWrapperEPN3tsl19CancellationManagerE"     \
      "PNSS_24CoordinationServiceAgentE"                                      \
      "St8functionIFvRKN4absl12lts_" #LTS "6StatusEEE",                       \
      (Word manager, Word handle, Word step, Word options, Word inputs,       \
       Word session, Word collector, Word response, Word cancellation,        \
       Word agent, StdFunction * done)) {                                     \
    tfprof::record::RecordRunGraph(                                           \
        TfprofRunGraph##LTS##_real, manager, handle, step, options, inputs,   \
        session, collector, response, cancellation, agent, done);             \
  }

TFPROF_FOR_EACH_ABSEIL(TFPROF_HOOK_VERSION)

#undef TFPROF_HOOK_VERSION
