#include "loaders/saved_trace/details.h"

#include <string>

#include "loaders/saved_trace/columns.h"
#include "loaders/saved_trace/fields.h"
#include "util/files/wire.h"

namespace tfprof::saved_trace {

std::string_view SavedTraceDetails::Message(uint64_t offset,
                                            uint32_t field) const {
  util::WireReader r(file_->bytes().substr(offset));
  return r.Next() && r.tag() == util::LengthTag(field) ? r.view()
                                                       : std::string_view();
}

profile::AttributeList SavedTraceDetails::Attributes(uint64_t offset) const {
  profile::AttributeList attributes;
  util::WireReader r(Message(offset, saved_trace::kNodeDetail));
  while (r.Next()) {
    if (r.tag() != util::LengthTag(trace_node_detail::kAttribute)) continue;
    std::string_view key, value;
    util::WireReader attribute(r.view());
    while (attribute.Next()) {
      if (attribute.tag() == util::LengthTag(trace_attribute::kKey)) {
        key = attribute.view();
      }
      if (attribute.tag() == util::LengthTag(trace_attribute::kValue)) {
        value = attribute.view();
      }
    }
    attributes.push_back({key, value});
  }
  return attributes;
}

std::vector<std::string_view> SavedTraceDetails::Inputs(uint64_t offset) const {
  std::vector<std::string_view> inputs;
  util::WireReader r(Message(offset, saved_trace::kNodeDetail));
  while (r.Next()) {
    if (r.tag() == util::LengthTag(trace_node_detail::kInput)) {
      inputs.push_back(r.view());
    }
  }
  return inputs;
}

profile::RecordText SavedTraceDetails::Text(uint64_t offset) const {
  profile::RecordText text;
  Columns c;
  if (!c.Read(Message(offset, saved_trace::kRecord))) return text;
  text.name = String(c.Number(trace_record::kName) - 1);
  text.label = String(c.Number(trace_record::kLabel) - 1);
  text.op = String(c.Number(trace_record::kOp) - 1);
  return text;
}

profile::Transfer SavedTraceDetails::TransferOf(uint64_t offset) const {
  profile::Transfer transfer;
  Columns c;
  if (!c.Read(Message(offset, saved_trace::kRecord)) ||
      c.Size(trace_record::kCopyBytes) == 0) {
    return transfer;
  }
  const int64_t kind = c.Number(trace_record::kCopyKind);
  if (kind >= 0 && kind < profile::kNumCopyKinds) {
    transfer.kind = static_cast<profile::CopyKind>(kind);
  }
  transfer.bytes = c.Number(trace_record::kCopyBytes);
  transfer.tensor = String(c.Number(trace_record::kTensor) - 1);
  transfer.from = String(c.Number(trace_record::kFrom) - 1);
  transfer.to = String(c.Number(trace_record::kTo) - 1);
  return transfer;
}

profile::ArgumentList SavedTraceDetails::Arguments(uint64_t offset) const {
  profile::ArgumentList arguments;
  Columns c;
  if (!c.Read(Message(offset, saved_trace::kRecord))) return arguments;
  const std::span<const int64_t> texts = c[trace_record::kArguments];
  for (size_t i = 0; i + 1 < texts.size(); i += 2) {
    arguments.push_back(
        {std::string(String(texts[i])), std::string(String(texts[i + 1]))});
  }
  return arguments;
}

}  // namespace tfprof::saved_trace
