// Inputs: opens and unpacks each file of a load once, and counts the progress
// of the load.
//
// Progress is in bytes. A plain file counts the bytes that are parsed. A file
// that is unpacked first, or read from a pipe, also counts the bytes that come
// out. The size of a compressed file is known only when it is unpacked, so
// unopened files are assumed to compress as well as the others.
//
// The log and the progress must outlive this. Use one thread.

#ifndef TFPROF_LOADERS_CORE_INPUTS_H_
#define TFPROF_LOADERS_CORE_INPUTS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"
#include "util/run/progress.h"

namespace tfprof::loaders {

class Inputs {
 public:
  // A cancellation stops reading and unpacking.
  Inputs(ImportLog& log, util::Progress& progress,
         const util::Cancellation* cancellation = nullptr)
      : log_(log), progress_(progress), cancellation_(cancellation) {}

  // Returns the file, which may be open already. Damage of its container is in
  // the log. Errors: see InputFile::Open.
  absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path);

  // Adds the file to the total, unless it was added before.
  void Expect(const std::string& path);
  // Sets how many bytes of a file will be loaded; 0: none.
  void ExpectBytes(const std::string& path, int64_t bytes);
  // Removes the file from the total: nothing in it will be loaded.
  void Forget(const std::string& path);

 private:
  // In bytes: the size of the file on disk, the bytes unpacked or read so far
  // before the file can be loaded, and all work for the file.
  struct Expected {
    int64_t size = 0;
    int64_t prepared = 0;
    int64_t total = 0;
    bool opened = false;
  };

  void Prepared(const std::string& path, int64_t done, int64_t total);
  void UpdateTotal();

  ImportLog& log_;
  util::Progress& progress_;
  const util::Cancellation* const cancellation_;
  absl::flat_hash_map<std::string, std::shared_ptr<const InputFile>> opened_;
  absl::flat_hash_map<std::string, Expected> expected_;
  int64_t unopened_bytes_ = 0;
  int64_t opened_bytes_ = 0;
  int64_t opened_total_ = 0;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_INPUTS_H_
