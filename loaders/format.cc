#include "loaders/format.h"

#include <cstdint>
#include <span>
#include <string>

#include "util/wire.h"

namespace tfprof {
namespace {

// The beginning of a message, as far as it tells messages apart.
struct MessageSpec;
struct FieldSpec {
  uint32_t tag;
  const MessageSpec* message = nullptr;  // of a nested message
  bool text = false;                     // a string of names
  bool required = false;
};
struct MessageSpec {
  std::span<const FieldSpec> fields;
};

constexpr FieldSpec kIdEntryFields[] = {{VarintTag(1)}, {LengthTag(2)}};
constexpr MessageSpec kIdEntry = {kIdEntryFields};
constexpr FieldSpec kIntEntryFields[] = {{VarintTag(1)}, {VarintTag(2)}};
constexpr MessageSpec kIntEntry = {kIntEntryFields};

// A name may be empty, which proto3 leaves out.
constexpr FieldSpec kNodeDefFields[] = {{LengthTag(1), nullptr, true},
                                        {LengthTag(2), nullptr, true, true},
                                        {LengthTag(3), nullptr, true},
                                        {LengthTag(4), nullptr, true},
                                        {LengthTag(5)},
                                        {LengthTag(6)},
                                        {LengthTag(7)}};
constexpr MessageSpec kNodeDef = {kNodeDefFields};
constexpr FieldSpec kGraphDefFields[] = {{LengthTag(1), &kNodeDef},
                                         {LengthTag(2)},
                                         {VarintTag(3)},
                                         {LengthTag(4)},
                                         {LengthTag(5)}};
constexpr MessageSpec kGraphDef = {kGraphDefFields};

constexpr FieldSpec kNodeExecFields[] = {{LengthTag(1), nullptr, true},
                                         {VarintTag(2)},
                                         {VarintTag(3)},
                                         {VarintTag(4)},
                                         {VarintTag(5)},
                                         {LengthTag(6)},
                                         {LengthTag(7)},
                                         {LengthTag(8)},
                                         {VarintTag(9)},
                                         {VarintTag(10)},
                                         {LengthTag(11)},
                                         {LengthTag(12)},
                                         {VarintTag(13)},
                                         {VarintTag(14)},
                                         {VarintTag(15)},
                                         {VarintTag(16)},
                                         {VarintTag(17)}};
constexpr MessageSpec kNodeExec = {kNodeExecFields};
constexpr FieldSpec kDevStatsFields[] = {{LengthTag(1), nullptr, true, true},
                                         {LengthTag(2), &kNodeExec},
                                         {LengthTag(3)}};
constexpr MessageSpec kDevStats = {kDevStatsFields};
constexpr FieldSpec kStepStatsFields[] = {{LengthTag(1), &kDevStats}};
constexpr MessageSpec kStepStats = {kStepStatsFields};
constexpr FieldSpec kRunMetadataFields[] = {{LengthTag(1), &kStepStats},
                                            {LengthTag(2)},
                                            {LengthTag(3)},
                                            {LengthTag(4)},
                                            {LengthTag(5)}};
constexpr MessageSpec kRunMetadata = {kRunMetadataFields};

constexpr FieldSpec kCodeDefFields[] = {{LengthTag(1)}};
constexpr MessageSpec kCodeDef = {kCodeDefFields};
constexpr FieldSpec kLogEntryFields[] = {{LengthTag(1), nullptr, true, true},
                                         {VarintTag(2)},
                                         {LengthTag(3), nullptr, true},
                                         {LengthTag(4), &kCodeDef}};
constexpr MessageSpec kLogEntry = {kLogEntryFields};
constexpr FieldSpec kOpLogFields[] = {{LengthTag(1), &kLogEntry},
                                      {LengthTag(2), &kIdEntry}};
constexpr MessageSpec kOpLog = {kOpLogFields};

constexpr FieldSpec kProfileNodeFields[] = {{LengthTag(1), nullptr, true},
                                            {LengthTag(2), &kIntEntry},
                                            {LengthTag(3), &kIntEntry},
                                            {LengthTag(4)},
                                            {VarintTag(4)},
                                            {LengthTag(5), nullptr, true},
                                            {LengthTag(6), nullptr, true},
                                            {LengthTag(7), nullptr, true},
                                            {VarintTag(8)},
                                            {LengthTag(9), nullptr, true},
                                            {LengthTag(10)},
                                            {LengthTag(11)},
                                            {LengthTag(12)},
                                            {VarintTag(13)},
                                            {LengthTag(14)},
                                            {LengthTag(15)},
                                            {LengthTag(16)},
                                            {LengthTag(1000)},
                                            {LengthTag(1001)},
                                            {VarintTag(1002)}};
constexpr MessageSpec kProfileNode = {kProfileNodeFields};
constexpr FieldSpec kNodeEntryFields[] = {{VarintTag(1)},
                                          {LengthTag(2), &kProfileNode}};
constexpr MessageSpec kNodeEntry = {kNodeEntryFields};
constexpr FieldSpec kProfileFields[] = {
    {LengthTag(1), &kNodeEntry}, {VarintTag(2)}, {VarintTag(3)}, {LengthTag(3)},
    {LengthTag(4), &kIdEntry},   {VarintTag(5)}};
constexpr MessageSpec kProfile = {kProfileFields};

// Fields looked at per candidate. The first records tell.
constexpr int kMaxFields = 256;

// A string of names does not begin with a control character; a nested message
// nearly always does.
bool LooksLikeText(std::string_view s) {
  return s.empty() || static_cast<unsigned char>(s[0]) >= 0x20 || s[0] == '\t';
}

// The number of fields that fit; 0: it is not this message. `cut`: the file
// ends inside of it.
int Match(std::string_view bytes, const MessageSpec& spec, int depth,
          int& budget, bool cut = false) {
  int fits = 0;
  uint64_t seen = 0;
  WireReader r(bytes);
  bool more = r.Next();
  while (more && budget-- > 0) {
    const FieldSpec* field = nullptr;
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (spec.fields[i].tag != r.tag()) continue;
      field = &spec.fields[i];
      seen |= uint64_t{1} << i;
    }
    if (field == nullptr) return 0;
    ++fits;
    if (field->text && !LooksLikeText(r.view())) return 0;
    // Without a budget nothing was looked at, which is no mismatch.
    if (field->message != nullptr && depth < 4 && budget > 0 &&
        !r.view().empty()) {
      const int inner = Match(r.view(), *field->message, depth + 1, budget);
      if (inner == 0) return 0;
      fits += inner;
    }
    more = r.Next();
  }
  if (r.damaged()) {
    // Cut off in a long field is still what it is; anything else is not.
    if (r.rest().empty() || depth > 3) {
      return cut ? fits : fits > 0 && depth == 0 ? 1 : 0;
    }
    const FieldSpec* field = nullptr;
    for (const FieldSpec& f : spec.fields) {
      if (f.tag == r.tag()) field = &f;
    }
    if (field == nullptr) return 0;
    if (field->text && !LooksLikeText(r.rest())) return 0;
    if (field->message == nullptr) return fits + 1;
    return fits + Match(r.rest(), *field->message, depth + 1, budget,
                        /*cut=*/true);
  }
  for (size_t i = 0; budget > 0 && i < spec.fields.size(); ++i) {
    if (spec.fields[i].required && !(seen >> i & 1)) return 0;
  }
  return fits;
}

Format SniffText(std::string_view bytes) {
  // Past blanks and comments to the first word, which must begin a field.
  size_t i = 0;
  for (;;) {
    while (i < bytes.size() && (bytes[i] == ' ' || bytes[i] == '\t' ||
                                bytes[i] == '\r' || bytes[i] == '\n')) {
      ++i;
    }
    if (i == bytes.size() || bytes[i] != '#') break;
    while (i < bytes.size() && bytes[i] != '\n') ++i;
  }
  size_t end = i;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  };
  while (end < bytes.size() && is_word(bytes[end])) ++end;
  const std::string_view word = bytes.substr(i, end - i);
  while (end < bytes.size() && bytes[end] == ' ') ++end;
  if (end == bytes.size() ||
      (bytes[end] != '{' && bytes[end] != ':' && bytes[end] != '<' &&
       bytes[end] != '\n' && bytes[end] != '[')) {
    return Format::kUnknown;
  }
  for (const char* name : {"node", "library", "versions", "version"}) {
    if (word == name) return Format::kGraphDef;
  }
  for (const char* name :
       {"step_stats", "cost_graph", "partition_graphs", "function_graphs"}) {
    if (word == name) return Format::kRunMetadata;
  }
  if (word == "log_entries") return Format::kOpLog;
  if (word == "id_to_string") {
    return bytes.find("\nnodes") != bytes.npos ? Format::kProfileProto
                                               : Format::kOpLog;
  }
  for (const char* name :
       {"nodes", "has_trace", "steps", "miss_accelerator_stream"}) {
    if (word == name) return Format::kProfileProto;
  }
  return Format::kUnknown;
}

struct Candidate {
  Format format;
  const MessageSpec* spec;
};
constexpr Candidate kCandidates[] = {
    {Format::kProfileProto, &kProfile},
    {Format::kRunMetadata, &kRunMetadata},
    {Format::kGraphDef, &kGraphDef},
    {Format::kOpLog, &kOpLog},
};

// The last 8 bytes of a sorted table, in file order.
constexpr std::string_view kTableMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);

}  // namespace

Sniffed SniffFormat(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (bytes.size() >= 48 &&
      bytes.substr(bytes.size() - kTableMagic.size()) == kTableMagic) {
    return {Format::kCheckpoint, false};
  }
  if (const Format text = SniffText(bytes); text != Format::kUnknown) {
    return {text, true};
  }
  Format best = Format::kUnknown;
  int best_fits = 0;
  for (const Candidate& candidate : kCandidates) {
    int budget = kMaxFields;
    const int fits = Match(bytes, *candidate.spec, 0, budget);
    if (fits > best_fits) {
      best = candidate.format;
      best_fits = fits;
    }
  }
  return {best, false};
}

bool MayBe(std::string_view bytes, Format format) {
  for (const Candidate& candidate : kCandidates) {
    int budget = kMaxFields;
    if (candidate.format == format) {
      return Match(bytes, *candidate.spec, 0, budget) > 0;
    }
  }
  return false;
}

std::string_view FormatName(Format format) {
  switch (format) {
    case Format::kGraphDef:
      return "GraphDef";
    case Format::kRunMetadata:
      return "RunMetadata";
    case Format::kOpLog:
      return "OpLogProto";
    case Format::kProfileProto:
      return "ProfileProto";
    case Format::kCheckpoint:
      return "checkpoint";
    case Format::kUnknown:
      break;
  }
  return "unknown file";
}

std::string_view FormatFlag(Format format) {
  switch (format) {
    case Format::kGraphDef:
      return "--graph_path";
    case Format::kRunMetadata:
      return "--run_meta_path";
    case Format::kOpLog:
      return "--op_log_path";
    case Format::kProfileProto:
      return "--profile_path";
    case Format::kCheckpoint:
      return "--checkpoint_path";
    case Format::kUnknown:
      break;
  }
  return "";
}

}  // namespace tfprof
