#include "profiler/record/record_environment.h"

#include "fmt/format.h"

namespace tfprof::recording {
namespace {

// Lists that get the library as their first element.
struct LibraryList {
  const char* variable;
  char separator;
};
constexpr char kPreload[] = "LD_PRELOAD";
constexpr LibraryList kLibraryLists[] = {
    {kPreload, ':'},
    // Layers of the OpenCL loader: also programs that load it late have them.
    {"OPENCL_LAYERS", ':'},
    // Tools of the runtime of ROCm, which it loads when it is first used.
    {"HSA_TOOLS_LIB", ' '},
};

// The tool of the driver of CUDA, which has one only.
constexpr char kCudaTool[] = "CUDA_INJECTION64_PATH";

}  // namespace

std::vector<std::pair<std::string, std::string>> RecordEnvironment(
    const RecordSetup& setup,
    const std::function<const char*(const char*)>& get) {
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TFPROF_RECORD", setup.folder},
      {"TFPROF_RECORD_CLOCK", fmt::format("{}", setup.clock_offset)},
      {"TFPROF_RECORD_MAX_MIB", fmt::format("{}", setup.options.max_mib)},
  };
  if (!setup.lttng_provider.empty()) {
    variables.emplace_back("TFPROF_RECORD_LTTNG", setup.lttng_provider);
  }
  for (const LibraryList& list : kLibraryLists) {
    std::string value = setup.library;
    if (!setup.lttng_fork.empty() && list.variable == kPreload) {
      value += list.separator + setup.lttng_fork;
    }
    const char* const before = get(list.variable);
    if (before != nullptr && *before != '\0') {
      value += list.separator;
      value += before;
    }
    variables.emplace_back(list.variable, std::move(value));
  }
  const char* const cuda_tool = get(kCudaTool);
  if (cuda_tool == nullptr || *cuda_tool == '\0') {
    variables.emplace_back(kCudaTool, setup.library);
  }
  return variables;
}

}  // namespace tfprof::recording
