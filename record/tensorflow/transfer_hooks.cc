// Hooks of the gRPC workers: each tensor that one process requests from another
// is recorded on both sides. The key and the step are read from the serialized
// request, whose field numbers are TensorFlow's (worker.proto); a function that
// the library exports serializes it.

#include <cstring>
#include <string_view>

#include "record/plugins/kept_texts.h"
#include "record/sink.h"
#include "record/tensorflow/library_abi.h"
#include "record/tensorflow/owned_string.h"
#include "record/tensorflow/shared_done.h"
#include "record/tensorflow/tensorflow_library.h"

namespace tfprof::record {
namespace {

using Receive = void (*)(void* worker, void* options, const void* request,
                         void* response, StdFunction* done);

// std::string MessageLite::SerializeAsString() const
constinit RealSymbol serialize(
    "_ZNK6google8protobuf11MessageLite17SerializeAsStringB5cxx11Ev",
    TFPROF_TENSORFLOW);

struct Request {
  int64_t step = kNoStep;
  std::string_view key;
};

constexpr uint64_t kStepTag = 1 << 3 | 0;  // a varint
constexpr uint64_t kKeyTag = 2 << 3 | 2;   // bytes

// Returns false if the bytes end within a number.
bool ReadVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Both fields come first; any other field ends the search.
Request Parse(std::string_view bytes) {
  Request request;
  uint64_t tag, value;
  while (ReadVarint(bytes, tag) && ReadVarint(bytes, value)) {
    if (tag == kStepTag) {
      request.step = static_cast<int64_t>(value);
    } else if (tag == kKeyTag) {
      request.key = bytes.substr(0, value);
      break;
    } else {
      break;
    }
  }
  return request;
}

// Returns the text before the next ";" and removes both.
std::string_view CutPart(std::string_view& key) {
  const std::string_view part = key.substr(0, key.find(';'));
  key.remove_prefix(part.size() < key.size() ? part.size() + 1 : key.size());
  return part;
}

void EndTransfer(const DoneArguments& done, bool server) {
  const std::string_view key = reinterpret_cast<const char*>(done.first);
  // SOURCE;INCARNATION;DESTINATION;TENSOR;FRAME
  std::string_view rest = key;
  Transfer transfer{.key = key,
                    .begin = done.third,
                    .end = Now(),
                    .step = static_cast<int64_t>(done.second),
                    .server = server};
  transfer.source = CutPart(rest);
  CutPart(rest);
  transfer.destination = CutPart(rest);
  RecvTensor(transfer);
}

void EndClient(const DoneArguments& done) { EndTransfer(done, false); }
void EndServer(const DoneArguments& done) { EndTransfer(done, true); }

void RecordReceive(RealSymbol& symbol, void* worker, void* options,
                   const void* request, void* response, StdFunction* done,
                   void (*end)(const DoneArguments&)) {
  const auto write = IsRecording()
                         ? serialize.As<void (*)(StdString*, const void*)>()
                         : nullptr;
  if (write != nullptr) {
    const uint64_t begin = Now();
    OwnedString bytes;
    write(bytes.place(), request);
    const Request read = Parse(bytes.text());
    const std::string_view key = KeepText(read.key.substr(0, kMaxText));
    if (!key.empty()) {
      CallBefore(*done, end,
                 {reinterpret_cast<Word>(key.data()),
                  static_cast<Word>(read.step), begin});
    }
  }
  symbol.As<Receive>()(worker, options, request, response, done);
}

}  // namespace
}  // namespace tfprof::record

using tfprof::record::StdFunction;

#define TFPROF_HOOK_VERSION(LTS)                                               \
  TFPROF_TENSORFLOW_HOOK(void, TfprofRecvTensor##LTS,                          \
                         "_ZN10tensorflow16GrpcRemoteWorker15RecvTensorAsyncE" \
                         "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"       \
                         "PNS_14TensorResponseE"                               \
                         "St8functionIFvRKN4absl12lts_" #LTS "6StatusEEE",     \
                         (void* worker, void* options, const void* request,    \
                          void* response, StdFunction* done)) {                \
    tfprof::record::RecordReceive(TfprofRecvTensor##LTS##_real, worker,        \
                                  options, request, response, done,            \
                                  tfprof::record::EndClient);                  \
  }                                                                            \
  TFPROF_TENSORFLOW_HOOK(void, TfprofServeTensor##LTS,                         \
                         "_ZN10tensorflow10GrpcWorker19GrpcRecvTensorAsyncE"   \
                         "PN3tsl11CallOptionsEPKNS_17RecvTensorRequestE"       \
                         "PN4grpc10ByteBufferE"                                \
                         "St8functionIFvRKN4absl12lts_" #LTS "6StatusEEE",     \
                         (void* worker, void* options, const void* request,    \
                          void* response, StdFunction* done)) {                \
    tfprof::record::RecordReceive(TfprofServeTensor##LTS##_real, worker,       \
                                  options, request, response, done,            \
                                  tfprof::record::EndServer);                  \
  }

TFPROF_FOR_EACH_ABSEIL(TFPROF_HOOK_VERSION)

#undef TFPROF_HOOK_VERSION
