#include "loaders/core/load_plan.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmt/format.h"
#include "util/files/errno_status.h"
#include "util/text/natural_order.h"

namespace tfprof::loaders {
namespace {

using File = LoadPlan::File;
using Group = LoadPlan::Group;

// The limits of the search for files that stand for folders.
constexpr int kMaxFolderDepth = 10;
constexpr size_t kMaxFolders = 10000;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// True for a pipe, a socket or a device. In a folder they are skipped, because
// reading a pipe waits until somebody writes to it. A pipe that the user names
// is read.
bool IsSpecial(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode) &&
         !S_ISREG(info.st_mode);
}

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 == 0
}

// "100:FILE" names a step, unless such a file exists. "-" is standard input.
File SplitStep(const std::string& word) {
  if (word == "-") return {"/dev/stdin", std::nullopt};
  const size_t colon = word.find(':');
  int64_t step = 0;
  if (colon != word.npos && colon > 0 && !Exists(word)) {
    const char* end = word.data() + colon;
    const auto [at, error] = std::from_chars(word.data(), end, step);
    if (error == std::errc() && at == end && step >= 0) {
      return {word.substr(colon + 1), step};
    }
  }
  return {word, std::nullopt};
}

// Returns the number after `prefix` in the name of a file: 100 in
// "run_meta_100".
std::optional<int64_t> StepOfName(std::string_view path,
                                  std::string_view prefix) {
  const std::string_view name = NameOf(path);
  if (prefix.empty() || !name.starts_with(prefix)) return std::nullopt;
  int64_t step = 0;
  const char* begin = name.data() + prefix.size();
  const auto [at, error] =
      std::from_chars(begin, name.data() + name.size(), step);
  if (error != std::errc() || at == begin || step < 0) return std::nullopt;
  return step;
}

// The paths of all entries of a folder, in natural order.
absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  DIR* dir = opendir(path.c_str());
  if (dir == nullptr) return util::ErrnoStatus(errno, path);
  std::vector<std::string> paths;
  while (const dirent* entry = readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      paths.push_back(fmt::format("{}/{}", path, name));
    }
  }
  closedir(dir);
  // run_meta_9 comes before run_meta_10. The first sort fixes the order of
  // names that compare equal, which else depends on the file system.
  std::sort(paths.begin(), paths.end());
  std::stable_sort(paths.begin(), paths.end(), util::NaturalLess);
  return paths;
}

// Joins the names of formats: "GraphDef, RunMetadata or ProfileProto".
std::string Enumerate(const std::vector<std::string>& names,
                      std::string_view last) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} {} {}",
                     fmt::join(names.begin(), names.end() - 1, ", "), last,
                     names.back());
}

std::vector<std::string> FlagsOf(const std::vector<const Format*>& formats) {
  std::vector<std::string> flags;
  for (const Format* format : formats) {
    flags.push_back(fmt::format("--{}", format->flag));
  }
  return flags;
}

// The name of a file without its numbers.
std::string WithoutNumbers(std::string_view path) {
  std::string name(NameOf(path));
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

// For an input of several files whose names begin with the same prefix: whether
// `path` is one of the files, and the prefix.
bool IsPart(const Format& format, std::string_view path) {
  return !format.part_mark.empty() &&
         NameOf(path).find(format.part_mark) != std::string_view::npos;
}
std::string_view PrefixOfPart(const Format& format, std::string_view path) {
  return path.substr(0, path.rfind(format.part_mark));
}
std::string PrefixOfIndex(const Format& format, const std::string& path) {
  return !format.index_suffix.empty() && path.ends_with(format.index_suffix)
             ? path.substr(0, path.size() - format.index_suffix.size())
             : path;
}

// The files of each format, in the order of the registry.
class Groups {
 public:
  explicit Groups(FormatRegistry formats) {
    for (const Format* format : formats) groups_.push_back({format, {}});
  }

  std::vector<File>& of(const Format& format) {
    return std::find_if(
               groups_.begin(), groups_.end(),
               [&](const Group& group) { return group.format == &format; })
        ->files;
  }
  // Returns the first format of this role that has files, or nullptr.
  const Format* First(Role role) const {
    for (const Group& group : groups_) {
      if (group.format->role == role && !group.files.empty()) {
        return group.format;
      }
    }
    return nullptr;
  }
  std::vector<Group>& all() { return groups_; }
  const std::vector<Group>& all() const { return groups_; }

 private:
  std::vector<Group> groups_;
};

// A flag for a profile excludes flags for graphs and runs. The message is the
// reference's.
absl::Status CheckFlags(const Groups& flagged) {
  const Format* profile = flagged.First(Role::kProfile);
  if (profile == nullptr) return absl::OkStatus();
  // Load() refuses formats with other accounting rules.
  std::vector<const Format*> excluded;
  bool any = false;
  for (const Group& group : flagged.all()) {
    const Format* format = group.format;
    if ((format->role == Role::kGraph || format->role == Role::kRun) &&
        format->rules == profile->rules) {
      excluded.push_back(format);
      any |= !group.files.empty();
    }
  }
  if (!any) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--{} is set, do not set {}", profile->flag,
                  Enumerate(FlagsOf(excluded), "or")));
}

class Planner {
 public:
  Planner(FormatRegistry formats, Inputs& inputs, ImportLog& log,
          std::span<const RefusedFile> refused)
      : formats_(formats),
        inputs_(inputs),
        log_(log),
        refused_(refused),
        plan_(formats) {}

  absl::StatusOr<LoadPlan> Run(const LoadRequest& request) {
    absl::Status status = PlanFlags(request);
    if (!status.ok()) return status;
    for (const std::string& word : request.files) {
      const File file = SplitStep(word);
      if (!IsFolder(file.path)) inputs_.Expect(file.path);
    }
    for (const std::string& word : request.files) {
      const File file = SplitStep(word);
      status = IsFolder(file.path) ? PlanFolder(file.path) : PlanFile(file);
      if (!status.ok()) return status;
    }
    for (const File& file : unknown_) {
      if (!AddDamaged(file, plan_)) return UnknownFile(file.path);
    }
    LoadPlan plan;
    for (Group& group : plan_.all()) {
      std::vector<File>& files = group.files;
      if (group.format->single && files.size() > 1) {
        const File last = std::move(files.back());
        files.pop_back();
        for (const File& file : files) {
          if (file.path == last.path) continue;
          inputs_.Forget(file.path);
          Skip(file.path,
               fmt::format("{} is the {} that is read, the last named",
                           last.path, group.format->name));
        }
        files = {last};
      }
      if (!files.empty()) plan.groups.push_back(std::move(group));
    }
    std::stable_sort(plan.groups.begin(), plan.groups.end(),
                     [](const Group& a, const Group& b) {
                       return a.format->order < b.format->order;
                     });
    return plan;
  }

 private:
  absl::Status PlanFlags(const LoadRequest& request) {
    for (const LoadRequest::FlaggedFile& flagged : request.flagged) {
      const Format* format = FindFormatByFlag(formats_, flagged.flag);
      if (format == nullptr) {
        return absl::InvalidArgumentError(fmt::format(
            "{}: there is no input flag --{}; use {}", flagged.path,
            flagged.flag,
            Enumerate(FlagsOf({formats_.begin(), formats_.end()}), "or")));
      }
      plan_.of(*format).push_back(format->step_prefix.empty()
                                      ? File{flagged.path, std::nullopt}
                                      : SplitStep(flagged.path));
    }
    absl::Status status = CheckFlags(plan_);
    if (!status.ok() || plan_.First(Role::kProfile) == nullptr) return status;
    // The reference silently ignores an op log beside a profile.
    for (Group& group : plan_.all()) {
      if (group.format->role == Role::kExtra && !group.format->beside_profile) {
        group.files.clear();
      }
    }
    return absl::OkStatus();
  }

  // Adds a file to the group that its content decides. Returns false if its
  // format is unknown; then it will not be loaded.
  absl::StatusOr<bool> Recognise(const File& file, Groups& groups) {
    const auto input = inputs_.Open(file.path);
    if (!input.ok()) return input.status();
    const Format* format = SniffFormat((*input)->bytes(), formats_).format;
    if (format == nullptr) return false;
    if (!format->index_suffix.empty()) {
      groups.of(*format).push_back(
          {PrefixOfIndex(*format, file.path), std::nullopt});
      inputs_.Forget(file.path);
      return true;
    }
    std::optional<int64_t> step;
    if (!format->step_prefix.empty()) {
      step = file.step ? file.step : StepOfName(file.path, format->step_prefix);
    }
    groups.of(*format).push_back({file.path, step});
    return true;
  }

  // Plans a file without a flag.
  absl::Status PlanFile(const File& file) {
    if (!Exists(file.path)) {
      for (const Format* format : formats_) {
        if (!format->index_suffix.empty() &&
            Exists(fmt::format("{}{}", file.path, format->index_suffix))) {
          plan_.of(*format).push_back({file.path, std::nullopt});
          return absl::OkStatus();
        }
      }
    }
    const absl::StatusOr<bool> known = Recognise(file, plan_);
    if (!known.ok()) return known.status();
    if (!*known) unknown_.push_back(file);
    return absl::OkStatus();
  }

  // Adds a file of no known format to the group of a format whose damaged files
  // count. Returns false if there is none.
  static bool AddDamaged(const File& file, Groups& groups) {
    const std::string name = WithoutNumbers(file.path);
    for (Group& group : groups.all()) {
      if (group.format->damaged_files_count &&
          std::any_of(group.files.begin(), group.files.end(),
                      [&](const File& other) {
                        return WithoutNumbers(other.path) == name;
                      })) {
        group.files.push_back(file);
        return true;
      }
    }
    return false;
  }

  absl::Status UnknownFile(const std::string& path) {
    std::vector<std::string> names;
    for (const Format* format : formats_) names.emplace_back(format->name);
    const auto input = inputs_.Open(path);
    if (!input.ok()) return input.status();
    const size_t size = (*input)->bytes().size();
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}; it can be a {}. If it is one of them, name its format with a "
        "flag, as --{}",
        path,
        size == 0 ? "the file is empty"
                  : fmt::format("byte 0: the format of its {} bytes is unknown",
                                size),
        Enumerate(names, "or"), formats_.front()->flag));
  }

  // Returns the format of the input that `path` is a part of, if `path` is not
  // the index.
  const Format* FormatOfPart(const std::string& path) const {
    for (const Format* format : formats_) {
      if (IsPart(*format, path)) return format;
    }
    return nullptr;
  }

  // If `path` is a folder with the folders of runs, as TensorBoard's is,
  // returns the folder of the newest run. The names are times, so the last name
  // is the newest. Otherwise returns `path`.
  std::string FolderOfRun(const std::string& path) {
    for (const Format* format : formats_) {
      if (format->runs_folder.empty()) continue;
      std::string runs = fmt::format("{}/{}", path, format->runs_folder);
      if (!IsFolder(runs)) {
        std::string_view trimmed = path;
        while (trimmed.ends_with('/')) trimmed.remove_suffix(1);
        if (!trimmed.ends_with(format->runs_folder)) continue;
        runs = path;
      }
      const auto entries = ListFolder(runs);
      if (!entries.ok()) continue;
      std::vector<std::string> folders;
      for (const std::string& entry : *entries) {
        if (IsFolder(entry)) folders.push_back(entry);
      }
      if (folders.empty()) continue;
      if (folders.size() > 1) {
        log_.Add(ImportLog::kNotice, kNewestRun,
                 fmt::format("{}: opened the newest of {} runs, {}; name the "
                             "folder of another run to open that one",
                             path, folders.size(), folders.back()));
      }
      return folders.back();
    }
    return path;
  }

  // Adds the files below `folder` that each stand for a folder of their own.
  // Returns false if there are none.
  absl::StatusOr<bool> PlanFolderFiles(const std::string& folder) {
    bool any = false;
    std::vector<std::pair<std::string, int>> open = {{folder, 0}};
    size_t looked = 0;
    while (!open.empty() && ++looked <= kMaxFolders) {
      const auto [path, depth] = std::move(open.back());
      open.pop_back();
      const auto entries = ListFolder(path);
      if (!entries.ok()) {
        if (path == folder) return entries.status();
        continue;
      }
      // The stack is last in, first out: the first name is pushed last.
      for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry) {
        if (depth < kMaxFolderDepth && !NameOf(*entry).starts_with('.') &&
            IsFolder(*entry)) {
          open.emplace_back(*entry, depth + 1);
        }
      }
      for (const Format* format : formats_) {
        if (format->folder_file.empty()) continue;
        const std::string file =
            fmt::format("{}/{}", path, format->folder_file);
        if (!Exists(file) || IsFolder(file) || IsSpecial(file)) continue;
        const auto input = inputs_.Open(file);
        if (!input.ok()) return input.status();
        const bool is_known =
            SniffFormat((*input)->bytes(), formats_).format == format ||
            (format->is_folder != nullptr && format->is_folder(path));
        if (!is_known) continue;
        plan_.of(*format).push_back({file, std::nullopt});
        any = true;
      }
    }
    if (any) SkipBesideFolders(folder);
    return any;
  }

  // Skips the other files of a folder with traces below it: the traces are read
  // alone.
  void SkipBesideFolders(const std::string& folder) {
    for (const Format* format : formats_) {
      if (format->folder_file.empty()) continue;
      // The other files are parts of the trace.
      if (Exists(fmt::format("{}/{}", folder, format->folder_file))) return;
    }
    const auto paths = ListFolder(folder);
    if (!paths.ok()) return;
    for (const std::string& path : *paths) {
      if (IsFolder(path)) continue;
      Skip(path,
           "beside a folder with a trace, which is read alone; give the file "
           "under its flag, as --graph_path, to read both");
    }
  }

  const RefusedFile* FindRefused(const std::string& path) const {
    for (const RefusedFile& file : refused_) {
      if (file.path == path) return &file;
    }
    return nullptr;
  }

  absl::Status PlanFolder(const std::string& folder) {
    const absl::StatusOr<bool> whole = PlanFolderFiles(folder);
    if (!whole.ok()) return whole.status();
    if (*whole) return absl::OkStatus();
    const std::string path = FolderOfRun(folder);
    const auto paths = ListFolder(path);
    if (!paths.ok()) return paths.status();
    Groups found(formats_);
    std::vector<std::string> files;
    for (const std::string& file : *paths) {
      if (NameOf(file).starts_with('.')) {
        Skip(file, "a hidden file");
      } else if (IsFolder(file)) {
        Skip(file, "a folder in a folder; name it to read what is in it");
      } else if (IsSpecial(file)) {
        Skip(file, "a pipe, a socket or a device; name it to read it");
      } else if (const RefusedFile* refused = FindRefused(file)) {
        Skip(file, refused->reason);
      } else {
        files.push_back(file);
        if (FormatOfPart(file) == nullptr) inputs_.Expect(file);
      }
    }
    std::vector<std::string> unknown;
    for (const std::string& file : files) {
      const absl::StatusOr<bool> known = Recognise({file, std::nullopt}, found);
      if (!known.ok()) return known.status();
      if (!*known) unknown.push_back(file);
    }
    Choose(found);
    for (const std::string& file : unknown) {
      if (!AddDamaged({file, std::nullopt}, found)) SkipUnknown(file, found);
    }
    if (found.First(Role::kProfile) == nullptr &&
        found.First(Role::kGraph) == nullptr &&
        found.First(Role::kRun) == nullptr) {
      std::vector<std::string> names;
      for (const Format* format : formats_) {
        if (format->role != Role::kExtra) names.emplace_back(format->name);
      }
      return absl::NotFoundError(fmt::format("{}: no {} among its {} entries",
                                             path, Enumerate(names, "or"),
                                             paths->size()));
    }
    for (Group& group : found.all()) {
      std::vector<File>& files_of_plan = plan_.of(*group.format);
      for (File& file : group.files) {
        file.in_folder = true;
        files_of_plan.push_back(std::move(file));
      }
    }
    return absl::OkStatus();
  }

  // Chooses which files of a folder are read. A graph with its runs holds all
  // that a profile saved beside them does, and a profile holds the runs beside
  // it.
  void Choose(Groups& found) {
    for (Group& group : found.all()) {
      const Format& format = *group.format;
      std::vector<File>& files = group.files;
      if (files.size() < 2) continue;
      const bool last =
          format.single || format.folder_choice == FolderChoice::kLast;
      if (!last && format.folder_choice == FolderChoice::kAll) continue;
      File chosen = last ? files.back() : files.front();
      for (const File& file : files) {
        if (file.path == chosen.path) continue;
        SkipKnown(file, fmt::format("{} is the {} that is read",
                                    NameOf(chosen.path), format.name));
      }
      files = {std::move(chosen)};
    }
    if (const Format* graph = found.First(Role::kGraph)) {
      SkipRole(Role::kProfile, *graph, found);
    } else if (const Format* profile = found.First(Role::kProfile)) {
      SkipRole(Role::kRun, *profile, found);
    }
  }

  // Skips the files of a role, because the files of `instead` are read.
  void SkipRole(Role role, const Format& instead, Groups& found) {
    for (Group& group : found.all()) {
      if (group.format->role != role) continue;
      for (const File& file : group.files) {
        SkipKnown(file, fmt::format("a {} beside a {}", group.format->name,
                                    instead.name));
      }
      group.files.clear();
    }
  }

  void SkipUnknown(const std::string& path, Groups& found) {
    inputs_.Forget(path);
    if (const Format* format = FormatOfPart(path)) {
      for (const File& file : found.of(*format)) {
        // It is read with the input that it is a part of.
        if (file.path == PrefixOfPart(*format, path)) return;
      }
      return Skip(path,
                  fmt::format("part of a {} that is not read", format->name));
    }
    Skip(path, (*inputs_.Open(path))->bytes().empty() ? "the file is empty"
                                                      : "unknown format");
  }

  void SkipKnown(const File& file, std::string_view reason) {
    inputs_.Forget(file.path);
    Skip(file.path, fmt::format("{}; name the files to choose others", reason));
  }
  void Skip(const std::string& path, std::string_view reason) {
    log_.Add(ImportLog::kNotice, kSkippedFile,
             fmt::format("{}: skipped: {}", path, reason));
  }

  const FormatRegistry formats_;
  Inputs& inputs_;
  ImportLog& log_;
  const std::span<const RefusedFile> refused_;
  Groups plan_;
  std::vector<File> unknown_;  // named files of no known format
};

}  // namespace

absl::StatusOr<LoadPlan> PlanLoad(const LoadRequest& request,
                                  FormatRegistry formats, Inputs& inputs,
                                  ImportLog& log,
                                  std::span<const RefusedFile> refused) {
  return Planner(formats, inputs, log, refused).Run(request);
}

}  // namespace tfprof::loaders
