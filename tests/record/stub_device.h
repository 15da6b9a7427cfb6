/* What the stub libraries of device tools export beside the tool's interface:
 * a device whose work is known. Two calls of a runtime, each with a record of
 * the call and one of its work; the work begins 20 us after the call and takes
 * as long as it is told to. */

#ifndef TFPROF_TESTS_RECORD_STUB_DEVICE_H_
#define TFPROF_TESTS_RECORD_STUB_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `kernel` must live as long as the process. */
void StubLaunch(const char* kernel, uint32_t device, uint32_t queue,
                uint64_t nanos);
void StubCopy(size_t bytes, uint32_t device, uint32_t queue, uint64_t nanos);

#ifdef __cplusplus
}
#endif

#endif /* TFPROF_TESTS_RECORD_STUB_DEVICE_H_ */
