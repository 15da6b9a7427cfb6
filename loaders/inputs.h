// Inputs: the files of a load, each opened and unpacked once, and what they
// come to in its progress.
//
// The progress is in bytes: of a plain file those that are parsed; of one that
// is unpacked first, or read from a pipe, those too. What a compressed file
// holds is known when it is unpacked, so files that are not opened yet are
// taken for as compressed as the others.
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
#include "util/progress.h"

namespace tfprof {

class Inputs {
 public:
  Inputs(ImportLog& log, Progress& progress) : log_(log), progress_(progress) {}

  // The file, which may have been opened before. The log has its damage.
  // Errors: those of InputFile::Open.
  absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path);

  // A file that may be opened yet, unless it was.
  void Expect(const std::string& path);
  // `bytes` of a file are to be loaded; 0: nothing of it.
  void ExpectBytes(const std::string& path, int64_t bytes);
  void Forget(const std::string& path);

 private:
  // The bytes of a file, of what was made of it before it can be loaded, and of
  // all work.
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
  absl::flat_hash_map<std::string, std::shared_ptr<const InputFile>> opened_;
  absl::flat_hash_map<std::string, Expected> expected_;
  int64_t unopened_bytes_ = 0;
  int64_t opened_bytes_ = 0;
  int64_t opened_total_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_INPUTS_H_
