// PartSums: adds up the details of the parts of one account (account.h). Times
// are ticks of the profile.

#ifndef TFPROF_TIMELINE_ACCOUNT_PART_SUMS_H_
#define TFPROF_TIMELINE_ACCOUNT_PART_SUMS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "timeline/account/account.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {

// The part of computation of a class.
inline Part PartOf(KernelClass of) {
  switch (of) {
    case KernelClass::kMatrixProduct:
      return Part::kMatrixProducts;
    case KernelClass::kAttention:
      return Part::kAttention;
    case KernelClass::kConvolution:
      return Part::kConvolutions;
    case KernelClass::kNormalization:
      return Part::kNormalization;
    case KernelClass::kReduction:
      return Part::kReductions;
    case KernelClass::kElementwise:
      return Part::kElementwise;
    case KernelClass::kDeviceCopy:
      return Part::kDeviceCopies;
    case KernelClass::kOther:
      break;
  }
  return Part::kOtherCompute;
}

// Adds up the details of the parts of one device.
class PartSums {
 public:
  // `name` must outlive the sums.
  void Add(Part part, std::string_view name, int64_t ticks, int64_t count = 1) {
    if (ticks <= 0) return;
    Detail& detail = DetailOf({part, name.data(), name.size()});
    detail.ticks = util::SaturatingAdd(detail.ticks, ticks);
    detail.count += count;
  }
  int64_t Of(Part part) const {
    int64_t ticks = 0;
    for (const Detail& of : details_) {
      if (of.key.part == part) ticks = util::SaturatingAdd(ticks, of.ticks);
    }
    return ticks;
  }
  // Moves the time of a part to another one, as one detail.
  void Move(Part from, Part to, std::string_view name) {
    int64_t ticks = 0, pieces = 0;
    for (Detail& of : details_) {
      if (of.key.part != from) continue;
      ticks = util::SaturatingAdd(ticks, std::exchange(of.ticks, 0));
      pieces += std::exchange(of.count, 0);
    }
    Add(to, name, ticks, pieces);
  }
  void Add(const PartSums& other) {
    for (const Detail& of : other.details_) {
      Add(of.key.part, of.key.text(), of.ticks, of.count);
    }
  }
  void Add(const PartTime& time, Part part) {
    for (const PartDetail& detail : time.details) {
      Add(part, detail.name, detail.ticks, detail.count);
    }
    int64_t& other = other_[static_cast<size_t>(part)];
    other = util::SaturatingAdd(other, time.other);
  }

  void Finish(DeviceAccount& account) && {
    absl::flat_hash_map<std::pair<Part, std::string_view>, PartDetail> merged;
    for (const Detail& detail : details_) {
      if (detail.ticks == 0) continue;  // it was moved
      PartDetail& of = merged[{detail.key.part, detail.key.text()}];
      of.ticks = util::SaturatingAdd(of.ticks, detail.ticks);
      of.count += detail.count;
    }
    for (auto& [key, detail] : merged) {
      detail.name = std::string(key.second);
      account[key.first].details.push_back(std::move(detail));
    }
    MergeByProgram(account[Part::kPython].details);
    for (size_t p = 0; p < kNumParts; ++p) {
      PartTime& time = account.parts[p];
      std::sort(time.details.begin(), time.details.end(),
                [](const PartDetail& a, const PartDetail& b) {
                  return std::tie(b.ticks, a.name) < std::tie(a.ticks, b.name);
                });
      time.other = other_[p];
      time.ticks = other_[p];
      for (size_t i = 0; i < time.details.size(); ++i) {
        const int64_t ticks = time.details[i].ticks;
        time.ticks = util::SaturatingAdd(time.ticks, ticks);
        if (i >= kMaxDetails)
          time.other = util::SaturatingAdd(time.other, ticks);
      }
      if (time.details.size() > kMaxDetails) time.details.resize(kMaxDetails);
    }
  }

 private:
  // Finding the address of a name is faster than finding its bytes. Equal names
  // at several addresses are merged in the end.
  struct Key {
    Part part;
    const char* name;
    size_t size;

    std::string_view text() const { return {name, size}; }
    bool operator==(const Key&) const = default;
    template <typename Hash>
    friend Hash AbslHashValue(Hash hash, const Key& key) {
      return Hash::combine(std::move(hash), key.part, key.name, key.size);
    }
  };
  struct Detail {
    Key key;
    int64_t ticks = 0;
    int64_t count = 0;  // the pieces
  };

  // Details of Python are functions: "FUNCTION", or "CALLED in FUNCTION" for a
  // function of a library that a function of the program called. If no called
  // one has most of the time of a FUNCTION, they are details too small to see:
  // the FUNCTION has their time. Otherwise it has that of the others.
  static void MergeByProgram(std::vector<PartDetail>& details) {
    constexpr std::string_view kIn = " in ";
    const auto program_of = [&](const PartDetail& of) {
      const size_t in = of.name.rfind(kIn);
      return in == of.name.npos ? of.name : of.name.substr(in + kIn.size());
    };
    struct Program {
      int64_t ticks = 0;
      size_t largest = 0;
      std::optional<size_t> kept;  // the place of the largest in `merged`
      PartDetail rest = {};
    };
    absl::flat_hash_map<std::string, Program> programs;
    for (size_t i = 0; i < details.size(); ++i) {
      const auto [it, is_new] = programs.try_emplace(program_of(details[i]));
      Program& of = it->second;
      of.ticks = util::SaturatingAdd(of.ticks, details[i].ticks);
      const PartDetail& largest = details[of.largest];
      if (is_new || std::tie(largest.ticks, details[i].name) <
                        std::tie(details[i].ticks, largest.name)) {
        of.largest = i;
      }
    }
    std::vector<PartDetail> merged;
    for (size_t i = 0; i < details.size(); ++i) {
      Program& of = programs[program_of(details[i])];
      if (of.largest == i && details[i].ticks >= of.ticks / 2) {
        of.kept = merged.size();
        merged.push_back(std::move(details[i]));
      } else {
        of.rest.ticks = util::SaturatingAdd(of.rest.ticks, details[i].ticks);
        of.rest.count += details[i].count;
      }
    }
    for (auto& [name, of] : programs) {
      if (of.rest.ticks == 0) continue;
      of.rest.name = name;
      if (of.kept && merged[*of.kept].name == name) {
        PartDetail& same = merged[*of.kept];
        same.ticks = util::SaturatingAdd(same.ticks, of.rest.ticks);
        same.count += of.rest.count;
      } else {
        merged.push_back(std::move(of.rest));
      }
    }
    details = std::move(merged);
  }

  Detail& DetailOf(const Key& key) {
    const size_t place = reinterpret_cast<uintptr_t>(key.name) / 4 +
                         static_cast<size_t>(key.part);
    uint32_t& near = near_[place % kNear];
    if (near >= details_.size() || details_[near].key != key) {
      near = places_.try_emplace(key, details_.size()).first->second;
      if (near == details_.size()) details_.push_back({.key = key});
    }
    return details_[near];
  }

  std::vector<Detail> details_;
  absl::flat_hash_map<Key, uint32_t> places_;  // in `details_`
  // Places that were found last: most runs of a step have a few names.
  static constexpr size_t kNear = 128;
  std::array<uint32_t, kNear> near_ = {};
  std::array<int64_t, kNumParts> other_ = {};
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_PART_SUMS_H_
