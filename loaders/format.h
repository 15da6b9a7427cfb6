// Format: one kind of input, as a row of the registry (loaders/registry.h).
//
// A row is plain data and functions, defined in the folder of its format. It
// says what messages call the format, which flag names files of it, how to
// recognise it, how to load it, and which other files may be loaded with it.
// The rest of the loaders, the flags of the program, its help and its
// completion read rows and name no format. So a new input format is one folder
// and one row.
//
// A registry is a list of rows. Its order is that of the flags in the help, and
// if two formats fit a file equally well, the first one is taken.
//
// Content decides what a file is, never its name. Some formats have no magic
// number: each row says how well a file fits, and the best fit is taken.

#ifndef TFPROF_LOADERS_FORMAT_H_
#define TFPROF_LOADERS_FORMAT_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "loaders/load_context.h"
#include "profile/accounting_rules.h"
#include "util/cancellation.h"

namespace tfprof {

// How well the bytes of a file fit a format.
struct Fit {
  // The first word of a text file is one of this format.
  static constexpr int kWord = std::numeric_limits<int>::max() - 1;
  // A magic number.
  static constexpr int kMagic = std::numeric_limits<int>::max();

  // 0: the file is not of this format. Otherwise the larger the better: kMagic,
  // kWord, or a number that grows with what was recognised.
  int score = 0;
  // The file is the text form of the format.
  bool text = false;
};

// What a file of a format holds. This decides which files are loaded together.
enum class Role {
  kProfile,  // all of a program and its steps: nothing else is needed
  kGraph,    // the nodes of a program
  kRun,      // what a run of a program did
  kExtra,    // more about the nodes of other files; nothing alone
};

// Which of several files of a format in one folder are read.
enum class FolderChoice { kAll, kFirst, kLast };

// A file that a format has to load.
struct FormatFile {
  std::string path = {};  // as it was named
  // Its bytes, in binary form; nullptr where Format::index_suffix is set.
  std::shared_ptr<const InputFile> file = {};
  int64_t step = -1;  // -1 unless Format::step_prefix is set
};

struct Format {
  // For messages and `status`: "GraphDef".
  std::string_view name = {};

  // The flag that names files of the format, without dashes: "graph_path"; how
  // the help shows its value, and what it says of it.
  std::string_view flag = {};
  std::string_view value_name = {};
  std::string_view help = {};
  // The value of the flag is a list with commas, and the flag may be repeated.
  // Otherwise the value is one path and the last one counts.
  bool flag_takes_list = false;
  // The name of the input in "Failed to read graph_path: …". Empty: the errors
  // of `load` are shown as they are.
  std::string_view failed_name = {};

  // Each file is a step. Its number is N in "N:FILE", else, without a flag, the
  // number after this prefix in the name of the file, else its position among
  // the files of the format. Empty: files are not steps.
  std::string_view step_prefix = {};
  // An input is several files, named by the beginning that their names share,
  // and `load` opens them itself. The file with this suffix may be named
  // instead. Empty: an input is one file.
  std::string_view index_suffix = {};
  // What follows that beginning in the names of its other files: ".data-".
  std::string_view part_mark = {};

  Role role = Role::kExtra;
  // Is also read if a flag names a profile (Role::kProfile).
  bool beside_profile = false;
  // A load takes one input of this format, the last that is named.
  bool single = false;
  FolderChoice folder_choice = FolderChoice::kAll;
  // Where in the folder of a program its runs are, a folder for each:
  // "plugins/profile". Of such a folder the newest run is read. Empty: the
  // format has none.
  std::string_view runs_folder = {};
  // The name of the file that stands for a whole folder: "metadata". A folder
  // with files of this name, at any depth, is read by them alone. Empty: the
  // format has none.
  std::string_view folder_file = {};
  // Whether a folder with such a file is one of the format although the file
  // does not say so. nullptr: it never is.
  bool (*is_folder)(const std::string& folder) = nullptr;
  // Formats are loaded in ascending order.
  int order = 0;

  // The accounting of the executions of the format. Files of one load must
  // agree; nullptr: as the other files.
  const AccountingRules& (*rules)() = nullptr;
  // The shortest tick of the format (ProfileBuilder::SetTicksPerMicro).
  int64_t ticks_per_micro = 1;

  // How well a file fits. Looks at a bounded part of it.
  Fit (*sniff)(std::string_view bytes) = nullptr;
  // The binary form of a file in text form. `cancellation` may be null.
  // nullptr: there is no text form.
  absl::StatusOr<std::shared_ptr<const InputFile>> (*from_text)(
      const InputFile& file, ImportLog& log,
      const Cancellation* cancellation) = nullptr;
  // The offset of the first field, at any depth, that makes other programs
  // refuse the file, also where `load` has no use for it. Takes about half as
  // long as `load`; nothing if cancelled. nullptr: `load` reads every field.
  std::optional<uint64_t> (*find_damage)(
      std::string_view bytes, const Cancellation* cancellation) = nullptr;
  // Adds all files of the format in a load, in the order given, to the builder
  // of the context. An error means that nothing of a file was usable. Called
  // once, with one file at least, so it keeps what its files share in local
  // variables.
  absl::Status (*load)(std::span<const FormatFile> files,
                       LoadContext& context) = nullptr;
};

// The formats that can be loaded; the rows are never destroyed.
using FormatRegistry = std::span<const Format* const>;

// The row with this flag (without dashes), or nullptr.
const Format* FindFormatByFlag(FormatRegistry formats, std::string_view flag);

struct Sniffed {
  const Format* format = nullptr;  // nullptr: unknown
  bool text = false;
};

// The format that `bytes` fit best.
Sniffed SniffFormat(std::string_view bytes, FormatRegistry formats);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_FORMAT_H_
