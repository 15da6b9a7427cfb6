// A program whose ops launch known work on a stub of a device.
// Usage: device_program LIBRARY STEPS
//
// It loads the library as a driver does: the environment names it (here it is
// the recorder), and the program calls the function that drivers call.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "record/tfprof_record.h"
#include "tests/record/stub_device.h"

namespace {

constexpr char kDevice[] = "/device:GPU:0";

template <typename Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const auto launch = Find<decltype(&StubLaunch)>(library, "StubLaunch");
  const auto copy = Find<decltype(&StubCopy)>(library, "StubCopy");
  if (launch == nullptr || copy == nullptr) return 2;

  const bool is_cuda = dlsym(library, "cuptiGetVersion") != nullptr;
  if (is_cuda) {
    const auto inject = Find<int (*)()>(RTLD_DEFAULT, "InitializeInjection");
    if (inject != nullptr && inject() != 1) return 3;
  } else {
    const auto load =
        Find<bool (*)(void*, uint64_t, uint64_t, const char* const*)>(
            RTLD_DEFAULT, "OnLoad");
    if (load != nullptr && !load(nullptr, 1, 0, nullptr)) return 3;
  }

  const int steps = atoi(argv[2]);
  for (int step = 1; step <= steps; ++step) {
    tfprof_step_begin(step, "train");
    // Two threads have ops at the same time, each with its own queue.
    std::thread other([&] {
      tfprof_op_begin("net/embed", "Gather", kDevice, step);
      for (int i = 0; i < 2; ++i) launch("gather_kernel", 0, 9, 4'000);
      tfprof_op_end();
    });
    tfprof_op_begin("net/dense", "MatMul", kDevice, step);
    copy(4096, 0, 7, 1'000);
    launch("gemm_kernel", 0, 7, 9'000);
    tfprof_op_begin("net/dense/bias", "BiasAdd", kDevice, step);
    launch("bias_kernel", 1, 7, 2'000);
    tfprof_op_end();
    tfprof_op_end();
    other.join();
    // No op is open here.
    launch("outside_kernel", 0, 7, 1'000);
    tfprof_step_end(step);
  }
  printf("%d steps\n", steps);
}
