// DevicePeaks: the peak performance of an accelerator, from the file, from a
// table of data sheets by model name, or given by the user.
//
// The peak of float operations is for dense matrix products with 16-bit
// operands (bfloat16, else float16) and 32-bit sums on tensor cores, matrix
// cores or MXUs, without sparsity. It is the usual denominator of MFU (model
// FLOPs utilization). Units: operations and bytes per second. Bytes are those
// of the device's own memory.

#ifndef TFPROF_FLOPS_DEVICE_PEAKS_H_
#define TFPROF_FLOPS_DEVICE_PEAKS_H_

#include <optional>
#include <span>
#include <string_view>

#include "profile/tables/lanes.h"

namespace tfprof::flops {

enum class PeaksSource { kFile, kTable, kUser };

struct DevicePeaks {
  double flops_per_second = 0;  // 0: unknown
  double bytes_per_second = 0;
  // The peak for 32-bit operands without tensor cores; 0: unknown.
  double fp32_flops_per_second = 0;
  PeaksSource source = PeaksSource::kTable;

  // Returns the intensity, in operations per byte, above which operations limit
  // the device; 0: unknown.
  double ridge() const {
    return bytes_per_second > 0 ? flops_per_second / bytes_per_second : 0;
  }
};

// Returns the peaks for operations that reached `flops_per_second`. If all
// operands have 32 bits, the fp32 peak applies. But a higher rate shows that
// tensor cores were used (TF32), which do half as many operations as with 16
// bits.
DevicePeaks PeaksAt(const DevicePeaks& peaks, bool all_fp32,
                    double flops_per_second);

// A row of the table. It applies if the lower-case model name contains `part`;
// the first matching row counts.
struct ModelPeaks {
  std::string_view part;
  std::string_view device;  // the name on the data sheet
  double tera_flops;        // 16-bit, dense
  double tera_fp32;         // 32-bit, without tensor cores; 0: not on the sheet
  double giga_bytes;
};
std::span<const ModelPeaks> ModelPeaksTable();

// Returns nullopt if the model is not in the table.
std::optional<DevicePeaks> PeaksOfModel(std::string_view model);

// Returns the peaks from the file, completed from the table. Returns nullopt if
// neither has any.
std::optional<DevicePeaks> PeaksOf(const profile::PhysicalDevice& device);

// Returns whether a device multiplies TF32 numbers, as GPUs of NVIDIA do from
// Ampere on. Returns nullopt if neither the name of the model nor its compute
// capability says so.
std::optional<bool> HasTf32(const profile::PhysicalDevice& device);

// Parses "989e12,3.35e12" or "989TF,3.35TB": operations and bytes per second,
// both above 0. A prefix of a unit (K to P) is a power of 1000; "F", "FLOPS",
// "B" and "/s" may follow. Returns nullopt if the text is invalid.
std::optional<DevicePeaks> ParseDevicePeaks(std::string_view text);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_DEVICE_PEAKS_H_
