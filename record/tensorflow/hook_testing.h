// Helpers for the tests of single hooks: the fake library behind them, and a
// process for each test, because hooks keep what they have learned for the life
// of a process.

#ifndef TFPROF_RECORD_TENSORFLOW_HOOK_TESTING_H_
#define TFPROF_RECORD_TENSORFLOW_HOOK_TESTING_H_

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "record/recording_testing.h"
#include "record/tensorflow/fake_library/fake_library_testing.h"
#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

// Loads the fake library as a program loads TensorFlow.
inline FakeLibrary& TheLibrary() {
  static FakeLibrary* const library = [] {
    void* const object =
        dlopen("record/tensorflow/fake_library/libfake_tensorflow.so",
               RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(object, nullptr) << dlerror();
    return reinterpret_cast<GetFakeLibrary>(
        dlsym(object, kFakeLibrarySymbol))();
  }();
  return *library;
}

// Runs `run` in a new recorded process and returns its events. A failure there
// is a failure here. Notes are left out unless `with_notes`.
inline std::vector<std::string> EventsOfProcess(
    const std::function<void(FakeLibrary&)>& run, bool with_notes = false) {
  const Recording recording;
  const pid_t child = fork();
  if (child == 0) {
    run(TheLibrary());
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the process has failed";
  std::vector<std::string> events = recording.Events();
  if (!with_notes) {
    std::erase_if(events, [](const std::string& event) {
      return event.starts_with("note ");
    });
  }
  return events;
}

// Views a std::function as the recorder does, by its layout.
template <typename F>
StdFunction* Layout(std::function<F>& function) {
  static_assert(sizeof(function) == sizeof(StdFunction));
  return reinterpret_cast<StdFunction*>(&function);
}

// An address that is never dereferenced.
inline void* At(uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_HOOK_TESTING_H_
