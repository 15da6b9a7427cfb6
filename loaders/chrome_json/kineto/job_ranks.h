// Decides which of several Kineto files are ranks of one job.
//
// Files are ranks if their recorder says so, by different ranks of one world
// size. Otherwise the program must be the same: most of its nodes (operators in
// their modules) are in both files. Two recordings of one rank, or of programs
// that ran one after the other, are no ranks of one job; nor are two programs.
// All files are compared with the first one, and with others of the same rank.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_JOB_RANKS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_JOB_RANKS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tfprof::kineto {

struct JobFile {
  std::string path;
  int64_t recorded_rank = -1;   // -1: not given
  int64_t path_rank = -1;       // of the name of the file; -1: none
  int64_t world_size = -1;      // -1: not given
  std::vector<uint32_t> nodes;  // numbers of nodes; each once, ascending
  // When it was recorded, if the times have a known origin.
  bool has_times = false;
  int64_t start = 0, end = 0;
};

struct JobRank {
  int64_t rank = -1;  // -1: it is no rank, or the rank of a single file
  // Why it is no rank of the job, with the command that compares it, as a line
  // for the log; empty if it is one.
  std::string why_not = "";
};

// Returns a row for each file. Files of a job that name no rank are numbered in
// their order.
std::vector<JobRank> FindJobRanks(std::span<const JobFile> files);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_JOB_RANKS_H_
