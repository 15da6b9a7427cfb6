// Decides whether a source file belongs to a library rather than to the user's
// program. It uses only the path, because the file may not exist on this
// machine.

#ifndef TFPROF_VIEWS_LIBRARY_FILE_H_
#define TFPROF_VIEWS_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof::views {

inline bool IsLibraryFile(std::string_view path) {
  for (const std::string_view part :
       {"site-packages/", "dist-packages/", "/tensorflow/", "/torch/",
        "<frozen", "/lib/python"}) {
    if (path.find(part) != path.npos) return true;
  }
  // Traces of PyTorch write its own files like this.
  return path.starts_with("torch/");
}

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_LIBRARY_FILE_H_
