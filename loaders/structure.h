// Damage in parts of a file that its loader skips.
//
// A loader counts what it cannot read. What it has no use for it does not look
// into, and damage in there would go unsaid; Format::find_damage looks. That is
// done at once for small files, where it costs some milliseconds, and for large
// ones when a command asks for the health of the files (UncheckedFile).

#ifndef TFPROF_LOADERS_STRUCTURE_H_
#define TFPROF_LOADERS_STRUCTURE_H_

#include <cstddef>
#include <memory>
#include <span>

#include "loaders/format.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "util/cancellation.h"

namespace tfprof {

// Files up to this size are checked when they are loaded.
inline constexpr size_t kCheckedBytes = 8 << 20;

// A file with skipped parts that nobody has checked. Owns nothing: a file of
// which nothing is read any more cannot be checked.
struct UncheckedFile {
  std::weak_ptr<const InputFile> file;
  const Format* format = nullptr;
};

// Adds to `log` where the first damaged field of the file is.
void CheckStructure(const Format& format, const InputFile& file,
                    const Cancellation* cancellation, ImportLog& log);
void CheckStructure(std::span<const UncheckedFile> files,
                    const Cancellation* cancellation, ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_STRUCTURE_H_
