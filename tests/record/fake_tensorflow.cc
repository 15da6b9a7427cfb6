// A library with TensorFlow's names: the classes and functions that the
// recorder hooks or calls, with the layouts of TensorFlow 2.15, and a program
// that uses them. Here the compiler mangles the names; record/tensorflow spells
// them out, so the test detects differences.
//
// FAKE_NO_NAMES: a version that does not give the names of ops.
// FAKE_OTHER_DEVICE: a version in which devices have another name.
// FAKE_OTHER_LAYOUT: a version in which the step id is in another place.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace absl {
inline namespace lts_20230125 {
class Status {
 public:
  Status() = default;
  ~Status() {}  // so that it is returned by an address

  uint64_t code = 0;
};
template <typename T>
class Span {
 public:
  T* data = nullptr;
  size_t size = 0;
};
}  // namespace lts_20230125
}  // namespace absl

namespace google::protobuf {
class MessageLite {
 public:
  virtual ~MessageLite() = default;
  __attribute__((noinline)) std::string SerializeAsString() const;
  std::string bytes;
};
std::string MessageLite::SerializeAsString() const { return bytes; }
}  // namespace google::protobuf

namespace grpc {
class ByteBuffer {};
}  // namespace grpc

namespace tsl {
class CallOptions {};
class CancellationManager {};
class CoordinationServiceAgent {};
struct AllocationAttributes {};
namespace thread {
struct ThreadPoolOptions {};
}  // namespace thread

namespace port {
__attribute__((noinline)) void* AlignedMalloc(size_t size, int alignment) {
  return aligned_alloc(static_cast<size_t>(alignment), size);
}
__attribute__((noinline)) void AlignedFree(void* memory) { free(memory); }
}  // namespace port

class BFCAllocator {
 public:
  virtual ~BFCAllocator() = default;
  virtual std::string Name();
  virtual void* AllocateRaw(size_t alignment, size_t bytes,
                            const AllocationAttributes& attributes);
  virtual void DeallocateRaw(void* memory);
};
std::string BFCAllocator::Name() { return "an_allocator_with_a_long_name_bfc"; }
void* BFCAllocator::AllocateRaw(size_t alignment, size_t bytes,
                                const AllocationAttributes&) {
  return aligned_alloc(alignment, bytes);
}
void BFCAllocator::DeallocateRaw(void* memory) { free(memory); }
}  // namespace tsl

namespace tensorflow {

class Tensor {};
class TensorShape {};
class RunOptions {};
class RunMetadata {};
class CallFrameInterface {};
class ScopedStepContainer {};
class EagerKernelArgs {};
class EagerFunctionParams {};
class ManagedStackTrace {};
class RecvTensorRequest : public google::protobuf::MessageLite {};
class TensorResponse {};
using Status = absl::Status;
using Done = std::function<void()>;
using StatusCallback = std::function<void(const Status&)>;

class OpKernelContext {
 public:
  struct Params {
#ifdef FAKE_OTHER_LAYOUT
    void* first = nullptr;
#endif
    int64_t step_id = 0;
  };
  explicit OpKernelContext(Params* params);
  OpKernelContext(Params* params, int num_outputs);

  Status status;
  void* other = nullptr;
  Params* params = nullptr;
  uint64_t outputs[16] = {};
};
OpKernelContext::OpKernelContext(Params* params) : OpKernelContext(params, 4) {}
OpKernelContext::OpKernelContext(Params* params, int) : params(params) {}

class OpKernel {
 public:
  OpKernel(std::string name, std::string type)
      : name_(std::move(name)), type_(std::move(type)) {}
  virtual ~OpKernel();
  virtual void Compute(OpKernelContext* context) = 0;
#ifndef FAKE_NO_NAMES
  virtual std::string TraceString(const OpKernelContext& context,
                                  bool verbose) const;
#endif

 private:
  std::string name_, type_;
};
OpKernel::~OpKernel() {}
#ifndef FAKE_NO_NAMES
std::string OpKernel::TraceString(const OpKernelContext&, bool) const {
  return name_ + ":" + type_;
}
#endif

class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  virtual void ComputeAsync(OpKernelContext* context, Done done) = 0;
  void Compute(OpKernelContext*) override {}
};

class Device {
 public:
  explicit Device(std::string name) : name_(std::move(name)) {}
  virtual ~Device() = default;
  virtual const std::string& name() const;
  virtual void Compute(OpKernel* kernel, OpKernelContext* context) = 0;
  virtual void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                            Done done) = 0;

 private:
  std::string name_;
};
const std::string& Device::name() const { return name_; }

#ifdef FAKE_OTHER_DEVICE
#define ThreadPoolDevice PoolOfThreadsDevice
#endif
class ThreadPoolDevice : public Device {
 public:
  using Device::Device;
  void Compute(OpKernel* kernel, OpKernelContext* context) override;
  void ComputeAsync(AsyncOpKernel* kernel, OpKernelContext* context,
                    Done done) override;
};
void ThreadPoolDevice::Compute(OpKernel* kernel, OpKernelContext* context) {
  kernel->Compute(context);
}
void ThreadPoolDevice::ComputeAsync(AsyncOpKernel* kernel,
                                    OpKernelContext* context, Done done) {
  kernel->ComputeAsync(context, std::move(done));
}

class DirectSession {
 public:
  struct ExecutorsAndKeys {};
  Status RunInternal(int64_t step_id, const RunOptions& options,
                     CallFrameInterface* frame, ExecutorsAndKeys* executors,
                     RunMetadata* metadata,
                     const tsl::thread::ThreadPoolOptions& pools);
  std::function<void(int64_t)> body;
};
Status DirectSession::RunInternal(int64_t step_id, const RunOptions&,
                                  CallFrameInterface*, ExecutorsAndKeys*,
                                  RunMetadata*,
                                  const tsl::thread::ThreadPoolOptions&) {
  body(step_id);
  return {};
}

class FunctionLibraryRuntime {
 public:
  struct Options {
    int64_t step_id;
  };
};

class ProcessFunctionLibraryRuntime {
 public:
  Status RunSync(const FunctionLibraryRuntime::Options& options,
                 unsigned long handle, absl::Span<const Tensor> arguments,
                 std::vector<Tensor>* results) const;
  std::function<void(int64_t)> body;
};
Status ProcessFunctionLibraryRuntime::RunSync(
    const FunctionLibraryRuntime::Options& options, unsigned long,
    absl::Span<const Tensor>, std::vector<Tensor>*) const {
  body(options.step_id);
  return {};
}

class KernelAndDeviceFunc {
 public:
  KernelAndDeviceFunc(std::string name, int64_t step,
                      ProcessFunctionLibraryRuntime* library)
      : library_(library), step_(step), name_(std::move(name)) {}
  virtual ~KernelAndDeviceFunc() = default;
  virtual const std::string& name() const;
  virtual Status Run(ScopedStepContainer* container,
                     const EagerKernelArgs& inputs,
                     std::vector<std::variant<Tensor, TensorShape>>* outputs,
                     tsl::CancellationManager* cancellation,
                     const std::optional<EagerFunctionParams>& params,
                     const std::optional<ManagedStackTrace>& stack,
                     tsl::CoordinationServiceAgent* agent);

 private:
  ProcessFunctionLibraryRuntime* library_;
  int64_t step_;
  std::string name_;
};
const std::string& KernelAndDeviceFunc::name() const { return name_; }
Status KernelAndDeviceFunc::Run(ScopedStepContainer*, const EagerKernelArgs&,
                                std::vector<std::variant<Tensor, TensorShape>>*,
                                tsl::CancellationManager*,
                                const std::optional<EagerFunctionParams>&,
                                const std::optional<ManagedStackTrace>&,
                                tsl::CoordinationServiceAgent*) {
  std::vector<Tensor> results;
  return library_->RunSync({step_}, 77, {}, &results);
}

class GrpcRemoteWorker {
 public:
  virtual ~GrpcRemoteWorker() = default;
  virtual void RecvTensorAsync(tsl::CallOptions* options,
                               const RecvTensorRequest* request,
                               TensorResponse* response, StatusCallback done);
};
void GrpcRemoteWorker::RecvTensorAsync(tsl::CallOptions*,
                                       const RecvTensorRequest*,
                                       TensorResponse*, StatusCallback done) {
  std::thread([done = std::move(done)] { done(Status()); }).join();
}

class GrpcWorker {
 public:
  virtual ~GrpcWorker() = default;
  virtual void GrpcRecvTensorAsync(tsl::CallOptions* options,
                                   const RecvTensorRequest* request,
                                   grpc::ByteBuffer* response,
                                   StatusCallback done);
};
// NOLINTBEGIN(performance-unnecessary-value-param): TensorFlow's signature.
void GrpcWorker::GrpcRecvTensorAsync(tsl::CallOptions*,
                                     const RecvTensorRequest*,
                                     grpc::ByteBuffer*, StatusCallback done) {
  done(Status());
}
// NOLINTEND(performance-unnecessary-value-param)

// ---- The program.

namespace {

class Sleep : public OpKernel {
 public:
  explicit Sleep(std::string name) : OpKernel(std::move(name), "Sleep") {}
  void Compute(OpKernelContext*) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

class SleepAsync : public AsyncOpKernel {
 public:
  explicit SleepAsync(std::string name)
      : AsyncOpKernel(std::move(name), "SleepAsync") {}
  void ComputeAsync(OpKernelContext*, Done done) override {
    // A copy runs on another thread after the original was destroyed.
    std::thread([done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      Done copy = done;
      copy();
    }).join();
  }
};

void RunOp(Device& device, OpKernel& kernel, int64_t step) {
  OpKernelContext::Params params;
  params.step_id = step;
  OpKernelContext context(&params, 2);
  device.Compute(&kernel, &context);
}

}  // namespace
}  // namespace tensorflow

extern "C" const char* TF_Version() { return "9.87"; }

// Runs `num_runs` sessions of three ops, one of them asynchronous, calls a
// function twice and an eager op once, allocates memory, and requests a tensor.
extern "C" int RunFakeProgram(int num_runs) {
  using namespace tensorflow;
  ThreadPoolDevice cpu("/job:localhost/replica:0/task:0/device:CPU:0");
  int num_done = 0;

  DirectSession session;
  Sleep first("net/first"), second("net/second");
  session.body = [&](int64_t step) {
    std::thread([&] { RunOp(cpu, first, step); }).join();
    RunOp(cpu, second, step);
    OpKernelContext::Params params;
    params.step_id = step;
    OpKernelContext context(&params, 2);
    SleepAsync third("net/third");
    cpu.ComputeAsync(&third, &context, [&] { ++num_done; });
    // Another kernel may get the address of the previous one.
    RunOp(cpu,
          *std::make_unique<Sleep>("temporary/of_" + std::to_string(step % 2)),
          step);
  };
  for (int64_t step = 1; step <= num_runs; ++step) {
    session.RunInternal(step, {}, nullptr, nullptr, nullptr, {});
  }

  ProcessFunctionLibraryRuntime library;
  library.body = [&](int64_t step) {
    Sleep kernel("function/op");
    RunOp(cpu, kernel, step);
  };
  std::vector<std::variant<Tensor, TensorShape>> outputs;
  const auto call = [&](const char* name, int64_t step) {
    KernelAndDeviceFunc function(name, step, &library);
    function.Run(nullptr, {}, &outputs, nullptr, {}, {}, nullptr);
  };
  call("__wrapped__Add_device_CPU", -7'000'000'000'001);
  call("__inference_train_step_12", -7'000'000'000'002);
  call("__inference_train_step_12", -7'000'000'000'003);

  void* const memory = tsl::port::AlignedMalloc(4096, 64);
  tsl::BFCAllocator allocator;
  tsl::BFCAllocator* const bfc = &allocator;
  void* const kept = bfc->AllocateRaw(64, 1 << 20, {});
  bfc->DeallocateRaw(bfc->AllocateRaw(64, 1 << 16, {}));
  tsl::port::AlignedFree(memory);

  RecvTensorRequest request;
  const std::string key =
      "/job:worker/task:1/device:CPU:0;0000000000000001;"
      "/job:worker/task:0/device:CPU:0;edge_5_x;0:0";
  request.bytes = std::string("\x08\x05\x12") + static_cast<char>(key.size()) +
                  key + "\x18\x01";
  TensorResponse response;
  grpc::ByteBuffer buffer;
  GrpcRemoteWorker client;
  GrpcRemoteWorker* const remote = &client;
  remote->RecvTensorAsync(nullptr, &request, &response,
                          [&](const Status&) { ++num_done; });
  GrpcWorker server;
  GrpcWorker* const local = &server;
  local->GrpcRecvTensorAsync(nullptr, &request, &buffer,
                             [&](const Status&) { ++num_done; });
  free(kept);
  return num_done;
}
