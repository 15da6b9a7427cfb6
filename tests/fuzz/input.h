// FuzzInput: provides the input of a fuzz entry in one of the ways in which the
// program gets files.
//
// The way is chosen by the bytes, so that a failure can be repeated: bytes in
// memory of exactly the input's size, so that the address sanitizer detects a
// read past the end; a mapped file; or a mapped file that another program
// overwrites or shortens between loading and use of the profile.

#ifndef TFPROF_TESTS_FUZZ_INPUT_H_
#define TFPROF_TESTS_FUZZ_INPUT_H_

#include <memory>
#include <string_view>

#include "loaders/core/input_file.h"

namespace tfprof {

class FuzzInput {
 public:
  explicit FuzzInput(std::string_view bytes);
  ~FuzzInput();
  FuzzInput(const FuzzInput&) = delete;
  FuzzInput& operator=(const FuzzInput&) = delete;

  const std::shared_ptr<const loaders::InputFile>& file() const {
    return file_;
  }

  // To be called after the load. Returns true if the file was changed: its
  // content is then arbitrary, but reading it must still be safe.
  bool Change();

 private:
  enum class Way { kMemory, kMapped, kOverwritten, kShortened };

  Way way_ = Way::kMemory;
  int fd_ = -1;
  std::shared_ptr<const loaders::InputFile> file_;
};

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_INPUT_H_
