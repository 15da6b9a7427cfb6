/* The functions of Level Zero that the test uses, with handles as addresses. */

#ifndef TFPROF_TESTS_RECORD_STUB_LEVEL_ZERO_H_
#define TFPROF_TESTS_RECORD_STUB_LEVEL_ZERO_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct StubPoolDescription {
  uint32_t type;
  const void* next;
  uint32_t flags;
  uint32_t count;
};

struct StubKernelDescription {
  uint32_t type;
  const void* next;
  uint32_t flags;
  const char* name;
};

uint32_t zeEventPoolCreate(void* context, const struct StubPoolDescription*,
                           uint32_t num_devices, void** devices, void** pool);
uint32_t zeEventCreate(void* pool, const void* description, void** event);
uint32_t zeEventDestroy(void* event);
uint32_t zeEventHostReset(void* event);
uint32_t zeEventQueryStatus(void* event);
uint32_t zeEventHostSynchronize(void* event, uint64_t timeout);
uint32_t zeKernelCreate(void* module, const struct StubKernelDescription*,
                        void** kernel);
uint32_t zeCommandListCreate(void* context, void* device, const void*,
                             void** list);
uint32_t zeCommandListCreateImmediate(void* context, void* device, const void*,
                                      void** list);
uint32_t zeCommandListReset(void* list);
uint32_t zeCommandListDestroy(void* list);
uint32_t zeCommandListAppendLaunchKernel(void* list, void* kernel,
                                         const uint32_t* groups, void* event,
                                         uint32_t num_waits, void** waits);
uint32_t zeCommandListAppendMemoryCopy(void* list, void* to, const void* from,
                                       size_t bytes, void* event,
                                       uint32_t num_waits, void** waits);
uint32_t zeCommandListAppendMemoryFill(void* list, void* to,
                                       const void* pattern, size_t pattern_size,
                                       size_t bytes, void* event,
                                       uint32_t num_waits, void** waits);
uint32_t zeCommandListHostSynchronize(void* list, uint64_t timeout);
uint32_t zeCommandQueueCreate(void* context, void* device, const void*,
                              void** queue);
uint32_t zeCommandQueueExecuteCommandLists(void* queue, uint32_t num_lists,
                                           void** lists, void* fence);
uint32_t zeCommandQueueSynchronize(void* queue, uint64_t timeout);

#ifdef __cplusplus
}
#endif

#endif /* TFPROF_TESTS_RECORD_STUB_LEVEL_ZERO_H_ */
