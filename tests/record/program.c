/* A program that reports known numbers of events to the recorder.
 *
 * Usage: program OPS END [ARGUMENT...]
 *
 * OPS ops in one step on the main thread. Then END: return, exit, _exit, abort,
 * kill (by SIGKILL), term (by SIGTERM, from outside), fork (a child with as
 * many ops), vfork, exec (the program again, with ARGUMENTs), threads (64 that
 * run one after the other, 8 at once, with OPS ops each), signal (ops in a
 * handler), remove (the folder of the trace, then as many ops), close (all
 * files, then as many), everything (one of each event), limit (of file size).
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/tfprof_record.h"

enum { kThreads = 64, kAtOnce = 8, kFiles = 1024 };

static long ops;

static void Ops(void) {
  for (long i = 0; i < ops; ++i) {
    tfprof_op_begin("layer/MatMul", "MatMul", "/device:CPU:0", -1);
    tfprof_op_end();
  }
}

static void* OpsOfThread(void* unused) {
  Ops();
  return unused;
}

static void Threads(void) {
  pthread_t threads[kAtOnce];
  for (int round = 0; round < kThreads / kAtOnce; ++round) {
    for (int i = 0; i < kAtOnce; ++i) {
      pthread_create(&threads[i], NULL, OpsOfThread, NULL);
    }
    for (int i = 0; i < kAtOnce; ++i) pthread_join(threads[i], NULL);
  }
}

static volatile sig_atomic_t handled;
static void Handle(int number) {
  (void)number;
  tfprof_range_begin("handler");
  tfprof_range_end();
  ++handled;
}

static void Signals(void) {
  signal(SIGALRM, Handle);
  struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (handled < 200) Ops();
  memset(&often, 0, sizeof(often));
  setitimer(ITIMER_REAL, &often, NULL);
}

static void Everything(void) {
  const uint64_t now = tfprof_now();
  const uint64_t id = tfprof_new_id();
  tfprof_thread_name("main of the test");
  tfprof_queue_name("gpu:0", 3, "stream 3");
  tfprof_range_begin("range");
  tfprof_async_begin(id, "recv", "_Recv", "/device:CPU:0", -1);
  tfprof_counter("loss", "", 0.25);
  tfprof_allocate("cpu", &ops, 4096);
  tfprof_op_begin("net/Conv2D", "Conv2D", "", -1);
  tfprof_call_begin("cudaLaunchKernel", 77);
  tfprof_call_end();
  tfprof_op_end();
  const struct tfprof_work kernel = {.name = "conv_kernel",
                                     .device = "gpu:0",
                                     .queue = 3,
                                     .correlation = 77,
                                     .queued = now,
                                     .submitted = now + 10,
                                     .start = now + 1000,
                                     .end = now + 6000,
                                     .kind = TFPROF_WORK_KERNEL,
                                     .clock = TFPROF_CLOCK_HOST};
  tfprof_device_work(&kernel);
  /* A device whose clock is ahead by 5 s. */
  tfprof_clock_pair("gpu:1", now, now + 5000000000 + 50, now + 100);
  const struct tfprof_work copy = {.name = "copy to device",
                                   .device = "gpu:1",
                                   .bytes = 1000,
                                   .start = now + 5000002000,
                                   .end = now + 5000002500,
                                   .kind = TFPROF_WORK_COPY,
                                   .clock = TFPROF_CLOCK_DEVICE};
  tfprof_device_work(&copy);
  tfprof_release("cpu", &ops, 0);
  tfprof_async_end(id);
  tfprof_range_end();
  tfprof_pause();
  tfprof_op_begin("not/recorded", "Op", "", -1);
  tfprof_op_end();
  tfprof_resume();
  tfprof_op_begin("a\nname \"with\" marks", "Op", NULL, -1);
  tfprof_op_end();
}

int main(int argc, char** argv) {
  if (argc < 3) return 99;
  ops = atol(argv[1]);
  const char* end = argv[2];
  if (strcmp(end, "limit") == 0) {
    const struct rlimit limit = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  tfprof_step_begin(7, "train");
  Ops();
  tfprof_step_end(7);
  if (strcmp(end, "exit") == 0) {
    exit(3);
  } else if (strcmp(end, "_exit") == 0) {
    _exit(4);
  } else if (strcmp(end, "abort") == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    abort();
  } else if (strcmp(end, "kill") == 0) {
    raise(SIGKILL);
  } else if (strcmp(end, "term") == 0) {
    puts("ready");
    fflush(stdout);
    for (;;) pause();
  } else if (strcmp(end, "fork") == 0) {
    if (fork() == 0) {
      Ops();
      _exit(0);
    }
    wait(NULL);
  } else if (strcmp(end, "vfork") == 0) {
    if (vfork() == 0) _exit(0);
    wait(NULL);
    Ops();
  } else if (strcmp(end, "exec") == 0) {
    execv(argv[0], argv + 2);
  } else if (strcmp(end, "leave") == 0) {
    if (fork() == 0) {
      usleep(300000);
      Ops();
      _exit(0);
    }
  } else if (strcmp(end, "threads") == 0) {
    Threads();
  } else if (strcmp(end, "signal") == 0) {
    Signals();
  } else if (strcmp(end, "remove") == 0) {
    if (system("rm -r \"$TFPROF_RECORD\"/*") != 0) return 98;
    Ops();
  } else if (strcmp(end, "close") == 0) {
    for (int fd = 3; fd < kFiles; ++fd) close(fd);
    const int own = open("/dev/null", O_RDWR);
    Ops();
    return own == 3 ? 0 : 97;
  } else if (strcmp(end, "everything") == 0) {
    Everything();
  }
  return 0;
}
