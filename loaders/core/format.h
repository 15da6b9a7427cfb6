// Format: one kind of input, as a row of the registry
// (loaders/core/registry.h).
//
// A row is plain data and functions, defined in the folder of its format. It
// holds the name of the format, the flag for its files, how to recognise it,
// how to load it, and which other files may be loaded with it. The rest of the
// loaders, the flags of the program, its help and its completion read rows and
// name no format. So a new input format is one folder and one row.
//
// A registry is a list of rows. The help lists the flags in its order. If two
// formats fit a file equally well, the first one is used.
//
// The content decides which format a file has, never its name. Some formats
// have no magic number, so each row returns a score, and the best fit is used.

#ifndef TFPROF_LOADERS_CORE_FORMAT_H_
#define TFPROF_LOADERS_CORE_FORMAT_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "profile/accounting_rules.h"
#include "util/run/cancellation.h"

namespace tfprof::loaders {

// How well the bytes of a file fit a format.
struct Fit {
  // The first word of a text file is typical for the format.
  static constexpr int kWord = std::numeric_limits<int>::max() - 1;
  // The file has the magic number of the format.
  static constexpr int kMagic = std::numeric_limits<int>::max();

  // 0: the file does not have this format. Otherwise a larger score is a better
  // fit: kMagic, kWord, or a number that grows with what was recognised.
  int score = 0;
  // The file is in the text form of the format.
  bool text = false;
};

// What a file of a format holds. This decides which files may be loaded
// together.
enum class Role {
  kProfile,  // a whole program and its steps; needs no other file
  kGraph,    // the nodes of a program
  kRun,      // what happened in a run of a program
  kExtra,    // details of the nodes of other files; nothing alone
};

// Which files are read if one folder has several of a format.
enum class FolderChoice { kAll, kFirst, kLast };

// A file for the `load` function of its format.
struct FormatFile {
  std::string path = {};  // as the user named it
  // Its bytes, in binary form; nullptr where Format::index_suffix is set.
  std::shared_ptr<const InputFile> file = {};
  int64_t step = -1;  // -1 unless Format::step_prefix is set
};

struct Format {
  // The name in messages and in `status`: "GraphDef".
  std::string_view name = {};

  // The flag that names files of the format, without dashes ("graph_path"), the
  // name of its value in the help, and its help text.
  std::string_view flag = {};
  std::string_view value_name = {};
  std::string_view help = {};
  // The value of the flag is a list with commas, and the flag may be repeated.
  // Otherwise the value is one path, and the last flag wins.
  bool flag_takes_list = false;
  // The name of the input in "Failed to read graph_path: …". Empty: the errors
  // of `load` are shown unchanged.
  std::string_view failed_name = {};

  // Each file is a step. Its number is N in "N:FILE". For a file without a flag
  // it is else the number after this prefix in the name of the file, and else
  // its position among the files of the format. Empty: files are not steps.
  std::string_view step_prefix = {};
  // An input is several files whose names begin with the same prefix. The
  // prefix names the input, and `load` opens the files itself. The user may
  // instead name the file with this suffix. Empty: an input is one file.
  std::string_view index_suffix = {};
  // The text after the prefix in the names of the other files: ".data-".
  std::string_view part_mark = {};

  Role role = Role::kExtra;
  // The format is also read if a flag names a profile (Role::kProfile).
  bool beside_profile = false;
  // A load takes one input of this format, the last one that is named.
  bool single = false;
  FolderChoice folder_choice = FolderChoice::kAll;
  // A file of no known format, or an empty one, is a damaged file of this
  // format if a file of the format has the same name but for its numbers. It is
  // loaded, too, because that it is damaged says something.
  bool damaged_files_count = false;
  // The path, in the folder of a program, of a folder that has one folder for
  // each run: "plugins/profile". The newest run is read. Empty: the format has
  // no such folder.
  std::string_view runs_folder = {};
  // The name of the file that stands for a whole folder: "metadata". If a
  // folder has files of this name, at any depth, only these are read. Empty:
  // the format has no such file.
  std::string_view folder_file = {};
  // Returns whether a folder with such a file has this format even if the file
  // alone does not show it. nullptr: never.
  bool (*is_folder)(const std::string& folder) = nullptr;
  // A load takes the formats in ascending order.
  int order = 0;

  // The accounting rules for the executions of the format. All files of one
  // load must use the same rules; nullptr: the rules of the other files.
  const profile::AccountingRules& (*rules)() = nullptr;
  // The shortest tick of the format (ProfileBuilder::SetTicksPerMicro).
  int64_t ticks_per_micro = 1;

  // Returns how well a file fits. Reads a bounded part of it.
  Fit (*sniff)(std::string_view bytes) = nullptr;
  // Converts a file from its text form to its binary form. `cancellation` may
  // be null. nullptr: the format has no text form.
  absl::StatusOr<std::shared_ptr<const InputFile>> (*from_text)(
      const InputFile& file, ImportLog& log,
      const util::Cancellation* cancellation) = nullptr;
  // Returns the offset of the first field, at any depth, that makes other
  // programs refuse the file, even if `load` does not use the field. Takes
  // about half as long as `load`; returns nullopt if cancelled. nullptr: `load`
  // reads every field.
  std::optional<uint64_t> (*find_damage)(
      std::string_view bytes, const util::Cancellation* cancellation) = nullptr;
  // `load` keeps one core busy, so find_damage() runs beside it for files of
  // any size.
  bool check_beside_load = false;
  // Returns what became of each byte of a file. nullptr: nobody knows.
  ByteAccount (*account)(const InputFile& file,
                         const util::Cancellation* cancellation) = nullptr;
  // The same for an input that is several files or has packed ones inside.
  SourceAccount (*account_all)(
      const InputFile& file, const util::Cancellation* cancellation) = nullptr;
  // The same for a file in text form, which was read without an error.
  ByteAccount (*account_text)(const InputFile& file,
                              const util::Cancellation* cancellation) = nullptr;
  // Adds all files of the format in a load, in the given order, to the builder
  // of the context. An error means that nothing in a file was usable. Is called
  // once, with at least one file, so it keeps data that its files share in
  // local variables.
  absl::Status (*load)(std::span<const FormatFile> files,
                       LoadContext& context) = nullptr;
};

// The formats that can be loaded. The rows are never destroyed.
using FormatRegistry = std::span<const Format* const>;

// Returns the row with this flag (without dashes), or nullptr.
const Format* FindFormatByFlag(FormatRegistry formats, std::string_view flag);

struct Sniffed {
  const Format* format = nullptr;  // nullptr: unknown
  bool text = false;
};

// Returns the format that fits `bytes` best.
Sniffed SniffFormat(std::string_view bytes, FormatRegistry formats);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_FORMAT_H_
