#include "loaders/perfetto/records.h"

#include "loaders/perfetto/annotations.h"
#include "loaders/perfetto/gpu_events.h"
#include "loaders/perfetto/trace_reader.h"
#include "loaders/perfetto/track_events.h"
#include "util/json/json_string.h"

namespace tfprof::perfetto {

void AppendArguments(const Record& record, const TraceState& state,
                     bool only_facts, PacketLog* log, std::string& json) {
  const TextFinder texts = {.texts = state.texts[record.texts], .log = log};
  if (record.is_work != 0) {
    AppendWorkArguments(record.bytes(), texts, json);
  } else {
    AppendAnnotations(record.bytes(), texts, state.is_own, only_facts, json);
  }
}

std::string_view JsonContent(std::string_view name, std::string& buffer) {
  if (NeedsNoEscape(name)) return name;
  buffer.clear();
  util::AppendJsonString(name, &buffer);
  return std::string_view(buffer).substr(1, buffer.size() - 2);
}

bool RecordDetails::ReadEvent(uint64_t offset, std::string& buffer,
                              chrome_json::TraceEvent& event) const {
  if (offset == 0 || offset > records_->size()) return false;
  const Record& record = (*records_)[offset - 1];
  const TextFinder texts = {.texts = state_->texts[record.texts]};
  std::vector<uint64_t> flows;
  const std::string_view name =
      record.is_work != 0
          ? ReadGpuWork(record.bytes(), texts, flows).slice.name
          : ReadTrackEvent(record.bytes(), texts, state_->is_own, flows)
                .slice.name;
  std::string escaped;
  const std::string_view content =
      JsonContent(name.substr(0, kMaxName), escaped);
  const bool in_buffer = !content.empty() && !escaped.empty();
  buffer.assign(in_buffer ? content : std::string_view());
  const size_t begin = buffer.size();
  buffer += '{';
  AppendArguments(record, *state_, /*only_facts=*/false, nullptr, buffer);
  buffer += '}';
  event = {};
  event.phase = 'X';
  event.offset = offset;
  event.name = in_buffer ? std::string_view(buffer).substr(0, begin) : content;
  event.args = std::string_view(buffer).substr(begin);
  return true;
}

}  // namespace tfprof::perfetto
