// Inputs: the files of a load, each opened and unpacked once, and their share
// of its progress.
//
// The progress is in bytes. A plain file counts the bytes that are parsed. A
// file that is unpacked first, or read from a pipe, also counts the bytes that
// come out of that. The size of a compressed file is known only when it is
// unpacked, so files that are not opened yet are assumed to be as compressed as
// the others.
//
// The log and the progress must outlive this. For one thread.

#ifndef TFPROF_LOADERS_INPUTS_H_
#define TFPROF_LOADERS_INPUTS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "util/cancellation.h"
#include "util/progress.h"

namespace tfprof {

class Inputs {
 public:
  // A cancellation ends reading and unpacking.
  Inputs(ImportLog& log, Progress& progress,
         const Cancellation* cancellation = nullptr)
      : log_(log), progress_(progress), cancellation_(cancellation) {}

  // The file, which may have been opened before. The log has its damage.
  // Errors: those of InputFile::Open.
  absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path);

  // Counts the file in the total, unless it is counted already.
  void Expect(const std::string& path);
  // `bytes` of a file will be loaded; 0: nothing of it.
  void ExpectBytes(const std::string& path, int64_t bytes);
  // Nothing of the file will be loaded.
  void Forget(const std::string& path);

 private:
  // The bytes of a file on disk, those unpacked or read so far before it can be
  // loaded, and those of all work for it.
  struct Expected {
    int64_t size = 0;
    int64_t prepared = 0;
    int64_t total = 0;
    bool opened = false;
  };

  void Prepared(const std::string& path, int64_t done, int64_t total);
  void UpdateTotal();

  ImportLog& log_;
  Progress& progress_;
  const Cancellation* const cancellation_;
  absl::flat_hash_map<std::string, std::shared_ptr<const InputFile>> opened_;
  absl::flat_hash_map<std::string, Expected> expected_;
  int64_t unopened_bytes_ = 0;
  int64_t opened_bytes_ = 0;
  int64_t opened_total_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_INPUTS_H_
