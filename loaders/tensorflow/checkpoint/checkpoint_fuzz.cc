// libFuzzer entry: reads any bytes as a checkpoint. The first byte chooses the
// kind.
//
//   0  the rest is a V1 file
//   1  a V2 checkpoint: two bytes with the size of the index, index, data
//   2  a V1 file with the rest as its only block
//   3  a V2 checkpoint: two bytes with the size of the index's only block, that
//      block, data
//
// Kinds 2 and 3 have correct checksums, so that the code after the check is
// reached. Every tensor that the checkpoint lists is read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "loaders/tensorflow/checkpoint/checkpoint.h"
#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"
#include "profile/tensor_source.h"

namespace {

std::string TableOfBlock(std::string_view block) {
  // The key is larger than most keys, so that a search for them finds the
  // block.
  return tfprof::tensorflow::TableWriter()
      .AddBlock("\xff\xff\xff\xff", block)
      .Finish();
}

// Aborts on values that do not match their shape.
void ReadAll(const tfprof::profile::TensorSource& source) {
  // A limit, because one input must not take seconds.
  int left = 100;
  for (const tfprof::profile::TensorInfo& info : source.tensors()) {
    if (--left < 0) return;
    const absl::StatusOr<tfprof::profile::TensorValue> value =
        source.Read(info.name);
    if (!value.ok()) continue;
    uint64_t count = 1;
    for (const int64_t size : value->shape) count *= size;
    if (value->doubles.size() + value->ints.size() + value->strings.size() !=
        count) {
      __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const int kind = input[0] & 3;
  input.remove_prefix(1);

  tfprof::tensorflow::FileMap files;
  if (kind == 0 || kind == 2) {
    files["c"] = kind == 0 ? std::string(input) : TableOfBlock(input);
  } else {
    if (input.size() < 2) return 0;
    const size_t split =
        static_cast<uint8_t>(input[0]) + 256 * static_cast<uint8_t>(input[1]);
    input.remove_prefix(2);
    const std::string_view index = input.substr(0, split);
    files["c.index"] = kind == 1 ? std::string(index) : TableOfBlock(index);
    files["c.data-00000-of-00001"] = std::string(input.substr(index.size()));
  }
  const tfprof::tensorflow::MemoryFiles memory(std::move(files));
  const absl::StatusOr<std::unique_ptr<tfprof::profile::TensorSource>> source =
      tfprof::tensorflow::OpenCheckpoint("c", memory);
  if (source.ok()) ReadAll(**source);
  return 0;
}
