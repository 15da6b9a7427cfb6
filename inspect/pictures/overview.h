// The overview: the most important facts of a profile.
//
//   const Overview facts = MakeOverview(views, inputs, worst);
//   DataDocument document = OverviewDocument(facts);     // for programs
//   std::string text = OverviewText(facts, look);        // for people
//
// The text has at most kOverviewLines lines of `look.page()` columns, so that
// it fits on the smallest screen together with the prompt. To make room for the
// text of the problem, it drops empty lines, then operations, then parts of the
// account.
//
// timeline/account/step_wall.h defines the wall time of a step, step_split.h
// the split into devices. Operations have sums of op times. In a profile of
// TensorFlow 1 these are sums over all steps (`op -step all`), because the
// reference's average is over the steps in which a node ran. In a trace they
// are averages over the steps, as in `op`. Shares of wall time are relative to
// all steps that `steps` lists, or to the average step.
//
// Times are ticks of the profile. A profile without executions has its
// parameters and float operations instead.

#ifndef TFPROF_INSPECT_PICTURES_OVERVIEW_H_
#define TFPROF_INSPECT_PICTURES_OVERVIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/steps/step_split.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "views/views.h"

namespace tfprof::inspect {

inline constexpr size_t kOverviewLines = 22;

// An input file, as the loader names it (Loaded::Source).
struct OverviewInput {
  std::string path;
  std::string format;
};

// The summary of the findings of advisor/.
struct OverviewAdvice {
  // The worst problem. If there is none (`problems` is 0), a finding of
  // severity "info" that may be on purpose. The rule is empty if there is
  // neither.
  std::string severity;
  std::string rule;
  std::string subject;  // a device, an operation, a step; may be empty
  std::string text;
  std::string advice;    // what to do; may be empty
  std::string evidence;  // the command that shows it
  std::string also;      // the next finding of severity "info"; may be empty
  size_t problems = 0;   // including the worst one
  size_t checkers = 0;   // that ran
  size_t lacking = 0;    // those that cannot judge the profile
};

// The verdict of compare/comparison.h, if there is a base.
struct OverviewBase {
  std::string name;
  std::string verdict;  // "slower"
  std::string text;     // "slower: 10.0ms -> 12.0ms, +2.0ms (+20.0%)"
  std::string because;  // may be empty
};

struct Overview {
  struct Op {
    std::string name;
    int64_t ticks = 0;  // or a count of parameters or float operations
    // The parts of a time.
    int64_t accelerator = 0;
    int64_t cpu = 0;
  };
  struct Next {
    std::string command;
    std::string why;
  };
  // A peak of memory.
  struct Memory {
    int64_t bytes = 0;
    std::string holder;
  };

  std::vector<OverviewInput> inputs;
  std::string framework;
  int64_t ticks_per_micro = 1;
  size_t nodes = 0;
  size_t devices = 0;
  size_t executions = 0;

  std::vector<timeline::StepWall> walls;  // of the listed steps
  int64_t median = 0;
  std::optional<timeline::StepWall> odd;
  size_t num_odd = 0;  // steps like it
  std::optional<timeline::StepWall> typical;
  std::vector<DeviceSplit> split;  // of the typical step
  // The accounts of the typical step, and their sum.
  timeline::StepAccount accounts;
  tables::DataTable account_table;
  timeline::JobAccount account;

  // What the profile has beside operations, such as compilations: a label and a
  // sentence each.
  struct Record {
    std::string label;
    std::string text;
  };
  std::vector<Record> records;

  // The meaning of the numbers in `ops`.
  enum class Measure { kTime, kParameters, kFloatOps, kNodes, kBytes };
  Measure measure = Measure::kTime;
  bool average = false;  // over the steps; false: sums over them
  // The most expensive that have no role (timeline/account/op_roles.h): waits
  // are no work, and may take longer than the step in several threads at once.
  std::vector<Op> ops;
  size_t num_ops = 0;  // with a number above 0, also those with a role
  Op all_ops;          // the sum of all, without a name
  // Types of operations with a role.
  struct NoWork {
    size_t types = 0;
    Op sum;  // with the name of the largest
  };
  NoWork waits;
  NoWork frames;         // markers of steps and named ranges: their own time
  int64_t ops_wall = 0;  // the base of shares of wall time; 0: unknown
  Op outside;            // op time outside of all steps
  // The share of the accelerators' time that is kernels of replayed graphs that
  // nothing names; 0 if it is little.
  double unnamed_replays = 0;
  int64_t parameters = 0;
  int64_t float_ops = 0;

  std::optional<Memory> peak;  // of a device or a counter: in use
  // The most that the allocator of `peak` had from the device, if recorded.
  std::optional<int64_t> peak_reserved;
  std::optional<Memory> largest;  // of an operation
  OverviewAdvice advice;
  std::optional<OverviewBase> base;  // set by the caller
  std::vector<Next> next;            // three

  // The operations have times of accelerators and of CPUs, which run at the
  // same time: they are two numbers, and their sum is for programs only.
  bool both_times() const {
    return measure == Measure::kTime && all_ops.accelerator > 0 &&
           all_ops.cpu > 0;
  }
  // A sum of op times without those with a role. If it is larger than the wall
  // time, lanes ran in parallel, and times are no shares of it.
  int64_t work(int64_t Op::*time) const {
    return all_ops.*time - waits.sum.*time - frames.sum.*time;
  }
  bool shares_wall(int64_t Op::*time) const {
    // Each time is rounded, so that the sum of those of one thread may pass.
    constexpr int64_t kRounding = 200;
    return measure == Measure::kTime && ops_wall > 0 &&
           work(time) - ops_wall <= ops_wall / kRounding;
  }
};

Overview MakeOverview(views::Views& views, std::vector<OverviewInput> inputs,
                      OverviewAdvice advice);

// Facts, and the tables steps, devices, ops, problems, next.
tables::DataDocument OverviewDocument(const Overview& overview);

std::string OverviewText(const Overview& overview,
                         const tables::TextLook& look);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_PICTURES_OVERVIEW_H_
