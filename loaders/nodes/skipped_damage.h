// Checks the parts of a file that its loader skips for damage.
//
// A loader counts what it cannot read. It does not look into parts that it has
// no use for, so damage there would go unreported; Format::find_damage finds
// it. Small files are checked at once, which takes a few milliseconds. Large
// files are checked on another thread while they are loaded, if the loader
// leaves a core free (Format::check_beside_load), and else when a command asks
// for the health of the files (UncheckedFile).

#ifndef TFPROF_LOADERS_NODES_SKIPPED_DAMAGE_H_
#define TFPROF_LOADERS_NODES_SKIPPED_DAMAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "loaders/core/format.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"
#include "util/run/task_options.h"

namespace tfprof::loaders {

// Files up to this size are checked when they are loaded.
inline constexpr size_t kCheckedBytes = 8 << 20;

// A file with skipped parts that nobody has checked. Owns nothing: a file that
// nobody reads any more cannot be checked.
struct UncheckedFile {
  std::weak_ptr<const InputFile> file;
  const Format* format = nullptr;
};

// Checks the large files of a format on another thread, from now on. `format`
// and `files` must outlive this.
class CheckBesideLoad {
 public:
  CheckBesideLoad(const Format& format, std::span<const FormatFile> files,
                  const util::TaskOptions& work);

  // Returns whether this checks the file.
  bool Checks(const FormatFile& file) const;
  // Waits for the end, and adds the position of the first damaged field of each
  // file to `log`.
  void Finish(ImportLog& log);

 private:
  void Check();

  const Format& format_;
  const std::span<const FormatFile> files_;
  const util::TaskOptions work_;
  std::vector<std::optional<uint64_t>> damage_;  // of each file
  std::jthread thread_;                          // uses the others
};

// Adds the position of the first damaged field of the file to `log`.
void CheckStructure(const Format& format, const InputFile& file,
                    const util::Cancellation* cancellation, ImportLog& log);
void CheckStructure(std::span<const UncheckedFile> files,
                    const util::Cancellation* cancellation, ImportLog& log);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_SKIPPED_DAMAGE_H_
