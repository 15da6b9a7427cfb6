#include "loaders/perfetto/work_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/chrome_json/kineto/category.h"
#include "util/text/decimal.h"

namespace tfprof::perfetto {
namespace {

using Category = kineto::KinetoCategory;

std::string_view OfStage(std::string_view stage) {
  if (stage == "Memcpy") return "gpu_memcpy";
  if (stage == "Memset") return "gpu_memset";
  if (stage == "Annotation") return "gpu_user_annotation";
  if (stage == "Sync" || stage == "EventRecord") return "cuda_sync";
  return "kernel";
}

std::string_view OfWorkName(std::string_view name) {
  if (name.starts_with("Memset")) return "gpu_memset";
  if (name.starts_with("Memcpy") || name.starts_with("Copy")) {
    return "gpu_memcpy";
  }
  return "kernel";
}

}  // namespace

std::string_view TorchFunctionName(std::string_view name, std::string& buffer) {
  const size_t last = name.rfind(':');
  if (last == name.npos || last == 0) return name;
  const size_t first = name.rfind(':', last - 1);
  if (first == name.npos) return name;
  const std::string_view line = name.substr(first + 1, last - first - 1);
  if (!util::ParseDecimal(line)) return name;
  buffer = fmt::format("{}({}): {}", name.substr(0, first), line,
                       name.substr(last + 1));
  return buffer;
}

bool IsDeviceWork(std::string_view category) {
  const Category known = kineto::KinetoCategoryOf(category);
  return known == Category::kKernel || known == Category::kCopy ||
         known == Category::kSet;
}

WorkKinds::WorkKinds(const TraceTables& tables, Places& places)
    : tables_(tables), places_(places) {
  has_categories_ = std::any_of(
      tables.slices.begin(), tables.slices.end(), [&](const Slice& slice) {
        return !tables.categories[slice.category].empty();
      });
}

std::string_view WorkKinds::Of(const Slice& slice) {
  const std::string_view category = tables_.categories[slice.category];
  if (slice.record.is_work != 0) return OfStage(category);
  if (tables_.state->is_own) return OfOwn(slice);
  if (has_categories_) return category;
  if (slice.is_python) return "python_function";
  if (slice.device >= 0 && slice.has_stream) {
    if (slice.is_wait) return "cuda_sync";
    if (slice.correlation == 0) return "gpu_user_annotation";
    return OfWorkName(slice.name);
  }
  if (slice.correlation != 0) return "cuda_runtime";
  if (slice.name.starts_with("ProfilerStep#")) return "user_annotation";
  if (slice.is_operator || slice.name.find("::") != slice.name.npos) {
    return "cpu_op";
  }
  return category;
}

std::string_view WorkKinds::OfOwn(const Slice& slice) {
  const std::string_view kind = tables_.categories[slice.category];
  const bool on_device = places_.Of(slice.track).device >= 0;
  if (kind == "kernels" || kind == "communication") return "kernel";
  if (kind == "copies") {
    return slice.name.starts_with("Memset") ? "gpu_memset" : "gpu_memcpy";
  }
  if (kind == "launches") return "cuda_runtime";
  if (kind == "python") return "python_function";
  if (kind == "annotation") {
    return on_device ? "gpu_user_annotation" : "user_annotation";
  }
  if (kind == "other") return on_device ? "cuda_sync" : "overhead";
  if (kind != "compute") return kind;
  if (on_device) return "kernel";
  const bool is_range = slice.name.find("::") == slice.name.npos &&
                        slice.name.find("Backward") == slice.name.npos &&
                        !slice.has_shapes;
  return is_range ? "user_annotation" : "cpu_op";
}

}  // namespace tfprof::perfetto
