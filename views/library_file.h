// Whether a source file is of a library: not one that the person who reads a
// profile wrote. Judged by its path only, because the file may not be here.

#ifndef TFPROF_VIEWS_LIBRARY_FILE_H_
#define TFPROF_VIEWS_LIBRARY_FILE_H_

#include <string_view>

namespace tfprof {

inline bool IsLibraryFile(std::string_view path) {
  for (const std::string_view part :
       {"site-packages/", "dist-packages/", "/tensorflow/", "/torch/",
        "<frozen", "/lib/python"}) {
    if (path.find(part) != path.npos) return true;
  }
  // As traces of PyTorch write its own files.
  return path.starts_with("torch/");
}

}  // namespace tfprof

#endif  // TFPROF_VIEWS_LIBRARY_FILE_H_
