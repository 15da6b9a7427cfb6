/* A program with three OpenCL queues, whose commands belong to known ops.
 *
 * Usage: opencl_program STEPS END
 *
 * In each step, op_0, op_1 and op_2 each write a buffer and launch the kernels
 * `add` and `slow` on a queue of their own: in order, out of order, and in
 * order on the last device. END: finish (reads the buffers back in each step),
 * leave (ends without waiting for anything), fork (a child of the running
 * program reports an op).
 *
 * Compiled with -DLATE it loads OpenCL when it runs, else it is linked with it.
 */

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/tfprof_record.h"

enum { kQueues = 3, kFloats = 4096, kBytes = kFloats * sizeof(float) };

static const char* kSource =
    "__kernel void add(__global float* a) { a[get_global_id(0)] += 1; }\n"
    "__kernel void slow(__global float* a) {\n"
    "  for (int k = 0; k < 300; ++k) a[get_global_id(0)] *= 1.0001f;\n"
    "}\n";

static void* library;

static void* Find(const char* name) {
  void* const found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "no %s\n", name);
    exit(90);
  }
  return found;
}
#define CL(function) ((__typeof__(&function))Find(#function))

static void Check(cl_int error, int line) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "line %d: OpenCL error %d\n", line, error);
  exit(91);
}
#define CHECK(error) Check(error, __LINE__)

int main(int argc, char** argv) {
  if (argc < 3) return 99;
  const int steps = atoi(argv[1]);
  const int finishes = strcmp(argv[2], "leave") != 0;
#ifdef LATE
  library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (library == NULL) return 92;
#else
  library = RTLD_DEFAULT;
#endif
  cl_platform_id platform;
  cl_device_id devices[4];
  cl_uint num_devices = 0;
  CHECK(CL(clGetPlatformIDs)(1, &platform, NULL));
  CHECK(CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 4, devices,
                           &num_devices));
  cl_int error = CL_SUCCESS;
  cl_context context =
      CL(clCreateContext)(NULL, num_devices, devices, NULL, NULL, &error);
  CHECK(error);
  const cl_queue_properties out_of_order[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue queues[kQueues];
  queues[0] = CL(clCreateCommandQueue)(context, devices[0], 0, &error);
  CHECK(error);
  queues[1] = CL(clCreateCommandQueueWithProperties)(context, devices[0],
                                                     out_of_order, &error);
  CHECK(error);
  queues[2] = CL(clCreateCommandQueueWithProperties)(
      context, devices[num_devices - 1], NULL, &error);
  CHECK(error);
  cl_program program =
      CL(clCreateProgramWithSource)(context, 1, &kSource, NULL, &error);
  CHECK(error);
  CHECK(CL(clBuildProgram)(program, 0, NULL, NULL, NULL, NULL));
  cl_kernel kernels[] = {CL(clCreateKernel)(program, "add", &error),
                         CL(clCreateKernel)(program, "slow", &error)};
  CHECK(error);
  float* const host = calloc(kFloats, sizeof(float));
  cl_mem buffers[kQueues];
  for (int i = 0; i < kQueues; ++i) {
    buffers[i] = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, kBytes, NULL,
                                    &error);
    CHECK(error);
  }
  for (int step = 0; step < steps; ++step) {
    tfprof_step_begin(step, "train");
    for (int i = 0; i < kQueues; ++i) {
      char op[16];
      snprintf(op, sizeof(op), "op_%d", i);
      tfprof_op_begin(op, "Op", "", step);
      cl_event written = NULL;
      CHECK(CL(clEnqueueWriteBuffer)(queues[i], buffers[i], CL_FALSE, 0, kBytes,
                                     host, 0, NULL, &written));
      cl_event last = written;
      for (int k = 0; k < 2; ++k) {
        const size_t size = kFloats;
        CHECK(CL(clSetKernelArg)(kernels[k], 0, sizeof(cl_mem), &buffers[i]));
        cl_event next = NULL;
        /* The program asks for the event of one kernel only. */
        CHECK(CL(clEnqueueNDRangeKernel)(queues[i], kernels[k], 1, NULL, &size,
                                         NULL, 1, &last,
                                         k == 0 ? &next : NULL));
        CL(clReleaseEvent)(last);
        last = next;
      }
      tfprof_op_end();
    }
    for (int i = 0; i < kQueues && finishes; ++i) {
      CHECK(CL(clEnqueueReadBuffer)(queues[i], buffers[i], CL_TRUE, 0, kBytes,
                                    host, 0, NULL, NULL));
      CHECK(CL(clFinish)(queues[i]));
    }
    tfprof_step_end(step);
  }
  if (finishes && host[0] < 1) return 93;
  if (strcmp(argv[2], "fork") == 0) {
    if (fork() == 0) {
      tfprof_op_begin("of_the_child", "Op", "", -1);
      tfprof_op_end();
      _exit(0);
    }
    wait(NULL);
  }
  return 0;
}
