// Profile::WithTexts().

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_set.h"
#include "profile/attr_value.h"
#include "profile/profile.h"
#include "util/files/wire_writer.h"

namespace tfprof::profile {
namespace {

// The field `s` of an AttrValue.
constexpr uint32_t kAttrText = 2;

// The details of another reader with changed texts.
class ChangedDetails : public DetailReader {
 public:
  ChangedDetails(std::shared_ptr<const DetailReader> reader,
                 const TextChange& change)
      : reader_(std::move(reader)), change_(change.text) {}

  AttributeList Attributes(uint64_t offset) const override {
    AttributeList list = reader_->Attributes(offset);
    for (auto& [key, value] : list) value = Attribute(value);
    return list;
  }
  void VisitFunctions(const std::function<void(std::string_view, uint64_t)>&
                          visit) const override {
    reader_->VisitFunctions(visit);
  }
  FunctionBody Function(uint64_t offset) const override {
    return reader_->Function(offset);
  }
  std::vector<SeenShape> OutputShapes(uint64_t offset) const override {
    return reader_->OutputShapes(offset);
  }
  std::vector<std::string_view> Inputs(uint64_t offset) const override {
    std::vector<std::string_view> inputs = reader_->Inputs(offset);
    for (std::string_view& input : inputs) input = Changed(input);
    return inputs;
  }
  ExecutionDetail Execution(uint64_t offset, bool on_cpu) const override {
    return reader_->Execution(offset, on_cpu);
  }
  RecordText Text(uint64_t offset) const override {
    const RecordText text = reader_->Text(offset);
    return {.name = Changed(text.name),
            .label = Changed(text.label),
            .op = Changed(text.op)};
  }
  Transfer TransferOf(uint64_t offset) const override {
    Transfer transfer = reader_->TransferOf(offset);
    transfer.tensor = Changed(transfer.tensor);
    transfer.from = Changed(transfer.from);
    transfer.to = Changed(transfer.to);
    return transfer;
  }
  ArgumentList Arguments(uint64_t offset) const override {
    ArgumentList list = reader_->Arguments(offset);
    for (auto& [key, value] : list) {
      if (auto changed = change_(value)) value = *std::move(changed);
    }
    return list;
  }
  std::string_view NodeDef(uint64_t offset) const override {
    return reader_->NodeDef(offset);
  }
  std::string_view NodeExecStats(uint64_t offset) const override {
    return reader_->NodeExecStats(offset);
  }
  std::vector<std::string_view> StepStats() const override {
    return reader_->StepStats();
  }
  bool record_is_group() const override { return reader_->record_is_group(); }

 private:
  // Stores a text for the lifetime of this reader.
  std::string_view Keep(std::string text) const {
    const std::scoped_lock lock(mutex_);
    return *kept_.insert(std::move(text)).first;
  }
  std::string_view Changed(std::string_view text) const {
    std::optional<std::string> changed = change_(text);
    return changed ? Keep(*std::move(changed)) : text;
  }
  std::string_view Attribute(std::string_view value) const {
    const std::optional<std::string_view> text = AttrString(value);
    if (!text) return value;
    const std::optional<std::string> changed = change_(*text);
    if (!changed) return value;
    util::WireWriter w;
    w.Bytes(kAttrText, *changed);
    return Keep(std::string(w.bytes()));
  }

  std::shared_ptr<const DetailReader> reader_;
  std::function<std::optional<std::string>(std::string_view)> change_;
  mutable std::mutex mutex_;
  mutable absl::node_hash_set<std::string> kept_;
};

// Returns a pool with changed texts under the same ids; nullopt: none changes.
std::optional<StringPool> ChangedPool(const StringPool& pool,
                                      const TextChange& change) {
  std::vector<std::optional<std::string>> changed(pool.size());
  bool any = false;
  for (StringId s = 0; s < pool.size(); ++s) {
    changed[s] = change.text(pool.Get(s));
    any |= changed[s].has_value();
  }
  if (!any) return std::nullopt;
  std::optional<StringPool> made(std::in_place);
  made->Reserve(pool.size());
  for (StringId s = 0; s < pool.size(); ++s) {
    if (!changed[s]) {
      // What stayed as it was gives way to a text that became the same before.
      changed[s] = std::string(pool.Get(s));
    }
    while (made->Find(*changed[s]) != kNone) *changed[s] += '\'';
    made->Intern(*changed[s]);
  }
  return made;
}

void ChangeText(const TextChange& change, std::string& text) {
  if (auto changed = change.text(text)) text = *std::move(changed);
}

void ChangeLanes(const TextChange& change, LaneTable& lanes) {
  for (ProcessId p = 0; p < lanes.num_processes(); ++p) {
    Process& process = lanes.mutable_process(p);
    if (!process.host.empty()) process.host = change.host(process.host);
    ChangeText(change, process.name);
    ChangeText(change, process.job);
    ChangeText(change, process.label);
  }
  for (PhysicalId p = 0; p < lanes.num_physical(); ++p) {
    PhysicalDevice& device = lanes.mutable_physical(p);
    ChangeText(change, device.label);
    ChangeText(change, device.name);
  }
}

bool HasHosts(const LaneTable& lanes) {
  for (ProcessId p = 0; p < lanes.num_processes(); ++p) {
    if (!lanes.process(p).host.empty()) return true;
  }
  return false;
}

}  // namespace

Profile Profile::WithTexts(const TextChange& change) const {
  Profile made = *this;
  std::optional<StringPool> pool = ChangedPool(strings(), change);
  if (pool || HasHosts(lanes())) {
    auto graph = std::make_shared<GraphTables>(*graph_);
    if (pool) graph->strings = *std::move(pool);
    ChangeLanes(change, graph->lanes);
    made.graph_ = std::move(graph);
  }
  for (std::shared_ptr<const DetailReader>& input : made.inputs_) {
    input = std::make_shared<ChangedDetails>(std::move(input), change);
  }
  if (compile_logs_ != nullptr) {
    auto logs = std::make_shared<CompileLogs>(*compile_logs_);
    for (CompileLogs::Log& log : logs->logs) ChangeText(change, log.path);
    for (auto& row : logs->compilations) ChangeText(change, row.reason);
    for (auto& row : logs->graph_breaks) ChangeText(change, row.reason);
    for (auto& row : logs->failures) ChangeText(change, row.reason);
    made.compile_logs_ = std::move(logs);
  }
  if (collective_records_ != nullptr) {
    auto records = std::make_shared<CollectiveRecords>(*collective_records_);
    for (std::string& text : records->texts) ChangeText(change, text);
    for (auto& dump : records->dumps) ChangeText(change, dump.path);
    made.collective_records_ = std::move(records);
  }
  return made;
}

}  // namespace tfprof::profile
