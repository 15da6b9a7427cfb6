// Finds who holds up a pipeline-parallel job: a worker, a stage, a link, a
// collective, micro-batches of different sizes, or work that begins late.
//
// The job is simulated with equal lengths (timeline/ranks/pipeline_what_if.h).
// Only if it would then be faster, or if it begins work late, is there a
// finding: one, with the part that alone explains most of the lost time.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/ranks/pipeline_straggler.h"
#include "timeline/ranks/pipeline_what_if.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {
namespace pipeline {

constexpr std::string_view kMetric =
    "times that the job takes longer because of stragglers";
constexpr Rule kRules[] = {
    {"slow_worker",
     "A pipeline-parallel job waits for one worker, which computes longer than "
     "the same stage of the other ranks.",
     kMetric, "slowdown"},
    {"slow_stage",
     "A pipeline-parallel job waits for one stage, which computes longer than "
     "the others in all ranks.",
     kMetric, "slowdown"},
    {"sequence_imbalance",
     "A pipeline-parallel job waits for long micro-batches, which differ from "
     "step to step.",
     kMetric, "slowdown"},
    {"slow_microbatch",
     "A pipeline-parallel job waits for a micro-batch that is long in every "
     "step.",
     kMetric, "slowdown"},
    {"slow_link",
     "A pipeline-parallel job waits for the transfers between two neighbouring "
     "stages.",
     kMetric, "slowdown"},
    {"slow_collective",
     "A pipeline-parallel job waits for a collective that takes longer in one "
     "stage than in the others.",
     kMetric, "slowdown"},
    {"late_start",
     "The workers of a pipeline-parallel job begin work later than they could.",
     "times that the job takes longer because work begins late", "slowdown"},
};
constexpr CheckerOption kOptions[] = {
    {"slowdown", 1.075, "ratio",
     "Jobs that lose less are not reported. Even workers lose some percent by "
     "chance."},
    {"critical", 1.25, "ratio", "A job that loses more is critical."},
};

using Straggler = timeline::PipelineStraggler;

class PipelineReport {
 public:
  PipelineReport(const timeline::Pipeline& pipeline,
                 const timeline::PipelineWhatIf& what_if,
                 const Straggler& straggler)
      : pipeline_(pipeline), what_if_(what_if), straggler_(straggler) {}

  Finding Make(const CheckerSettings& settings) const {
    Finding f;
    f.threshold = settings.Get("slowdown");
    const bool late = straggler_.kind == Straggler::Kind::kLateStart ||
                      straggler_.kind == Straggler::Kind::kLateAny ||
                      straggler_.kind == Straggler::Kind::kClocks;
    f.value = late ? what_if_.late : what_if_.slowdown;
    f.saving_micros = util::ToInteger(late ? what_if_.recorded - what_if_.own
                                           : what_if_.own - what_if_.ideal);
    f.severity = f.value >= settings.Get("critical")
                     ? Finding::Severity::kCritical
                     : Finding::Severity::kWarning;
    if (straggler_.kind == Straggler::Kind::kClocks) {
      f.severity = Finding::Severity::kInfo;
      f.saving_micros = 0;
    }
    f.evidence = "what_if";
    Describe(f);
    f.text += late ? fmt::format(
                         "; the step takes {} and not {}, {:.2f} times as long",
                         Time(what_if_.recorded), Time(what_if_.own), f.value)
                   : fmt::format(
                         "; the step takes {}, {:.2f} times as long as the {} "
                         "that it would if all did the same",
                         Time(what_if_.own), f.value, Time(what_if_.ideal));
    constexpr double kNotAll = 0.7;
    if (straggler_.explains < kNotAll) {
      f.text += fmt::format("; this alone explains {:.0f}% of the loss",
                            100 * straggler_.explains);
    }
    return f;
  }

 private:
  static std::string Time(double micros) {
    return tables::FormatMicros(util::ToInteger(micros));
  }
  // "DP rank [2]", as timelines name their processes.
  std::string Rank() const {
    return straggler_.dp
               ? fmt::format("DP rank [{}]", pipeline_.dps()[*straggler_.dp])
               : "all DP ranks";
  }
  std::string Stage(size_t stage) const {
    return fmt::format("PP rank {}", pipeline_.stages()[stage]);
  }
  std::string Worker() const {
    return straggler_.stage ? Rank() + ", " + Stage(*straggler_.stage) : Rank();
  }
  // "131.20ms per step, 1.30 times the 100.90ms of OTHERS".
  std::string Compared(std::string_view others) const {
    return fmt::format(
        "{} per step, {:.2f} times the {} of {}", Time(straggler_.time),
        straggler_.usual > 0 ? straggler_.time / straggler_.usual : 1,
        Time(straggler_.usual), others);
  }

  // Sets the rule, the subject, the advice and the begin of the text.
  void Describe(Finding& f) const {
    using Kind = Straggler::Kind;
    switch (straggler_.kind) {
      case Kind::kWorker:
        f.rule = kRules[0].id;
        f.subject = Worker();
        f.text = fmt::format(
            "{} computes {}, and all others wait for it", f.subject,
            Compared(straggler_.stage ? "the same stage of the other ranks"
                                      : "the other ranks"));
        f.advice =
            "Look at its machine (clock and temperature of the accelerator, "
            "other programs, errors of memory and network), and exchange it.";
        break;
      case Kind::kStage:
        f.rule = kRules[1].id;
        f.subject = Stage(*straggler_.stage);
        f.text = fmt::format("{} computes {} in every rank", f.subject,
                             Compared("the other stages"));
        f.advice =
            "Move layers from this stage to the others. The last stage has the "
            "loss and the output layer too, so it needs fewer layers.";
        break;
      case Kind::kSequences:
        f.rule = kRules[2].id;
        f.subject = "micro-batches of different lengths";
        f.text = fmt::format(
            "micro-batches differ in length, forward and backward alike: the "
            "longest one of a step takes {:.2f} times the usual time, and no "
            "single worker is slow",
            straggler_.time);
        f.advice =
            "Balance the micro-batches: distribute sequences so that all "
            "ranks and micro-batches of a step have about the same work (the "
            "sum of the squares of their lengths, where attention dominates).";
        break;
      case Kind::kMicroBatch:
        f.rule = kRules[3].id;
        f.subject =
            fmt::format("{}, micro-batch {}", Rank(), straggler_.micro_batch);
        f.text = fmt::format("micro-batch {} of {} takes {} in every step",
                             straggler_.micro_batch, Rank(),
                             Compared("the other micro-batches"));
        f.advice =
            "Look at what the data loader puts into this micro-batch, and at "
            "work that the program does only there.";
        break;
      case Kind::kLink:
        f.rule = kRules[4].id;
        f.subject =
            fmt::format("{}, {} and {}", Rank(), Stage(*straggler_.stage),
                        Stage(*straggler_.stage + 1));
        f.text = fmt::format("transfers of {} take {}", f.subject,
                             Compared("the usual link"));
        f.advice =
            "Look at the network between these two workers (link errors, a "
            "fallback to TCP, cables, a shared switch), or place them nearer.";
        break;
      case Kind::kCollective:
        f.rule = kRules[5].id;
        f.subject = fmt::format(
            "{}, {}", pipeline_.profile().strings().Get(straggler_.type),
            Stage(straggler_.stage.value_or(0)));
        f.text =
            fmt::format("{} takes {}", f.subject, Compared("the other stages"));
        f.advice =
            "Look at the network between the ranks of this stage and at what "
            "it sends: a slow member, the algorithm, the sizes of buckets.";
        break;
      case Kind::kLateStart:
        DescribeLate(f);
        break;
      case Kind::kLateAny:
        f.rule = kRules[6].id;
        f.subject = "all workers";
        f.text = "operations begin later than all that they need has ended";
        f.advice =
            "Look for what runs on the host between operations: input, Python, "
            "launches, checkpoints.";
        break;
      case Kind::kClocks:
        f.rule = kRules[6].id;
        f.subject = "clocks of the ranks";
        f.text =
            "no worker begins late, but ranks differ in their times, so their "
            "clocks seem to differ";
        break;
    }
  }

  void DescribeLate(Finding& f) const {
    f.rule = kRules[6].id;
    f.subject = Worker();
    f.text = straggler_.stage
                 ? fmt::format(
                       "the operations of {} begin {} per step later "
                       "than all that they need has ended",
                       f.subject, Time(straggler_.time))
                 : fmt::format(
                       "the first micro-batch of {} begins {} later "
                       "than it could because its input was not there",
                       f.subject, Time(straggler_.time));
    f.advice =
        straggler_.stage
            ? "Look for what its host does between operations: Python, "
              "launches, other programs."
            : "Look at the data loader of this rank: prefetch more, use more "
              "workers, and compare its storage with that of the others.";
  }

  const timeline::Pipeline& pipeline_;
  const timeline::PipelineWhatIf& what_if_;
  const Straggler& straggler_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  auto& kept = input.views.Kept<timeline::KeptPipeline>();
  if (!kept.status().ok()) return result;
  const util::TaskOptions& work = input.views.work();
  const timeline::PipelineWhatIf& what_if = kept.WhatIf(work);
  if (std::max(what_if.slowdown, what_if.late) < settings.Get("slowdown") ||
      work.cancelled()) {
    return result;
  }
  const Straggler straggler =
      timeline::FindPipelineStraggler(kept.pipeline(), what_if, work);
  Finding finding =
      PipelineReport(kept.pipeline(), what_if, straggler).Make(settings);
  if (work.cancelled() || finding.value < finding.threshold) return result;
  result.findings.push_back(std::move(finding));
  return result;
}

}  // namespace pipeline
}  // namespace

const Checker kPipelineChecker = {
    "PipelineChecker",
    "Who holds up a pipeline-parallel job, and by how much.",
    Checker::Kind::kAdvice,
    pipeline::kRules,
    pipeline::kOptions,
    pipeline::Check,
    Checker::Needs::kPipeline};

}  // namespace tfprof::advisor
