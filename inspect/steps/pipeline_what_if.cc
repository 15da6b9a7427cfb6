#include "inspect/steps/pipeline_what_if.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tables/table_builder.h"
#include "timeline/ranks/pipeline_what_if.h"

namespace tfprof::inspect {
namespace {

tables::DataColumn SlowdownColumn() {
  return {.name = "slowdown",
          .title = "slowdown",
          .unit = util::Unit::kNumber,
          .heat = true};
}

// The indices of values, the largest value first.
std::vector<size_t> LargestFirst(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](size_t i) { return values[i]; });
  return order;
}

// A table with a number and a slowdown for each part.
tables::DataTable PartsTable(const char* kind, const char* column,
                             const std::vector<int32_t>& numbers,
                             const std::vector<double>& slowdowns) {
  tables::TableBuilder table(
      kind, {{column, column, util::Unit::kNumber}, SlowdownColumn()});
  for (const size_t i : LargestFirst(slowdowns)) {
    table.AddRow({int64_t{numbers[i]}, slowdowns[i]});
  }
  return std::move(table).Build();
}

tables::DataTable TypesTable(const timeline::PipelineWhatIf& what_if) {
  tables::TableBuilder table(
      "types", {{"name", "type", util::Unit::kText}, SlowdownColumn()});
  std::vector<double> slowdowns;
  for (const auto& [name, slowdown] : what_if.types) {
    slowdowns.push_back(slowdown);
  }
  for (const size_t i : LargestFirst(slowdowns)) {
    table.AddRow({tables::TextCell(what_if.types[i].first), slowdowns[i]});
  }
  return std::move(table).Build();
}

tables::DataTable WorkersTable(const timeline::Pipeline& pipeline,
                               const timeline::PipelineWhatIf& what_if) {
  tables::TableBuilder table("workers",
                             {{"dp", "dp", util::Unit::kNumber},
                              {"stage", "stage", util::Unit::kNumber},
                              SlowdownColumn(),
                              {"worst", "", util::Unit::kText}});
  std::vector<double> slowdowns;
  for (const auto& worker : what_if.workers) {
    slowdowns.push_back(worker.slowdown);
  }
  for (const size_t i : LargestFirst(slowdowns)) {
    const timeline::PipelineWhatIf::Worker& worker = what_if.workers[i];
    table.AddRow({int64_t{pipeline.dps()[worker.dp]},
                  int64_t{pipeline.stages()[worker.stage]}, worker.slowdown,
                  tables::TextCell(worker.worst ? "worst 3 %" : "")});
  }
  return std::move(table).Build();
}

tables::DataTable StepsTable(const timeline::Pipeline& pipeline,
                             const timeline::PipelineWhatIf& what_if) {
  tables::TableBuilder table("steps",
                             {{"step", "step", util::Unit::kNumber},
                              {"recorded_micros", "took", util::Unit::kMicros},
                              SlowdownColumn()});
  for (size_t i = 0; i < what_if.steps.size(); ++i) {
    table.AddRow({pipeline.steps()[i], pipeline.Recorded(i), what_if.steps[i]});
  }
  return std::move(table).Build();
}

tables::DataCell MaybeCell(const std::optional<double>& value) {
  return value ? tables::DataCell(*value) : tables::DataCell();
}

}  // namespace

absl::StatusOr<tables::DataDocument> PipelineWhatIfDocument(
    views::Views& views) {
  timeline::KeptPipeline& kept = views.Kept<timeline::KeptPipeline>();
  if (!kept.status().ok()) {
    return absl::Status(
        kept.status().code(),
        fmt::format("what_if needs the workers of a pipeline-parallel job: {}. "
                    "critical_path -what_if 'REGEX=2x' says what a single step "
                    "of any profile would take if operations were faster",
                    std::string(kept.status().message())));
  }
  const timeline::Pipeline& pipeline = kept.pipeline();
  const timeline::PipelineWhatIf& what_if = kept.WhatIf(views.work());
  tables::DataDocument document;
  document.kind = "what_if";
  const auto fact = [&](const char* name, const char* title, util::Unit unit,
                        const tables::DataCell& value) {
    document.facts.push_back({{name, title, unit}, value});
  };
  fact("S", "Slowdown by unequal lengths (S)", util::Unit::kNumber,
       what_if.slowdown);
  fact("L", "Slowdown by late begins (L)", util::Unit::kNumber, what_if.late);
  fact("recorded_step_micros", "Step as recorded", util::Unit::kMicros,
       what_if.recorded);
  fact("step_micros", "Step without late begins", util::Unit::kMicros,
       what_if.own);
  fact("ideal_step_micros", "Step with equal lengths too", util::Unit::kMicros,
       what_if.ideal);
  fact("M_W", "Of the loss, by the worst 3 % of workers (M_W)",
       util::Unit::kShare, MaybeCell(what_if.worst_workers));
  fact("M_S", "Of the loss, by the last stage (M_S)", util::Unit::kShare,
       MaybeCell(what_if.last_stage));
  fact("steps_left_out", pipeline.left_out().empty() ? "" : "Steps left out",
       util::Unit::kCount, static_cast<int64_t>(pipeline.left_out().size()));
  const auto add = [&](const char* title, tables::DataTable table) {
    document.parts.push_back({title, std::move(table)});
  };
  add("Types of operations", TypesTable(what_if));
  add("Data-parallel ranks",
      PartsTable("dp_ranks", "dp", pipeline.dps(), what_if.dps));
  add("Stages of the pipeline",
      PartsTable("stages", "stage", pipeline.stages(), what_if.stages));
  add("Workers", WorkersTable(pipeline, what_if));
  add("Steps", StepsTable(pipeline, what_if));
  return document;
}

}  // namespace tfprof::inspect
