#include "loaders/core/reached_files.h"

#include <glob.h>
#include <sys/stat.h>

#include <string_view>

namespace tfprof::loaders {
namespace {

bool IsThere(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

std::string FolderWith(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The files that match `pattern`.
void AddMatches(const std::string& pattern, std::vector<std::string>& paths) {
  glob_t found = {};
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
}

// "100:FILE" is a step and its file.
std::string WithoutStep(const std::string& word) {
  const size_t colon = word.find(':');
  const bool step = colon != word.npos && colon > 0 && !IsThere(word) &&
                    word.find_first_not_of("0123456789") == colon;
  return step ? word.substr(colon + 1) : word;
}

void AddPath(const std::string& word, FormatRegistry formats,
             ReachedFiles& reached) {
  const std::string path = word == "-" ? "/dev/stdin" : WithoutStep(word);
  reached.paths.push_back(path);
  const std::string_view name =
      std::string_view(path).substr(path.rfind('/') + 1);
  for (const Format* format : formats) {
    if (!format->folder_file.empty() && name == format->folder_file) {
      reached.paths.push_back(FolderWith(path));
    }
    if (format->index_suffix.empty()) continue;
    // The prefix itself, or one of the files that begin with it.
    const bool index = path.ends_with(format->index_suffix);
    const size_t part = path.rfind(format->part_mark);
    if (IsThere(path) && !index && part == path.npos) continue;
    const std::string prefix =
        index ? path.substr(0, path.size() - format->index_suffix.size())
              : path.substr(0, part);
    AddMatches(prefix + "*", reached.paths);
    reached.listed.push_back(FolderWith(path));
  }
}

}  // namespace

ReachedFiles ReachedBy(const LoadRequest& request, FormatRegistry formats) {
  ReachedFiles reached;
  for (const std::string& path : request.files) {
    AddPath(path, formats, reached);
  }
  for (const LoadRequest::FlaggedFile& file : request.flagged) {
    AddPath(file.path, formats, reached);
  }
  for (const std::string& path : request.joined) {
    AddPath(path, formats, reached);
  }
  return reached;
}

}  // namespace tfprof::loaders
