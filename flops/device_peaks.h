// DevicePeaks: what an accelerator can do at most, from the file, from a table
// of data sheets by the name of the model, or as the user says.
//
// The peak of float operations is that of dense products of matrices with
// 16-bit operands (bfloat16, else float16) and 32-bit sums: tensor cores,
// matrix cores, MXUs, without sparsity. It is the usual denominator of MFU.
// Operations and bytes per second; bytes are those of the device's own memory.

#ifndef TFPROF_FLOPS_DEVICE_PEAKS_H_
#define TFPROF_FLOPS_DEVICE_PEAKS_H_

#include <optional>
#include <span>
#include <string_view>

#include "profile/lanes.h"

namespace tfprof {

enum class PeaksSource { kFile, kTable, kUser };

struct DevicePeaks {
  double flops_per_second = 0;  // 0: not known
  double bytes_per_second = 0;
  // Of 32-bit operands without tensor cores; 0: not known.
  double fp32_flops_per_second = 0;
  PeaksSource source = PeaksSource::kTable;

  // The intensity, in operations per byte, from which on a device is bound by
  // its operations; 0: not known.
  double ridge() const {
    return bytes_per_second > 0 ? flops_per_second / bytes_per_second : 0;
  }
};

// The peaks that limit operations which reached `flops_per_second`. Those of
// 32-bit operands alone are limited by the fp32 peak; at a higher rate than
// that the tensor cores must have worked (TF32), and the usual peak stays.
DevicePeaks PeaksAt(const DevicePeaks& peaks, bool all_fp32,
                    double flops_per_second);

// A row of the table. `part` is in the lower-case name of the model; the first
// row that matches counts.
struct ModelPeaks {
  std::string_view part;
  std::string_view device;  // as the data sheet calls it
  double tera_flops;        // 16-bit, dense
  double tera_fp32;         // 32-bit, without tensor cores; 0: not on the sheet
  double giga_bytes;
};
std::span<const ModelPeaks> ModelPeaksTable();

// nullopt: the model is not in the table.
std::optional<DevicePeaks> PeaksOfModel(std::string_view model);

// What the file says; the table for what it does not say. nullopt: neither has
// anything.
std::optional<DevicePeaks> PeaksOf(const PhysicalDevice& device);

// "989e12,3.35e12": operations and bytes per second, both above 0. nullopt: the
// text is something else.
std::optional<DevicePeaks> ParseDevicePeaks(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_DEVICE_PEAKS_H_
