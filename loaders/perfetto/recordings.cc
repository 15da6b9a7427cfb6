#include "loaders/perfetto/recordings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "loaders/chrome_json/kineto/category.h"
#include "util/text/decimal.h"

namespace tfprof::perfetto {
namespace {

using Category = kineto::KinetoCategory;

// Numbers for launches that only have a flow; recorders count from 0.
constexpr int64_t kFirstFlowNumber = int64_t{1} << 48;
constexpr std::string_view kLaunch = "cuda_runtime";

// What a slice of each category is.
struct CategoryFacts {
  explicit CategoryFacts(const std::vector<std::string_view>& categories) {
    for (const std::string_view category : categories) {
      is_work.push_back(IsDeviceWork(category));
      is_launch.push_back(kineto::KinetoCategoryOf(category) ==
                          Category::kLaunch);
    }
  }
  std::vector<bool> is_work, is_launch;
};

// Joins the tracks of work with those of its launch, unless launches of several
// groups have its number.
void JoinCorrelations(const CategoryFacts& facts, const TraceTables& tables,
                      Places& places, TrackGroups& groups) {
  constexpr uint32_t kSeveral = kNoIndex;
  const auto is = [](const std::vector<bool>& of, const Slice& slice) {
    return slice.correlation != 0 && slice.category < of.size() &&
           of[slice.category];
  };
  absl::flat_hash_map<int64_t, uint32_t> root_of;  // of launches
  for (const Slice& slice : tables.slices) {
    if (!is(facts.is_launch, slice)) continue;
    const uint32_t root = places.Of(slice.track).root;
    const auto [it, added] = root_of.try_emplace(slice.correlation, root);
    if (!added && it->second != root) it->second = kSeveral;
  }
  for (const Slice& slice : tables.slices) {
    if (!is(facts.is_work, slice)) continue;
    const auto it = root_of.find(slice.correlation);
    if (it == root_of.end() || it->second == kSeveral) continue;
    const uint32_t root = places.Of(slice.track).root;
    if (groups.Find(root) != groups.Find(it->second)) {
      groups.Join(it->second, root);
    }
  }
}

}  // namespace

std::span<const uint64_t> FlowsOf(const TraceTables& tables,
                                  const Slice& slice) {
  return std::span(tables.flows).subspan(slice.first_flow, slice.num_flows);
}

bool SetKinds(WorkKinds& kinds, TraceTables& tables) {
  std::vector<std::string_view> names;
  absl::flat_hash_map<std::string_view, uint32_t> numbers;
  std::vector<uint32_t> kind_of;
  kind_of.reserve(tables.slices.size());
  bool is_kineto = false;
  std::string_view last;
  uint32_t last_number = 0;
  for (const Slice& slice : tables.slices) {
    const std::string_view kind = kinds.Of(slice);
    if (names.empty() || kind != last) {
      const auto [it, added] =
          numbers.try_emplace(kind, static_cast<uint32_t>(names.size()));
      if (added) {
        names.push_back(kind);
        const Category known = kineto::KinetoCategoryOf(kind);
        is_kineto |= known != Category::kUnknown && known != Category::kSpan;
      }
      last = kind;
      last_number = it->second;
    }
    kind_of.push_back(last_number);
  }
  if (!is_kineto) return false;
  for (size_t i = 0; i < kind_of.size(); ++i) {
    tables.slices[i].category = kind_of[i];
  }
  tables.categories = std::move(names);
  return true;
}

uint32_t TrackGroups::Find(uint32_t track) {
  uint32_t at = track;
  for (auto it = above_.find(at); it != above_.end() && it->second != at;
       it = above_.find(at)) {
    at = it->second;
  }
  if (at != track) above_[track] = at;
  return at;
}

absl::flat_hash_map<uint32_t, int64_t> JoinLaunches(TraceTables& tables,
                                                    Places& places,
                                                    TrackGroups& groups) {
  absl::flat_hash_map<uint32_t, int64_t> made;
  const CategoryFacts facts(tables.categories);
  auto launch_category = static_cast<uint32_t>(tables.categories.size());
  absl::flat_hash_map<uint64_t, uint32_t> of_host;
  for (uint32_t i = 0; i < tables.slices.size(); ++i) {
    const Slice& slice = tables.slices[i];
    if (slice.num_flows == 0 || facts.is_work[slice.category]) continue;
    for (const uint64_t flow : FlowsOf(tables, slice)) {
      of_host.try_emplace(flow, i);
    }
  }
  int64_t next = kFirstFlowNumber;
  const size_t num_kinds = facts.is_work.size();
  for (uint32_t i = 0; i < tables.slices.size(); ++i) {
    Slice& work = tables.slices[i];
    if (work.num_flows == 0 || work.category >= num_kinds ||
        !facts.is_work[work.category]) {
      continue;
    }
    for (const uint64_t flow : FlowsOf(tables, work)) {
      const auto it = of_host.find(flow);
      if (it == of_host.end()) continue;
      Slice& launch = tables.slices[it->second];
      groups.Join(places.Of(launch.track).root, places.Of(work.track).root);
      if (work.correlation != 0) continue;
      if (launch.correlation == 0) {
        launch.correlation = next++;
        made[it->second] = launch.correlation;
        if (!facts.is_launch[launch.category]) {
          launch.category = launch_category;
        }
      }
      work.correlation = launch.correlation;
      made[i] = work.correlation;
      break;
    }
  }
  tables.categories.push_back(kLaunch);
  JoinCorrelations(facts, tables, places, groups);
  return made;
}

bool JoinByOrder(const TraceTables& tables, Places& places,
                 TrackGroups& groups) {
  const CategoryFacts facts(tables.categories);
  const auto is = [](const std::vector<bool>& of, const Slice& slice) {
    return slice.category < of.size() && of[slice.category];
  };
  const auto group_of = [&](const Slice& slice) {
    return groups.Find(places.Of(slice.track).root);
  };
  std::map<int64_t, uint32_t> processes;  // the group of each
  std::map<int32_t, std::set<uint32_t>> devices;
  std::map<uint32_t, int32_t> device_of;  // of groups
  for (const Slice& slice : tables.slices) {
    if (is(facts.is_launch, slice)) {
      const auto pid = util::ParseDecimal(places.Of(slice.track).pid);
      const uint32_t group = group_of(slice);
      if (!pid || processes.try_emplace(*pid, group).first->second != group) {
        return false;
      }
    } else if (is(facts.is_work, slice)) {
      const uint32_t group = group_of(slice);
      if (slice.device < 0 ||
          device_of.try_emplace(group, slice.device).first->second !=
              slice.device) {
        return false;
      }
      devices[slice.device].insert(group);
    }
  }
  if (processes.size() != devices.size() || processes.size() < 2) return false;
  std::map<uint32_t, uint32_t> number_of;  // of the groups of processes
  for (const auto& [pid, group] : processes) {
    if (device_of.contains(group) ||
        !number_of.try_emplace(group, number_of.size()).second) {
      return false;
    }
  }
  std::map<int32_t, uint32_t> place_of;  // of devices
  for (const auto& [device, of] : devices) {
    place_of.try_emplace(device, place_of.size());
  }
  absl::flat_hash_map<std::pair<uint32_t, int64_t>, int64_t> launches;
  for (const Slice& slice : tables.slices) {
    if (slice.correlation == 0 || !is(facts.is_launch, slice)) continue;
    launches.try_emplace({number_of[group_of(slice)], slice.correlation},
                         slice.time);
  }
  for (const Slice& slice : tables.slices) {
    if (slice.correlation == 0 || !is(facts.is_work, slice)) continue;
    const auto launch =
        launches.find({place_of[slice.device], slice.correlation});
    if (launch == launches.end() || slice.time < launch->second) return false;
  }
  auto process = processes.begin();
  for (const auto& [device, of] : devices) {
    for (const uint32_t group : of) groups.Join(process->second, group);
    ++process;
  }
  return true;
}

Recordings FindRecordings(const TraceTables& tables, Places& places,
                          TrackGroups& groups) {
  constexpr unsigned kHasWork = 1, kHasLaunch = 2;
  const CategoryFacts facts(tables.categories);
  absl::flat_hash_map<uint32_t, unsigned> has;  // by group
  std::vector<unsigned> of_track(tables.tracks.size(), 0);
  std::vector<bool> used(tables.tracks.size(), false);
  for (const Slice& slice : tables.slices) {
    used[slice.track] = true;
    if (facts.is_work[slice.category]) of_track[slice.track] |= kHasWork;
    if (facts.is_launch[slice.category]) of_track[slice.track] |= kHasLaunch;
  }
  for (uint32_t track = 0; track < of_track.size(); ++track) {
    if (used[track]) {
      has[groups.Find(places.Of(track).root)] |= of_track[track];
    }
  }
  Recordings result;
  std::vector<uint64_t> whole;  // uuids
  for (const auto& [group, parts] : has) {
    if (parts == (kHasWork | kHasLaunch)) {
      whole.push_back(tables.tracks[group].uuid);
    }
  }
  if (whole.size() < 2 || whole.size() > kMaxRecordings) return result;
  std::sort(whole.begin(), whole.end());
  result.size_ = whole.size();
  result.of_root_.assign(tables.tracks.size(), 0);
  for (uint32_t track = 0; track < tables.tracks.size(); ++track) {
    const uint64_t group = tables.tracks[groups.Find(track)].uuid;
    const auto behind = std::upper_bound(whole.begin(), whole.end(), group);
    if (behind != whole.begin()) {
      result.of_root_[track] =
          static_cast<uint32_t>(behind - whole.begin() - 1);
    }
  }
  return result;
}

}  // namespace tfprof::perfetto
