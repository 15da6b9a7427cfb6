#include <cstdlib>
#include <cstring>

#include "record/tensorflow/fake_library/fake_library_testing.h"
#include "record/tensorflow/library_abi.h"

namespace tfprof::record {
namespace {

FakeLibrary library;

// A call of a function that a hook replaces.
template <typename... Words>
Word Call(Words... words) {
  ++library.num_calls;
  int i = 0;
  ((library.words[i++] = reinterpret_cast<Word>(words)), ...);
  if (library.during != nullptr) library.during();
  return library.result;
}
template <typename... Words>
Word CallWords(Words... words) {
  return Call(reinterpret_cast<void*>(words)...);
}

// Constructs a std::string of libstdc++.
void Answer(std::string_view text, StdString* place) {
  ++library.num_asked;
  const bool is_local = text.size() < sizeof(place->local);
  char* const bytes =
      is_local ? place->local : static_cast<char*>(malloc(text.size() + 1));
  memcpy(bytes, text.data(), text.size());
  bytes[text.size()] = 0;
  place->data = bytes;
  place->size = text.size();
}
// Returns a string as a method returns one of its object by reference.
const StdString* Answer(std::string_view text) {
  ++library.num_asked;
  static StdString string;
  string.data = text.data();
  string.size = text.size();
  return &string;
}

}  // namespace
}  // namespace tfprof::record

using tfprof::record::StdString;
using tfprof::record::Word;
namespace record = tfprof::record;

extern "C" {

record::FakeLibrary* TheFakeLibrary() { return &record::library; }
const char* TF_Version() { return "9.87"; }

// ---- Functions that hooks call.

void FakeDelete(void* memory) __asm__("_ZdlPv");
void FakeDelete(void* memory) {
  ++record::library.num_freed;
  free(memory);
}

void FakeTraceString(StdString* place, const void*, const void*, bool) __asm__(
    "_ZNK10tensorflow8OpKernel11TraceStringB5cxx11"
    "ERKNS_15OpKernelContextEb");
void FakeTraceString(StdString* place, const void*, const void*, bool) {
  record::Answer(record::library.kernel, place);
}

const StdString* FakeDeviceName(const void*) __asm__(
    "_ZNK10tensorflow6Device4nameB5cxx11Ev");
const StdString* FakeDeviceName(const void*) {
  return record::Answer(record::library.device);
}

const StdString* FakeFunctionName(Word) __asm__(
    "_ZNK10tensorflow19KernelAndDeviceFunc4nameB5cxx11Ev");
const StdString* FakeFunctionName(Word) {
  return record::Answer(record::library.function);
}

void FakeBfcName(StdString* place,
                 void*) __asm__("_ZN3tsl12BFCAllocator4NameB5cxx11Ev");
void FakeBfcName(StdString* place, void*) {
  record::Answer(record::library.allocator, place);
}

void FakeSerialize(StdString* place, const void*) __asm__(
    "_ZNK6google8protobuf11MessageLite17SerializeAsStringB5cxx11Ev");
void FakeSerialize(StdString* place, const void*) {
  record::Answer(record::library.request, place);
}

// ---- Functions that hooks replace.

void FakeCompute(void* device, void* kernel, void* context) __asm__(
    "_ZN10tensorflow16ThreadPoolDevice7ComputeEPNS_8OpKernelE"
    "PNS_15OpKernelContextE");
void FakeCompute(void* device, void* kernel, void* context) {
  record::Call(device, kernel, context);
}

void FakeComputeAsync(void* device, void* kernel, void* context, void* done) __asm__(
    "_ZN10tensorflow16ThreadPoolDevice12ComputeAsyncEPNS_13AsyncOpKernelE"
    "PNS_15OpKernelContextESt8functionIFvvEE");
void FakeComputeAsync(void* device, void* kernel, void* context, void* done) {
  record::Call(device, kernel, context, done);
}

void FakeContext(void* context, void* params) __asm__(
    "_ZN10tensorflow15OpKernelContextC1EPNS0_6ParamsE");
void FakeContext(void* context, void* params) { record::Call(context, params); }

void FakeDestroyKernel(void* kernel) __asm__("_ZN10tensorflow8OpKernelD2Ev");
void FakeDestroyKernel(void* kernel) { record::Call(kernel); }

Word FakeRunInternal(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h) __asm__(
    "_ZN10tensorflow13DirectSession11RunInternalElRKNS_10RunOptionsE"
    "PNS_18CallFrameInterfaceEPNS0_16ExecutorsAndKeysE"
    "PNS_11RunMetadataERKN3tsl6thread17ThreadPoolOptionsE");
Word FakeRunInternal(Word a, Word b, Word c, Word d, Word e, Word f, Word g,
                     Word h) {
  return record::CallWords(a, b, c, d, e, f, g, h);
}

Word FakeCallFunction(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i) __asm__(
    "_ZN10tensorflow19KernelAndDeviceFunc3RunE"
    "PNS_19ScopedStepContainerERKNS_15EagerKernelArgsE"
    "PSt6vectorISt7variantIJNS_6TensorENS_11TensorShapeEEESaISA_EE"
    "PN3tsl19CancellationManagerE"
    "RKSt8optionalINS_19EagerFunctionParamsEE"
    "RKSH_INS_17ManagedStackTraceEEPNSE_24CoordinationServiceAgentE");
Word FakeCallFunction(Word a, Word b, Word c, Word d, Word e, Word f, Word g,
                      Word h, Word i) {
  return record::CallWords(a, b, c, d, e, f, g, h, i);
}

Word FakeRunSync(Word a, Word b, Word c, Word d, Word e, Word f, Word g) __asm__(
    "_ZNK10tensorflow29ProcessFunctionLibraryRuntime7RunSyncE"
    "RKNS_22FunctionLibraryRuntime7OptionsEmN4absl12lts_20230125"
    "4SpanIKNS_6TensorEEEPSt6vectorIS8_SaIS8_EE");
Word FakeRunSync(Word a, Word b, Word c, Word d, Word e, Word f, Word g) {
  return record::CallWords(a, b, c, d, e, f, g);
}

void FakeRunGraph(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, void* done) __asm__(
    "_ZN10tensorflow8GraphMgr12ExecuteAsyncE"
    "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEl"
    "RKNS_12ExecutorOptsERKSt3mapIS6_NS_6TensorESt4lessIS6_E"
    "SaISt4pairIS7_SD_EEEPNS_13WorkerSessionEPNS_18StepStatsCollectorE"
    "PNS_30MutableRunGraphResponseWrapperEPN3tsl19CancellationManagerE"
    "PNSS_24CoordinationServiceAgentE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
void FakeRunGraph(Word a, Word b, Word c, Word d, Word e, Word f, Word g,
                  Word h, Word i, Word j, void* done) {
  record::CallWords(a, b, c, d, e, f, g, h, i, j, reinterpret_cast<Word>(done));
}

void FakeRecvTensor(void* worker, void* options, const void* request, void* response, void* done) __asm__(
    "_ZN10tensorflow16GrpcRemoteWorker15RecvTensorAsyncE"
    "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"
    "PNS_14TensorResponseE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
void FakeRecvTensor(void* worker, void* options, const void* request,
                    void* response, void* done) {
  record::Call(worker, options, request, response, done);
}

void FakeServeTensor(void* worker, void* options, const void* request, void* response, void* done) __asm__(
    "_ZN10tensorflow10GrpcWorker19GrpcRecvTensorAsyncE"
    "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"
    "PN4grpc10ByteBufferE"
    "St8functionIFvRKN4absl12lts_202301256StatusEEE");
void FakeServeTensor(void* worker, void* options, const void* request,
                     void* response, void* done) {
  record::Call(worker, options, request, response, done);
}

Word FakeAlignedMalloc(Word bytes, Word alignment) __asm__(
    "_ZN3tsl4port13AlignedMallocEmSt11align_val_t");
Word FakeAlignedMalloc(Word bytes, Word alignment) {
  return record::CallWords(bytes, alignment);
}

Word FakeAlignedMallocInt(Word bytes, Word alignment) __asm__(
    "_ZN3tsl4port13AlignedMallocEmi");
Word FakeAlignedMallocInt(Word bytes, Word alignment) {
  return record::CallWords(bytes, alignment);
}

void FakeAlignedFree(void* memory) __asm__("_ZN3tsl4port11AlignedFreeEPv");
void FakeAlignedFree(void* memory) { record::Call(memory); }

Word FakeBfcAllocate(Word allocator, Word alignment, Word bytes, Word attributes) __asm__(
    "_ZN3tsl12BFCAllocator11AllocateRawEmm"
    "RKNS_20AllocationAttributesE");
Word FakeBfcAllocate(Word allocator, Word alignment, Word bytes,
                     Word attributes) {
  return record::CallWords(allocator, alignment, bytes, attributes);
}

void FakeBfcDeallocate(void* allocator, void* memory) __asm__(
    "_ZN3tsl12BFCAllocator13DeallocateRawEPv");
void FakeBfcDeallocate(void* allocator, void* memory) {
  record::Call(allocator, memory);
}

}  // extern "C"
