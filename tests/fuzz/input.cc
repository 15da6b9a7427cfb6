#include "tests/fuzz/input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

namespace tfprof {

FuzzInput::FuzzInput(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (const char c : bytes) sum = 31 * sum + static_cast<unsigned char>(c);
  // Half of the inputs are bytes in memory.
  constexpr Way kWays[] = {Way::kMemory,      Way::kMapped, Way::kMemory,
                           Way::kOverwritten, Way::kMemory, Way::kShortened};
  way_ = kWays[sum % std::size(kWays)];
  // An empty file cannot be mapped.
  if (bytes.empty()) way_ = Way::kMemory;
  if (way_ == Way::kMemory) {
    file_ = loaders::InputFile::FromBytes("input", std::string(bytes));
    return;
  }
  fd_ = memfd_create("input", MFD_CLOEXEC);
  if (fd_ < 0 || write(fd_, bytes.data(), bytes.size()) !=
                     static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  auto file =
      loaders::InputFile::OpenMapped("/proc/self/fd/" + std::to_string(fd_));
  if (!file.ok()) std::abort();
  file_ = *std::move(file);
}

FuzzInput::~FuzzInput() {
  if (fd_ >= 0) close(fd_);
}

bool FuzzInput::Change() {
  const size_t size = file_->bytes().size();
  if (way_ == Way::kOverwritten) {
    // The new bytes are its own at other places, so many of them still look
    // right.
    const std::string bytes(file_->bytes());
    const size_t at = size / 3;
    if (pwrite(fd_, bytes.data() + at, size - at, 0) < 0) std::abort();
  } else if (way_ == Way::kShortened) {
    if (ftruncate(fd_, static_cast<off_t>(size / 2)) != 0) std::abort();
  }
  return way_ == Way::kOverwritten || way_ == Way::kShortened;
}

}  // namespace tfprof
