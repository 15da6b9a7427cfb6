/* Lets a program that runs under `tfprof record` add its own events.
 *
 * A C header without a library: the functions are looked up once in the
 * recorder, which `tfprof record` loads into the program. Without it, nothing
 * is recorded, and a call costs a load and a branch. Works in C99 and C++;
 * programs for glibc before 2.34 must link with -ldl.
 *
 *     #include "tfprof_record.h"
 *
 *     tfprof_step_begin(7, "train");
 *     tfprof_op_begin("dense/MatMul", "MatMul", "/device:CPU:0", 7);
 *     ...
 *     tfprof_op_end();
 *     tfprof_step_end(7);
 *
 * Ops, ranges and calls nest within a thread: an end closes what the same
 * thread began last. Everything else may begin and end on different threads.
 *
 * Strings are UTF-8, are copied, may be null (which counts as ""), and are cut
 * after 1000 bytes. Times are nanoseconds of the clock of the trace,
 * CLOCK_MONOTONIC: tfprof_now(). All functions may be called from any thread,
 * also before main, and after fork; none fails, takes a lock or waits for
 * another thread. Events that do not fit any more are dropped and counted. In
 * a signal handler that interrupts the recorder, events are dropped.
 */

#ifndef TFPROF_RECORD_TFPROF_RECORD_H_
#define TFPROF_RECORD_TFPROF_RECORD_H_

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TFPROF_RECORD_VERSION 1

enum tfprof_work_kind {
  TFPROF_WORK_KERNEL = 0,
  TFPROF_WORK_COPY = 1,
  TFPROF_WORK_FILL = 2,
  TFPROF_WORK_OTHER = 3
};

/* The clock on which the times of a device are measured. */
enum tfprof_clock_kind {
  /* The clock of the trace. */
  TFPROF_CLOCK_HOST = 0,
  /* A clock of the device, in nanoseconds. tfprof_clock_pair() ties it to the
   * clock of the trace; so do `entry` and `exit` of each piece of work. */
  TFPROF_CLOCK_DEVICE = 1
};

/* A kernel, copy or fill that a device has finished. 0 means unknown. */
struct tfprof_work {
  const char* name;     /* of the kernel; "copy to device" */
  const char* device;   /* "CUDA:0"; each has one clock and its own queues */
  uint64_t queue;       /* number or address; tfprof_queue_name() names it */
  uint64_t correlation; /* of the call that launched it; 0: none */
  uint64_t bytes;       /* of a copy or fill */
  /* Times on the device's clock: when the host enqueued the work, when the
   * device got it, when it began and ended. `start` and `end` are required. */
  uint64_t queued, submitted, start, end;
  /* The call that launched it: thread id of the kernel (gettid) and host time.
   * Not needed if a call with the same correlation is recorded. */
  uint32_t thread;
  uint64_t entry, exit;
  uint8_t kind;  /* enum tfprof_work_kind */
  uint8_t clock; /* enum tfprof_clock_kind */
};

/* The functions of the recorder. New ones are added at the end. */
struct tfprof_record_functions {
  uint32_t version;
  uint32_t size; /* bytes of this structure, as the recorder knows it */

  int (*is_recording)(void);
  uint64_t (*now)(void);
  uint64_t (*new_id)(void);

  void (*op_begin)(const char* name, const char* type, const char* device,
                   int64_t step);
  void (*op_end)(void);
  void (*range_begin)(const char* name);
  void (*range_end)(void);
  void (*call_begin)(const char* name, uint64_t correlation);
  void (*call_end)(void);

  void (*step_begin)(int64_t step, const char* name);
  void (*step_end)(int64_t step);
  void (*async_begin)(uint64_t id, const char* name, const char* type,
                      const char* device, int64_t step);
  void (*async_end)(uint64_t id);

  void (*counter)(const char* name, const char* unit, double value);
  void (*allocate)(const char* allocator, uint64_t address, uint64_t bytes);
  void (*release)(const char* allocator, uint64_t address, uint64_t bytes);

  void (*work)(const struct tfprof_work* work);
  void (*clock_pair)(const char* device, uint64_t host_before,
                     uint64_t device_time, uint64_t host_after);
  void (*thread_name)(const char* name);
  void (*queue_name)(const char* device, uint64_t queue, const char* name);

  /* Between pause() and resume(), nothing is recorded in the whole process. */
  void (*pause)(void);
  void (*resume)(void);
};

/* The function that the recorder exports. It returns null if the recorder does
 * not support that version. */
typedef const struct tfprof_record_functions* (*tfprof_record_get)(
    uint32_t version);
#define TFPROF_RECORD_SYMBOL "tfprof_record_get_functions"

/* The functions of the recorder; null if the program is not recorded. */
static inline const struct tfprof_record_functions* tfprof_recorder(void) {
  static const struct tfprof_record_functions* functions;
  static int looked_up;
  if (!__atomic_load_n(&looked_up, __ATOMIC_ACQUIRE)) {
    union {
      void* symbol;
      tfprof_record_get get;
    } found;
    found.symbol = dlsym(RTLD_DEFAULT, TFPROF_RECORD_SYMBOL);
    /* Two threads may do this at the same time; they store the same value. */
    if (found.symbol != NULL) {
      __atomic_store_n(&functions, found.get(TFPROF_RECORD_VERSION),
                       __ATOMIC_RELAXED);
    }
    __atomic_store_n(&looked_up, 1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&functions, __ATOMIC_RELAXED);
}

/* Whether events are being recorded now. */
static inline int tfprof_is_recording(void) {
  const struct tfprof_record_functions* recorder = tfprof_recorder();
  return recorder != NULL && recorder->is_recording();
}

/* Nanoseconds of the clock of the trace; 0 if the program is not recorded. */
static inline uint64_t tfprof_now(void) {
  const struct tfprof_record_functions* recorder = tfprof_recorder();
  return recorder != NULL ? recorder->now() : 0;
}

/* An id that is unique in this process, for correlations and
 * tfprof_async_begin(). Never 0. */
static inline uint64_t tfprof_new_id(void) {
  const struct tfprof_record_functions* recorder = tfprof_recorder();
  return recorder != NULL ? recorder->new_id() : 1;
}

#define TFPROF_RECORD_CALL(function, arguments)                         \
  do {                                                                  \
    const struct tfprof_record_functions* recorder = tfprof_recorder(); \
    if (recorder != NULL) recorder->function arguments;                 \
  } while (0)

/* An operation of a graph. Work that the thread launches before its end belongs
 * to it. `device`: "/job:worker/task:0/device:CPU:0", or "" for the CPU.
 * `step`: the id given to tfprof_step_begin(), or -1 for the open step. */
static inline void tfprof_op_begin(const char* name, const char* type,
                                   const char* device, int64_t step) {
  TFPROF_RECORD_CALL(op_begin, (name, type, device, step));
}
static inline void tfprof_op_end(void) { TFPROF_RECORD_CALL(op_end, ()); }

/* Any other part of a thread's time. */
static inline void tfprof_range_begin(const char* name) {
  TFPROF_RECORD_CALL(range_begin, (name));
}
static inline void tfprof_range_end(void) { TFPROF_RECORD_CALL(range_end, ()); }

/* A call of a device's programming interface: "clEnqueueNDRangeKernel".
 * `correlation` is the id of the work that it launches, or 0. */
static inline void tfprof_call_begin(const char* name, uint64_t correlation) {
  TFPROF_RECORD_CALL(call_begin, (name, correlation));
}
static inline void tfprof_call_end(void) { TFPROF_RECORD_CALL(call_end, ()); }

/* A step of a training loop, or a run of a session. */
static inline void tfprof_step_begin(int64_t step, const char* name) {
  TFPROF_RECORD_CALL(step_begin, (step, name));
}
static inline void tfprof_step_end(int64_t step) {
  TFPROF_RECORD_CALL(step_end, (step));
}

/* An operation that may end on another thread. `id` is from tfprof_new_id(). */
static inline void tfprof_async_begin(uint64_t id, const char* name,
                                      const char* type, const char* device,
                                      int64_t step) {
  TFPROF_RECORD_CALL(async_begin, (id, name, type, device, step));
}
static inline void tfprof_async_end(uint64_t id) {
  TFPROF_RECORD_CALL(async_end, (id));
}

/* Sets the value of a counter from now on. */
static inline void tfprof_counter(const char* name, const char* unit,
                                  double value) {
  TFPROF_RECORD_CALL(counter, (name, unit, value));
}

/* Memory. `bytes` of a release may be 0; the allocation's size then counts. */
static inline void tfprof_allocate(const char* allocator, const void* address,
                                   uint64_t bytes) {
  TFPROF_RECORD_CALL(allocate,
                     (allocator, (uint64_t)(uintptr_t)address, bytes));
}
static inline void tfprof_release(const char* allocator, const void* address,
                                  uint64_t bytes) {
  TFPROF_RECORD_CALL(release, (allocator, (uint64_t)(uintptr_t)address, bytes));
}

/* Finished work of a device. */
static inline void tfprof_device_work(const struct tfprof_work* work) {
  TFPROF_RECORD_CALL(work, (work));
}

/* The clock of a device was read between two readings of the host's clock. */
static inline void tfprof_clock_pair(const char* device, uint64_t host_before,
                                     uint64_t device_time,
                                     uint64_t host_after) {
  TFPROF_RECORD_CALL(clock_pair,
                     (device, host_before, device_time, host_after));
}

/* Readable names of the calling thread and of a queue. */
static inline void tfprof_thread_name(const char* name) {
  TFPROF_RECORD_CALL(thread_name, (name));
}
static inline void tfprof_queue_name(const char* device, uint64_t queue,
                                     const char* name) {
  TFPROF_RECORD_CALL(queue_name, (device, queue, name));
}

/* Stops recording until tfprof_resume() is called. */
static inline void tfprof_pause(void) { TFPROF_RECORD_CALL(pause, ()); }
static inline void tfprof_resume(void) { TFPROF_RECORD_CALL(resume, ()); }

#ifdef __cplusplus
}
#endif

#endif /* TFPROF_RECORD_TFPROF_RECORD_H_ */
