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

std::string Save(const Profile& profile) {
  StringSink sink;
  Require(WriteProfileProto(profile, sink).ok(), "a profile can be saved");
  return sink.text();
}

Profile Open(const std::string& bytes) {
  LoadContext context;
  const auto file = InputFile::FromBytes("saved", bytes);
  Require(LoadProfileProto(file, context).ok(), "a saved profile opens");
  Require(!context.log.damaged(), "a saved profile has no damage");
  return std::move(context.builder).Build();
}

// A cheap source of tensors, in which most names have a value.
class AnyTensor : public TensorSource {
 public:
  const std::vector<TensorInfo>& tensors() const override { return none_; }
  absl::StatusOr<TensorValue> Read(std::string_view name) const override {
    if (name.size() % 3 == 0) return absl::NotFoundError("no such tensor");
    TensorValue value;
    value.dtype = 7;
    value.shape = {1};
    value.strings.emplace_back(name);
    return value;
  }

 private:
  std::vector<TensorInfo> none_;
};

std::string Text(const Report& report) {
  StringSink sink;
  const AnyTensor tensors;
  uint64_t warnings = 0;
  WriteText(
      report, &tensors, [&](std::string_view line) { warnings += line.size(); },
      sink);
  consumed = consumed + warnings;
  return sink.text();
}

// Runs all checkers, also on steps that are too short to judge.
void Advise(Views& views) {
  const ImportLog log;
  for (const Checker* checker : Checkers()) {
    const CheckResult result = checker->check(
        {views, log}, CheckerSettings(checker->options, {{"min_step", 0}}));
    for (const Finding& finding : result.findings) {
      // Findings of the reference checkers may lack a text.
      Require(
          checker->kind == Checker::Kind::kReference || !finding.text.empty(),
          "a finding says something");
      Require(std::isfinite(finding.value), "a finding has a number");
    }
  }
}

void Consume(const DataTable& table) {
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    Require(cells.size() == table.columns.size(), "a row has all cells");
  }
  Require(table.total_rows >= table.num_rows, "no row is made up");
}

// Makes the tables of the commands in inspect/.
void LookAround(Views& views) {
  const Profile& profile = views.profile();
  const ViewOptions options;
  for (const std::string_view path : {"/", "a", "code:", "code:/a"}) {
    const absl::StatusOr<Place> place = FindPlace(views, {}, path);
    if (!place.ok()) continue;
    Consume(PlaceText(views, *place));
    Consume(ChildrenTable(views, *place, options));
    Consume(TopTable(views, *place, options, 3));
  }
  Consume(StepsTable(views, -1, 0));
  Consume(DevicesTable(views, -1));
  const ImportLog log;
  Consume(HealthTable(
      RunCheckers({views, log}, HealthCheckers(Checkers()), CheckerValues())));
  constexpr NodeId kMaxNodes = 4;
  for (NodeId n = 0; n < profile.nodes().size() && n < kMaxNodes; ++n) {
    Require(FindNode(views, {}, profile.node_name(n)).ok() ||
                profile.node_name(n).starts_with('/'),
            "a node is found by its name");
    Consume(PeekTable(views, n, -1, 0));
    const DataDocument document = NodeDocument(views, n, options, 0);
    for (const DataDocument::Part& part : document.parts) Consume(part.table);
  }
}

}  // namespace

void ReadEverything(const Profile& profile) {
  for (NodeId n = 0; n < profile.nodes().size(); ++n) {
    for (const auto& [key, value] : profile.Attributes(n)) {
      Consume(key);
      Consume(value);
    }
    for (const FrameId f :
         profile.graph().stacks.Frames(profile.nodes().stack[n])) {
      consumed = consumed + profile.graph().stacks.frame(f).lineno;
    }
  }
  for (const int64_t flops : ComputeGraphFlops(profile).flops) {
    Require(flops >= 0, "computed float operations are not negative");
  }
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const ExecutionDetail detail = CountedMemory(profile, *step, g);
      consumed = consumed + detail.allocations.size() + detail.memory.size();
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      Consume(profile.Text(static_cast<RecordRef>(step->exec_record[e])).label);
    }
  }
  Views views(profile);
  Consume(Text(views.Show(View::kOp, ViewOptions())));
  Advise(views);
  LookAround(views);
}

void SaveAnything(const Profile& profile) { Consume(Save(profile)); }

void SaveAndReopen(const Profile& profile) {
  const Profile reopened = Open(Save(profile));
  Require(reopened.nodes().size() == profile.nodes().size(),
          "a saved profile has the same nodes");
  // The input may have data that the reader does not restore, see
  // loaders/tensorflow/profile_proto/profile_proto.h.
  const std::string saved = Save(reopened);
  Require(Save(Open(saved)) == saved, "a saved profile saves as it was");
}

void ShowEverything(const Profile& profile, const ViewOptions& options) {
  ViewOptions valid = options;
  if (valid.step >= 0 && profile.FindStep(valid.step) == nullptr) {
    valid.step = -1;
  }
  Views views(profile);
  for (const View view : {View::kScope, View::kGraph, View::kOp, View::kCode}) {
    const Report report = views.Show(view, valid);
    const std::string text = Text(report);
    Require(Text(views.Show(view, valid)) == text,
            "a view shown again is the same");
    if (view == View::kOp) continue;
    StringSink timeline;
    if (view != View::kGraph) {
      WriteNestedTimeline(report, timeline);
    } else if (valid.step >= 0) {
      WriteGraphTimeline(report, valid.step, timeline);
    } else {
      for (const auto& step : profile.steps()) {
        if (!step->listed) continue;
        ViewOptions of_step = valid;
        of_step.step = step->id;
        WriteGraphTimeline(views.Show(view, of_step), step->id, timeline);
      }
    }
    Consume(timeline.text());
    if (view != View::kCode) continue;
    for (const Field field : {kMicros, kParameters}) {
      const auto encoded = EncodePprof(report, field, *report.node_stats);
      Require(encoded.ok(), "a small code view goes into a pprof profile");
      StringSink compressed;
      Require(GzipCompress(*encoded, compressed).ok(),
              "a small pprof profile can be compressed");
      Consume(compressed.text());
    }
  }
}

}  // namespace tfprof
