// FuzzInput: the input of a fuzz entry in one of the ways in which the program
// has files.
//
// Which way is chosen by the bytes, so that an input that fails once always
// does: bytes in memory, exactly as many, so that the address sanitizer sees a
// byte read too much; a mapped file; a mapped file that another program
// overwrites or shortens between the load and what is done with the profile.

#ifndef TFPROF_TESTS_FUZZ_INPUT_H_
#define TFPROF_TESTS_FUZZ_INPUT_H_

#include <memory>
#include <string_view>

#include "loaders/input_file.h"

namespace tfprof {

class FuzzInput {
 public:
  explicit FuzzInput(std::string_view bytes);
  ~FuzzInput();
  FuzzInput(const FuzzInput&) = delete;
  FuzzInput& operator=(const FuzzInput&) = delete;

  const std::shared_ptr<const InputFile>& file() const { return file_; }

  // To be called after the load. True: the file is another one now, so that
  // nothing is known of what is read from it, but that it can be read.
  bool Change();

 private:
  enum class Way { kMemory, kMapped, kOverwritten, kShortened };

  Way way_ = Way::kMemory;
  int fd_ = -1;
  std::shared_ptr<const InputFile> file_;
};

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_INPUT_H_
