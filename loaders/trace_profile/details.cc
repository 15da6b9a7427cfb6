#include "loaders/trace_profile/details.h"

#include <string>

#include "loaders/trace_profile/columns.h"
#include "loaders/trace_profile/fields.h"
#include "util/files/wire.h"

namespace tfprof {

std::string_view TraceProfileDetails::Message(uint64_t offset,
                                              uint32_t field) const {
  WireReader r(file_->bytes().substr(offset));
  return r.Next() && r.tag() == LengthTag(field) ? r.view()
                                                 : std::string_view();
}

AttributeList TraceProfileDetails::Attributes(uint64_t offset) const {
  AttributeList attributes;
  WireReader r(Message(offset, trace_profile::kNodeDetail));
  while (r.Next()) {
    if (r.tag() != LengthTag(trace_node_detail::kAttribute)) continue;
    std::string_view key, value;
    WireReader attribute(r.view());
    while (attribute.Next()) {
      if (attribute.tag() == LengthTag(trace_attribute::kKey)) {
        key = attribute.view();
      }
      if (attribute.tag() == LengthTag(trace_attribute::kValue)) {
        value = attribute.view();
      }
    }
    attributes.push_back({key, value});
  }
  return attributes;
}

std::vector<std::string_view> TraceProfileDetails::Inputs(
    uint64_t offset) const {
  std::vector<std::string_view> inputs;
  WireReader r(Message(offset, trace_profile::kNodeDetail));
  while (r.Next()) {
    if (r.tag() == LengthTag(trace_node_detail::kInput)) {
      inputs.push_back(r.view());
    }
  }
  return inputs;
}

RecordText TraceProfileDetails::Text(uint64_t offset) const {
  RecordText text;
  Columns c;
  if (!c.Read(Message(offset, trace_profile::kRecord))) return text;
  text.name = String(c.Number(trace_record::kName) - 1);
  text.label = String(c.Number(trace_record::kLabel) - 1);
  text.op = String(c.Number(trace_record::kOp) - 1);
  return text;
}

Transfer TraceProfileDetails::TransferOf(uint64_t offset) const {
  Transfer transfer;
  Columns c;
  if (!c.Read(Message(offset, trace_profile::kRecord)) ||
      c.Size(trace_record::kCopyBytes) == 0) {
    return transfer;
  }
  const int64_t kind = c.Number(trace_record::kCopyKind);
  if (kind >= 0 && kind < kNumCopyKinds) {
    transfer.kind = static_cast<CopyKind>(kind);
  }
  transfer.bytes = c.Number(trace_record::kCopyBytes);
  transfer.tensor = String(c.Number(trace_record::kTensor) - 1);
  transfer.from = String(c.Number(trace_record::kFrom) - 1);
  transfer.to = String(c.Number(trace_record::kTo) - 1);
  return transfer;
}

ArgumentList TraceProfileDetails::Arguments(uint64_t offset) const {
  ArgumentList arguments;
  Columns c;
  if (!c.Read(Message(offset, trace_profile::kRecord))) return arguments;
  const std::span<const int64_t> texts = c[trace_record::kArguments];
  for (size_t i = 0; i + 1 < texts.size(); i += 2) {
    arguments.push_back(
        {std::string(String(texts[i])), std::string(String(texts[i + 1]))});
  }
  return arguments;
}

}  // namespace tfprof
