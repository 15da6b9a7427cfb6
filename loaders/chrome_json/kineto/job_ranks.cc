#include "loaders/chrome_json/kineto/job_ranks.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"

namespace tfprof::kineto {
namespace {

// Two files are of one program if at least this share of all nodes is in both.
constexpr double kSameNodes = 0.5;

bool AreOneProgram(const JobFile& a, const JobFile& b) {
  if (a.nodes.empty() || b.nodes.empty()) return true;  // it is not known
  std::vector<uint32_t> both;
  std::ranges::set_intersection(a.nodes, b.nodes, std::back_inserter(both));
  const auto all =
      static_cast<double>(a.nodes.size() + b.nodes.size() - both.size());
  return static_cast<double>(both.size()) >= kSameNodes * all;
}

bool HaveTimesApart(const JobFile& a, const JobFile& b) {
  return a.has_times && b.has_times && (a.end < b.start || b.end < a.start);
}

int64_t RankOf(const JobFile& file) {
  return file.recorded_rank >= 0 ? file.recorded_rank : file.path_rank;
}

// Returns what `b` is if it is no other rank of the job of `a`; "" if it is.
std::string WhyNotOneJob(const JobFile& a, const JobFile& b) {
  if (a.world_size >= 0 && b.world_size >= 0 && a.world_size != b.world_size) {
    return fmt::format("a job of {} ranks and not of {}", b.world_size,
                       a.world_size);
  }
  const bool same_rank = RankOf(a) >= 0 && RankOf(a) == RankOf(b);
  const bool recorded = a.recorded_rank >= 0 && b.recorded_rank >= 0;
  if (recorded && !same_rank) return "";
  if (!AreOneProgram(a, b)) return "another program";
  if (same_rank) {
    return fmt::format("another recording of rank {}", RankOf(a));
  }
  if (RankOf(a) < 0 && RankOf(b) < 0 && HaveTimesApart(a, b)) {
    return "another recording of this program";
  }
  if (a.has_times && b.has_times && a.start == b.start && a.end == b.end) {
    return "the same recording";
  }
  return "";
}

}  // namespace

std::vector<JobRank> FindJobRanks(std::span<const JobFile> files) {
  std::vector<JobRank> ranks(files.size());
  size_t in_job = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (j > 0 && (RankOf(files[i]) < 0 || !ranks[j].why_not.empty() ||
                    RankOf(files[j]) != RankOf(files[i]))) {
        continue;
      }
      const std::string why = WhyNotOneJob(files[j], files[i]);
      if (why.empty()) continue;
      ranks[i].why_not = fmt::format(
          "{}: this is {}, and no other rank of the job of {}. To compare the "
          "two: tfprof --base {} {}",
          files[i].path, why, files[j].path, files[j].path, files[i].path);
      break;
    }
    if (!ranks[i].why_not.empty()) continue;
    ++in_job;
    ranks[i].rank = RankOf(files[i]);
  }
  // A file alone needs no number.
  for (size_t i = 0; i < files.size() && in_job > 1; ++i) {
    if (ranks[i].why_not.empty() && ranks[i].rank < 0) {
      ranks[i].rank = static_cast<int64_t>(i);
    }
  }
  return ranks;
}

}  // namespace tfprof::kineto
