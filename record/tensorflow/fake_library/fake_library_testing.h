// A stand-in for TensorFlow's libraries, for tests of single hooks: a shared
// library that exports functions under TensorFlow's mangled names. They only
// count and remember their calls, and return what the test has set.
// tests/record/fake_tensorflow.cc, by contrast, has classes and runs a whole
// program.

#ifndef TFPROF_RECORD_TENSORFLOW_FAKE_LIBRARY_FAKE_LIBRARY_TESTING_H_
#define TFPROF_RECORD_TENSORFLOW_FAKE_LIBRARY_FAKE_LIBRARY_TESTING_H_

#include <cstdint>
#include <string_view>

namespace tfprof::record {

struct FakeLibrary {
  static constexpr int kMaxWords = 11;

  // ---- Set by the test.
  std::string_view kernel;     // the answer of kernels: "NAME:TYPE"
  std::string_view device;     // the name of each device
  std::string_view allocator;  // the name of each best-fit allocator
  std::string_view function;   // the name of each function
  std::string_view request;    // the bytes of each request
  uintptr_t result = 0;        // of functions that return a word
  // Called within each function that a hook replaces.
  void (*during)() = nullptr;

  // ---- Set by the library.
  int num_calls = 0;                // of functions behind hooks
  uintptr_t words[kMaxWords] = {};  // of the last call
  int num_asked = 0;                // for one of the texts above
  int num_freed = 0;                // texts
};

// The type of the symbol kFakeLibrarySymbol, which the library exports.
using GetFakeLibrary = FakeLibrary* (*)();
inline constexpr char kFakeLibrarySymbol[] = "TheFakeLibrary";

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_FAKE_LIBRARY_FAKE_LIBRARY_TESTING_H_
