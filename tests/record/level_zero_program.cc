// A program whose ops run commands of Level Zero.
// Usage: level_zero_program STEPS

#include <cstdio>
#include <cstdlib>

#include "record/tfprof_record.h"
#include "tests/record/stub_level_zero.h"

namespace {

constexpr char kDevice[] = "/device:XPU:0";
constexpr uint64_t kForever = UINT64_MAX;
int context, device, module;

void* Kernel(const char* name) {
  const StubKernelDescription description = {0x1d, nullptr, 0, name};
  void* kernel = nullptr;
  zeKernelCreate(&module, &description, &kernel);
  return kernel;
}

// Runs commands that start when they are appended, without events of the
// program.
void RunImmediate(void* list, void* kernel, int64_t step) {
  tfprof_op_begin("net/now", "Relu", kDevice, step);
  const uint32_t groups[] = {50, 1, 1};  // 4 us
  zeCommandListAppendLaunchKernel(list, kernel, groups, nullptr, 0, nullptr);
  zeCommandListAppendMemoryFill(list, nullptr, nullptr, 1, 1600, nullptr, 0,
                                nullptr);
  zeCommandListHostSynchronize(list, kForever);
  tfprof_op_end();
}

// Runs a list that two ops submit. The kernel signals an event of the program,
// which the program resets in between.
void RunTwice(void* queue, void* kernel, void* event, int64_t step) {
  void* list = nullptr;
  zeCommandListCreate(&context, &device, nullptr, &list);
  tfprof_op_begin("net/first", "MatMul", kDevice, step);
  const uint32_t groups[] = {100, 1, 1};  // 8 us
  zeCommandListAppendLaunchKernel(list, kernel, groups, event, 0, nullptr);
  zeCommandListAppendMemoryCopy(list, nullptr, nullptr, 6400, nullptr, 0,
                                nullptr);
  zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr);
  zeEventHostSynchronize(event, kForever);
  zeEventHostReset(event);
  zeCommandQueueSynchronize(queue, kForever);
  tfprof_op_end();
  tfprof_op_begin("net/second", "MatMul", kDevice, step);
  zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr);
  zeCommandQueueSynchronize(queue, kForever);
  tfprof_op_end();
  zeEventHostReset(event);
  zeCommandListReset(list);
  zeCommandListDestroy(list);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void *now = nullptr, *queue = nullptr, *pool = nullptr, *event = nullptr;
  zeCommandListCreateImmediate(&context, &device, nullptr, &now);
  zeCommandQueueCreate(&context, &device, nullptr, &queue);
  const StubPoolDescription description = {0x10, nullptr, 1, 1};
  zeEventPoolCreate(&context, &description, 0, nullptr, &pool);
  zeEventCreate(pool, nullptr, &event);
  void* const relu = Kernel("relu_kernel");
  void* const gemm = Kernel("gemm_kernel");
  const int steps = atoi(argv[1]);
  for (int step = 1; step <= steps; ++step) {
    tfprof_step_begin(step, "train");
    RunImmediate(now, relu, step);
    RunTwice(queue, gemm, event, step);
    tfprof_step_end(step);
  }
  zeEventDestroy(event);
  printf("%d steps\n", steps);
}
