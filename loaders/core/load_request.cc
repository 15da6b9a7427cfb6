#include "loaders/core/load_request.h"

#include <algorithm>

namespace tfprof::loaders {

void SetInputFlag(const Format& format, std::string_view value,
                  LoadRequest& request) {
  std::vector<LoadRequest::FlaggedFile>& flagged = request.flagged;
  const std::string flag(format.flag);
  if (!format.flag_takes_list) {
    std::erase_if(flagged, [&](const LoadRequest::FlaggedFile& file) {
      return file.flag == flag;
    });
    if (!value.empty()) flagged.push_back({flag, std::string(value)});
    return;
  }
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    if (comma > 0)
      flagged.push_back({flag, std::string(value.substr(0, comma))});
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

}  // namespace tfprof::loaders
