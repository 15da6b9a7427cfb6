#include "tests/fuzz/inspect.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "accounting/counted_memory.h"
#include "advisor/advice.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/health_table.h"
#include "exporters/formats/profile_proto.h"
#include "exporters/reference/pprof.h"
#include "exporters/reference/text.h"
#include "exporters/reference/timeline.h"
#include "flops/graph_flops.h"
#include "inspect/devices/devices.h"
#include "inspect/nodes/children.h"
#include "inspect/nodes/find_node.h"
#include "inspect/nodes/neighbours.h"
#include "inspect/nodes/node.h"
#include "inspect/nodes/place.h"
#include "inspect/nodes/top.h"
#include "inspect/steps/steps.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "profile/check.h"
#include "profile/tensor_source.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"
#include "views/views.h"

namespace tfprof {
namespace {

// Prevents the compiler from removing the computations.
volatile uint64_t consumed;

void Consume(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  consumed = consumed + sum;
}

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

std::string Save(const profile::Profile& profile) {
  util::StringSink sink;
  Require(exporters::WriteProfileProto(profile, sink).ok(),
          "a profile can be saved");
  return sink.text();
}

profile::Profile Open(const std::string& bytes) {
  loaders::LoadContext context;
  const auto file = loaders::InputFile::FromBytes("saved", bytes);
  Require(tensorflow::LoadProfileProto(file, context).ok(),
          "a saved profile opens");
  Require(!context.log.damaged(), "a saved profile has no damage");
  return std::move(context.builder).Build();
}

// A cheap source of tensors, in which most names have a value.
class AnyTensor : public profile::TensorSource {
 public:
  const std::vector<profile::TensorInfo>& tensors() const override {
    return none_;
  }
  absl::StatusOr<profile::TensorValue> Read(
      std::string_view name) const override {
    if (name.size() % 3 == 0) return absl::NotFoundError("no such tensor");
    profile::TensorValue value;
    value.dtype = 7;
    value.shape = {1};
    value.strings.emplace_back(name);
    return value;
  }

 private:
  std::vector<profile::TensorInfo> none_;
};

std::string Text(const views::Report& report) {
  util::StringSink sink;
  const AnyTensor tensors;
  uint64_t warnings = 0;
  exporters::WriteText(
      report, &tensors, [&](std::string_view line) { warnings += line.size(); },
      sink);
  consumed = consumed + warnings;
  return sink.text();
}

// Runs all checkers, also on steps that are too short to judge.
void Advise(views::Views& views) {
  const loaders::ImportLog log;
  for (const advisor::Checker* checker : advisor::Checkers()) {
    const advisor::CheckResult result = checker->check(
        {views, log},
        advisor::CheckerSettings(checker->options, {{"min_step", 0}}));
    for (const advisor::Finding& finding : result.findings) {
      // Findings of the reference checkers may lack a text.
      Require(checker->kind == advisor::Checker::Kind::kReference ||
                  !finding.text.empty(),
              "a finding says something");
      Require(std::isfinite(finding.value), "a finding has a number");
    }
  }
}

void Consume(const tables::DataTable& table) {
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    Require(cells.size() == table.columns.size(), "a row has all cells");
  }
  Require(table.total_rows >= table.num_rows, "no row is made up");
}

// Makes the tables of the commands in inspect/.
void LookAround(views::Views& views) {
  const profile::Profile& profile = views.profile();
  const views::ViewOptions options;
  for (const std::string_view path : {"/", "a", "code:", "code:/a"}) {
    const absl::StatusOr<inspect::Place> place =
        inspect::FindPlace(views, {}, path);
    if (!place.ok()) continue;
    Consume(inspect::PlaceText(views, *place));
    Consume(inspect::ChildrenTable(views, *place, options));
    Consume(inspect::TopTable(views, *place, options, 3));
  }
  Consume(inspect::StepsTable(views, -1, 0));
  Consume(inspect::DevicesTable(views, -1));
  const loaders::ImportLog log;
  Consume(advisor::HealthTable(advisor::RunCheckers(
      {views, log}, advisor::HealthCheckers(advisor::Checkers()),
      advisor::CheckerValues())));
  constexpr profile::NodeId kMaxNodes = 4;
  for (profile::NodeId n = 0; n < profile.nodes().size() && n < kMaxNodes;
       ++n) {
    Require(inspect::FindNode(views, {}, profile.node_name(n)).ok() ||
                profile.node_name(n).starts_with('/'),
            "a node is found by its name");
    Consume(inspect::PeekTable(views, n, -1, 0));
    const tables::DataDocument document =
        inspect::NodeDocument(views, n, options, 0);
    for (const tables::DataDocument::Part& part : document.parts)
      Consume(part.table);
  }
}

}  // namespace

void ReadEverything(const profile::Profile& profile) {
  const absl::Status whole = profile::CheckProfile(profile);
  Require(whole.ok(), std::string(whole.message()).c_str());
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    for (const auto& [key, value] : profile.Attributes(n)) {
      Consume(key);
      Consume(value);
    }
    for (const profile::FrameId f :
         profile.graph().stacks.Frames(profile.nodes().stack[n])) {
      consumed = consumed + profile.graph().stacks.frame(f).lineno;
    }
  }
  for (const int64_t flops : flops::ComputeGraphFlops(profile).flops) {
    Require(flops >= 0, "computed float operations are not negative");
  }
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const profile::ExecutionDetail detail =
          accounting::CountedMemory(profile, *step, g);
      consumed = consumed + detail.allocations.size() + detail.memory.size();
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      Consume(
          profile.Text(static_cast<profile::RecordRef>(step->exec_record[e]))
              .label);
    }
  }
  views::Views views(profile);
  Consume(Text(views.Show(views::View::kOp, views::ViewOptions())));
  Advise(views);
  LookAround(views);
}

void SaveAnything(const profile::Profile& profile) { Consume(Save(profile)); }

void SaveAndReopen(const profile::Profile& profile) {
  const profile::Profile reopened = Open(Save(profile));
  Require(reopened.nodes().size() == profile.nodes().size(),
          "a saved profile has the same nodes");
  // The input may have data that the reader does not restore, see
  // loaders/tensorflow/profile_proto/profile_proto.h.
  const std::string saved = Save(reopened);
  Require(Save(Open(saved)) == saved, "a saved profile saves as it was");
}

void ShowEverything(const profile::Profile& profile,
                    const views::ViewOptions& options) {
  views::ViewOptions valid = options;
  if (valid.step >= 0 && profile.FindStep(valid.step) == nullptr) {
    valid.step = -1;
  }
  views::Views views(profile);
  for (const views::View view : {views::View::kScope, views::View::kGraph,
                                 views::View::kOp, views::View::kCode}) {
    const views::Report report = views.Show(view, valid);
    const std::string text = Text(report);
    Require(Text(views.Show(view, valid)) == text,
            "a view shown again is the same");
    if (view == views::View::kOp) continue;
    util::StringSink timeline;
    if (view != views::View::kGraph) {
      exporters::WriteNestedTimeline(report, timeline);
    } else if (valid.step >= 0) {
      exporters::WriteGraphTimeline(report, valid.step, timeline);
    } else {
      for (const auto& step : profile.steps()) {
        if (!step->listed) continue;
        views::ViewOptions of_step = valid;
        of_step.step = step->id;
        exporters::WriteGraphTimeline(views.Show(view, of_step), step->id,
                                      timeline);
      }
    }
    Consume(timeline.text());
    if (view != views::View::kCode) continue;
    for (const views::Field field :
         {accounting::kMicros, accounting::kParameters}) {
      const auto encoded =
          exporters::EncodePprof(report, field, *report.node_stats);
      Require(encoded.ok(), "a small code view goes into a pprof profile");
      util::StringSink compressed;
      Require(util::GzipCompress(*encoded, compressed).ok(),
              "a small pprof profile can be compressed");
      Consume(compressed.text());
    }
  }
}

}  // namespace tfprof
