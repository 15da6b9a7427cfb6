#include "profiler/record/record_environment.h"

#include "fmt/format.h"

namespace tfprof {
namespace {

// Lists that get the library as their first element.
struct LibraryList {
  const char* variable;
  char separator;
};
constexpr LibraryList kLibraryLists[] = {
    {"LD_PRELOAD", ':'},
    // Layers of the OpenCL loader: also programs that load it late have them.
    {"OPENCL_LAYERS", ':'},
};

}  // namespace

std::vector<std::pair<std::string, std::string>> RecordEnvironment(
    const RecordSetup& setup,
    const std::function<const char*(const char*)>& get) {
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TFPROF_RECORD", setup.folder},
      {"TFPROF_RECORD_CLOCK", fmt::format("{}", setup.clock_offset)},
      {"TFPROF_RECORD_MAX_MIB", fmt::format("{}", setup.options.max_mib)},
  };
  for (const LibraryList& list : kLibraryLists) {
    std::string value = setup.library;
    const char* const before = get(list.variable);
    if (before != nullptr && *before != '\0') {
      value += list.separator;
      value += before;
    }
    variables.emplace_back(list.variable, std::move(value));
  }
  return variables;
}

}  // namespace tfprof
