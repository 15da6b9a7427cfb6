// Format V2: `<prefix>.index` is a table of BundleEntryProto by tensor name,
// with a header under the empty key. An entry gives the data file of the values
// and their position in it.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "loaders/tensorflow/checkpoint/coding.h"
#include "loaders/tensorflow/checkpoint/crc32c.h"
#include "loaders/tensorflow/checkpoint/formats.h"
#include "loaders/tensorflow/checkpoint/tensor_slice.h"

namespace tfprof::tensorflow {
namespace {

// Keys may share bytes, so the complete keys can be much larger than the table.
// In real files they are about ten times as large.
constexpr uint64_t kKeyBudgetPerByte = 256;
constexpr uint64_t kKeyBudgetMinimum = 1 << 20;

// The data files that one Read() has opened, by shard.
using Shards = std::map<int, FileBytes>;

class TensorBundle : public profile::TensorSource {
 public:
  TensorBundle(const std::string& prefix, const CheckpointFiles& files)
      : prefix_(prefix), index_path_(prefix + ".index"), files_(files) {}

  // The messages of errors do not name the index file.
  absl::Status Load(const TableFile& index);

  const std::vector<profile::TensorInfo>& tensors() const override {
    return tensors_;
  }

  absl::StatusOr<profile::TensorValue> Read(
      std::string_view name) const override;

 private:
  // An entry for a slice of a tensor.
  struct SliceEntry {
    std::string key;
    proto::BundleEntryProto entry;
  };

  // The bytes of an entry, which are in an opened file, and their position for
  // messages.
  struct Stored {
    const proto::BundleEntryProto* entry;
    std::string_view bytes;
    std::string place;
  };

  absl::Status LoadHeader(std::string_view value);
  absl::StatusOr<Stored> Locate(const proto::BundleEntryProto& entry,
                                Shards* shards) const;
  absl::StatusOr<profile::TensorValue> Decode(const Stored& stored,
                                              std::vector<int64_t> shape) const;
  absl::StatusOr<profile::TensorValue> ReadWhole(
      const proto::BundleEntryProto& entry, std::vector<int64_t> shape) const;
  absl::StatusOr<profile::TensorValue> ReadSlices(
      const profile::TensorInfo& info,
      const proto::BundleEntryProto& entry) const;
  const proto::BundleEntryProto* FindSlice(std::string_view key) const;
  std::string ShardPath(int shard) const {
    return fmt::format("{}.data-{:05d}-of-{:05d}", prefix_, shard, num_shards_);
  }

  const std::string prefix_;
  const std::string index_path_;
  const CheckpointFiles& files_;
  int num_shards_ = 0;
  bool big_endian_ = false;
  std::vector<profile::TensorInfo> tensors_;
  std::vector<proto::BundleEntryProto> entries_;  // parallel to tensors_
  std::vector<SliceEntry> slices_;                // by ascending key
};

absl::Status TensorBundle::LoadHeader(std::string_view value) {
  proto::BundleHeaderProto header;
  if (!ParseMessage(value, &header)) {
    return absl::DataLossError(
        "the header is not a BundleHeaderProto; the file is not the index of a "
        "checkpoint");
  }
  if (absl::Status s = CheckVersions(header.version()); !s.ok()) return s;
  if (header.num_shards() <= 0) {
    return absl::DataLossError(
        fmt::format("the header has {} data files, expected at least 1; the "
                    "file is damaged, copy or save it again",
                    header.num_shards()));
  }
  num_shards_ = header.num_shards();
  big_endian_ = header.endianness() == proto::BundleHeaderProto::BIG;
  return absl::OkStatus();
}

absl::Status TensorBundle::Load(const TableFile& index) {
  uint64_t key_budget =
      kKeyBudgetMinimum + kKeyBudgetPerByte * index.bytes.bytes.size();
  const auto spend = [&](uint64_t bytes) -> absl::Status {
    if (bytes > key_budget) {
      return absl::DataLossError(fmt::format(
          "the names of its tensors are more than {} times as large as the "
          "file; the file is damaged, copy or save it again",
          kKeyBudgetPerByte));
    }
    key_budget -= bytes;
    return absl::OkStatus();
  };

  bool has_header = false;
  std::vector<SliceEntry> all;
  absl::Status status =
      index.table.ForEach([&](const SortedTable::Entry& e) -> absl::Status {
        if (e.key.empty()) {
          has_header = true;
          return LoadHeader(e.value);
        }
        if (absl::Status s = spend(e.key.size()); !s.ok()) return s;
        SliceEntry& added = all.emplace_back();
        added.key.assign(e.key);
        if (!ParseMessage(e.value, &added.entry)) {
          return absl::DataLossError(fmt::format(
              "table block at byte {}: the value of key '{}' is not a "
              "BundleEntryProto; the file is damaged, copy or save it again",
              e.block_offset, added.key));
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  if (!has_header) {
    return absl::DataLossError(
        "no header, expected one under the empty key; the file is not the "
        "index of a checkpoint");
  }

  // A key is a slice if the entry of a tensor lists it.
  std::vector<bool> is_slice(all.size(), false);
  for (const SliceEntry& tensor : all) {
    for (const proto::TensorSliceProto& slice : tensor.entry.slices()) {
      status = spend(tensor.key.size() + 20 * slice.extent_size());
      if (!status.ok()) return status;
      const std::string key = TensorSliceKey(tensor.key, slice);
      const auto found = std::lower_bound(
          all.begin(), all.end(), key,
          [](const SliceEntry& e, const std::string& k) { return e.key < k; });
      if (found != all.end() && found->key == key) {
        is_slice[found - all.begin()] = true;
      }
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_slice[i]) {
      slices_.push_back(std::move(all[i]));
      continue;
    }
    absl::StatusOr<std::vector<int64_t>> shape =
        ShapeFromProto(all[i].entry.shape());
    if (!shape.ok()) {
      return AddContext(fmt::format("tensor '{}'", all[i].key), shape.status());
    }
    tensors_.push_back(
        {std::move(all[i].key), all[i].entry.dtype(), *std::move(shape)});
    entries_.push_back(std::move(all[i].entry));
  }
  return absl::OkStatus();
}

// Decodes values of type `T`, stored in one byte order, as `V`s.
template <typename T, typename Bits, typename V>
std::vector<V> DecodeNumbers(std::string_view bytes, bool big_endian) {
  static_assert(sizeof(T) == sizeof(Bits));
  std::vector<V> values;
  values.reserve(bytes.size() / sizeof(T));
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    const char* p = bytes.data() + i;
    const Bits bits = big_endian ? LoadBig<Bits>(p) : LoadLittle<Bits>(p);
    values.push_back(static_cast<V>(std::bit_cast<T>(bits)));
  }
  return values;
}

// The format: all lengths as base-128 numbers, a masked checksum of the
// lengths, then all strings.
absl::Status DecodeStrings(std::string_view bytes, uint64_t count,
                           bool big_endian, std::vector<std::string>* strings,
                           uint32_t* crc) {
  const size_t total = bytes.size();
  // Each string takes at least one byte. Check this before allocating.
  if (count > total) {
    return absl::DataLossError(
        fmt::format("{} strings do not fit into {} bytes", count, total));
  }
  std::vector<uint64_t> lengths(count);
  uint64_t left = total;
  for (uint64_t i = 0; i < count; ++i) {
    if (!ConsumeVarint(&bytes, &lengths[i]) || lengths[i] > left) {
      return absl::DataLossError(fmt::format(
          "byte {} of {}: the length of string {} is cut off or too large",
          total - bytes.size(), total, i));
    }
    left -= lengths[i];
    // The checksum covers each length as a number of 4 or 8 bytes, in the
    // writer's byte order.
    const size_t width = lengths[i] <= UINT32_MAX ? 4 : 8;
    char fixed[8];
    for (size_t b = 0; b < width; ++b) {
      const size_t shift = 8 * (big_endian ? width - 1 - b : b);
      fixed[b] = static_cast<char>(lengths[i] >> shift);
    }
    *crc = Crc32c(std::string_view(fixed, width), *crc);
  }
  if (bytes.size() < 4) {
    return absl::DataLossError("the checksum of the lengths is cut off");
  }
  const uint32_t want = big_endian ? LoadBig<uint32_t>(bytes.data())
                                   : LoadLittle<uint32_t>(bytes.data());
  if (MaskCrc32c(*crc) != want) {
    return absl::DataLossError(
        fmt::format("checksum {:#010x} of the lengths, expected {:#010x}",
                    MaskCrc32c(*crc), want));
  }
  *crc = Crc32c(bytes, *crc);
  bytes.remove_prefix(4);
  uint64_t sum = 0;
  for (const uint64_t length : lengths) sum += length;  // at most `total`
  if (sum != bytes.size()) {
    return absl::DataLossError(fmt::format(
        "the strings have {} bytes together, expected {}", sum, bytes.size()));
  }
  strings->reserve(count);
  for (const uint64_t length : lengths) {
    strings->emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorBundle::Stored> TensorBundle::Locate(
    const proto::BundleEntryProto& entry, Shards* shards) const {
  if (entry.shard_id() < 0 || entry.shard_id() >= num_shards_) {
    return absl::DataLossError(
        fmt::format("it should lie in data file {}, expected 0 to {}",
                    entry.shard_id(), num_shards_ - 1));
  }
  const std::string path = ShardPath(entry.shard_id());
  auto shard = shards->find(entry.shard_id());
  if (shard == shards->end()) {
    absl::StatusOr<FileBytes> opened = files_.Open(path);
    if (!opened.ok()) return opened.status();
    shard = shards->emplace(entry.shard_id(), *std::move(opened)).first;
  }
  const std::string_view file = shard->second.bytes;
  if (entry.offset() < 0 || entry.size() < 0 ||
      static_cast<uint64_t>(entry.offset()) > file.size() ||
      static_cast<uint64_t>(entry.size()) > file.size() - entry.offset()) {
    return absl::DataLossError(fmt::format(
        "{}: {} bytes should lie at byte {}, the file has {}; it is cut off, "
        "copy it again",
        path, entry.size(), entry.offset(), file.size()));
  }
  return Stored{&entry, file.substr(entry.offset(), entry.size()),
                fmt::format("{}: byte {}", path, entry.offset())};
}

absl::StatusOr<profile::TensorValue> TensorBundle::Decode(
    const Stored& stored, std::vector<int64_t> shape) const {
  const proto::BundleEntryProto& entry = *stored.entry;
  const std::string_view bytes = stored.bytes;
  const std::string& place = stored.place;
  const uint64_t count = static_cast<uint64_t>(ElementCount(shape));
  profile::TensorValue value;
  value.dtype = entry.dtype();
  value.shape = std::move(shape);
  uint32_t crc = 0;
  if (entry.dtype() == proto::DT_STRING) {
    absl::Status status =
        DecodeStrings(bytes, count, big_endian_, &value.strings, &crc);
    if (!status.ok()) return AddContext(place, status);
  } else {
    const bool narrow =
        entry.dtype() == proto::DT_FLOAT || entry.dtype() == proto::DT_INT32;
    const uint64_t width = narrow ? 4 : 8;
    if (bytes.size() % width != 0 || bytes.size() / width != count) {
      return absl::DataLossError(
          fmt::format("{}: {} bytes, expected {} values of {} bytes each",
                      place, bytes.size(), count, width));
    }
    crc = Crc32c(bytes);
  }
  if (MaskCrc32c(crc) != entry.crc32c()) {
    return absl::DataLossError(fmt::format(
        "{}: checksum {:#010x} of {} bytes, expected {:#010x}; the file is "
        "damaged or of another save, copy it again",
        place, MaskCrc32c(crc), bytes.size(), entry.crc32c()));
  }
  switch (entry.dtype()) {
    case proto::DT_FLOAT:
      value.doubles =
          DecodeNumbers<float, uint32_t, double>(bytes, big_endian_);
      break;
    case proto::DT_DOUBLE:
      value.doubles =
          DecodeNumbers<double, uint64_t, double>(bytes, big_endian_);
      break;
    case proto::DT_INT32:
      value.ints =
          DecodeNumbers<int32_t, uint32_t, int64_t>(bytes, big_endian_);
      break;
    case proto::DT_INT64:
      value.ints =
          DecodeNumbers<int64_t, uint64_t, int64_t>(bytes, big_endian_);
      break;
    default:  // strings: handled above
      break;
  }
  return value;
}

absl::StatusOr<profile::TensorValue> TensorBundle::ReadWhole(
    const proto::BundleEntryProto& entry, std::vector<int64_t> shape) const {
  Shards shards;
  absl::StatusOr<Stored> stored = Locate(entry, &shards);
  if (!stored.ok()) return stored.status();
  return Decode(*stored, std::move(shape));
}

const proto::BundleEntryProto* TensorBundle::FindSlice(
    std::string_view key) const {
  const auto found = std::lower_bound(
      slices_.begin(), slices_.end(), key,
      [](const SliceEntry& e, std::string_view k) { return e.key < k; });
  if (found == slices_.end() || found->key != key) return nullptr;
  return &found->entry;
}

absl::StatusOr<profile::TensorValue> TensorBundle::ReadSlices(
    const profile::TensorInfo& info,
    const proto::BundleEntryProto& entry) const {
  // All slices are found and checked before the tensor is allocated, so that a
  // small file cannot request a huge tensor. So each slice must have at least
  // one byte for each element, and slices must not share bytes.
  struct Slice {
    Stored stored;
    SlicePlace place;
  };
  const uint64_t count = static_cast<uint64_t>(ElementCount(info.shape));
  uint64_t left = count;
  std::vector<Slice> slices;
  Shards shards;
  int i = 0;  // for messages, where slices count from 1
  for (const proto::TensorSliceProto& proto : entry.slices()) {
    ++i;
    absl::StatusOr<SlicePlace> place = PlaceSlice(proto, info.shape);
    if (!place.ok()) return place.status();
    const proto::BundleEntryProto* part =
        FindSlice(TensorSliceKey(info.name, proto));
    if (part == nullptr) {
      return absl::DataLossError(
          fmt::format("slice {} of {} has no entry in {}; the checkpoint is "
                      "incomplete, save it again",
                      i, entry.slices_size(), index_path_));
    }
    if (part->dtype() != info.dtype || part->slices_size() != 0) {
      return absl::DataLossError(
          fmt::format("slice {} has type {}, expected {}, or has slices itself",
                      i, static_cast<int>(part->dtype()), info.dtype));
    }
    absl::StatusOr<std::vector<int64_t>> shape = ShapeFromProto(part->shape());
    if (!shape.ok() || *shape != place->length) {
      return absl::DataLossError(
          fmt::format("slice {} has another shape than its place", i));
    }
    absl::StatusOr<Stored> stored = Locate(*part, &shards);
    if (!stored.ok()) return stored.status();
    const uint64_t elements = static_cast<uint64_t>(ElementCount(*shape));
    if (elements > left || elements > stored->bytes.size()) {
      return absl::DataLossError(fmt::format(
          "slice {} has {} elements, expected at most {} of the tensor's and "
          "one for each of its {} bytes",
          i, elements, left, stored->bytes.size()));
    }
    if (elements == 0) continue;
    left -= elements;
    slices.push_back({*std::move(stored), *std::move(place)});
  }
  if (left != 0) {
    return absl::DataLossError(
        fmt::format("its slices hold {} of its {} elements; the checkpoint is "
                    "incomplete, save it again",
                    count - left, count));
  }
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::less<>()(a.stored.bytes.data(), b.stored.bytes.data());
  });
  for (size_t k = 1; k < slices.size(); ++k) {
    const std::string_view before = slices[k - 1].stored.bytes;
    const std::string_view after = slices[k].stored.bytes;
    if (std::less<>()(after.data(), before.data() + before.size())) {
      return absl::DataLossError(fmt::format("{}: two of its slices lie there",
                                             slices[k].stored.place));
    }
  }

  profile::TensorValue whole;
  whole.dtype = info.dtype;
  whole.shape = info.shape;
  if (info.dtype == proto::DT_STRING) {
    whole.strings.resize(count);
  } else if (info.dtype == proto::DT_FLOAT || info.dtype == proto::DT_DOUBLE) {
    whole.doubles.resize(count);
  } else {
    whole.ints.resize(count);
  }
  std::vector<bool> filled(count, false);
  for (const Slice& slice : slices) {
    absl::StatusOr<profile::TensorValue> part =
        Decode(slice.stored, slice.place.length);
    if (!part.ok()) return part.status();
    absl::Status status = CopySlice(*part, slice.place, &whole, &filled);
    if (!status.ok()) return status;
  }
  return whole;
}

absl::StatusOr<profile::TensorValue> TensorBundle::Read(
    std::string_view name) const {
  const int i = FindTensor(tensors_, name);
  if (i < 0) {
    return absl::NotFoundError(
        fmt::format("Key {} not found in checkpoint", name));
  }
  if (absl::Status status = CheckType(tensors_[i].dtype); !status.ok()) {
    return status;
  }
  absl::StatusOr<profile::TensorValue> value =
      entries_[i].slices_size() == 0 ? ReadWhole(entries_[i], tensors_[i].shape)
                                     : ReadSlices(tensors_[i], entries_[i]);
  if (!value.ok()) {
    return AddContext(fmt::format("tensor '{}'", name), value.status());
  }
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenTensorBundle(
    const std::string& prefix, const CheckpointFiles& files) {
  auto bundle = std::make_unique<TensorBundle>(prefix, files);
  const std::string path = prefix + ".index";
  absl::StatusOr<TableFile> index = OpenTableFile(path, files);
  if (!index.ok()) return index.status();
  absl::Status status = bundle->Load(*index);
  if (!status.ok()) return AddContext(path, status);
  return bundle;
}

}  // namespace tfprof::tensorflow
