#include "loaders/rocprof/tool_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "loaders/rocprof/numbers.h"
#include "loaders/rocprof/trace_events.h"
#include "util/json/json_reader.h"
#include "util/run/cancellation.h"

namespace tfprof::rocprof {
namespace {

using gpu_trace::HostKind;
using loaders::ByteNotes;
using loaders::ImportLog;
using util::JsonReader;

constexpr std::string_view kTool = "rocprofiler-sdk-tool";
// How much of a file is searched for it.
constexpr size_t kLookAt = 4 << 20;
// The user may cancel after so many records.
constexpr int64_t kRecordsBetweenChecks = 4096;
// Agent::type of a GPU.
constexpr uint64_t kGpuType = 2;

enum class RecordTable : uint8_t {
  kKernels,
  kCopies,
  kHip,
  kHsa,
  kApi,
  kMarkers
};

// The arrays of buffer_records that are read.
constexpr std::pair<std::string_view, RecordTable> kRecordTables[] = {
    {"kernel_dispatch", RecordTable::kKernels},
    {"memory_copy", RecordTable::kCopies},
    {"hip_api", RecordTable::kHip},
    {"hsa_api", RecordTable::kHsa},
    {"rccl_api", RecordTable::kApi},
    {"rocdecode_api", RecordTable::kApi},
    {"rocjpeg_api", RecordTable::kApi},
    {"marker_api", RecordTable::kMarkers}};

// A record as the file has it. Names may come later in the file.
struct ToolRecord {
  gpu_trace::Times times;
  std::optional<uint64_t> kind, operation, kernel;
  std::optional<uint64_t> correlation, thread, stream, queue;
  std::optional<uint64_t> agent, source, destination;
  std::optional<uint64_t> bytes;
};

// What is kept of a record of work until the names are known.
struct ToolWork {
  int64_t start, end;
  uint64_t correlation;
  uint64_t name;    // id of the kernel, or place in `operations`
  uint64_t agent;   // the one that copies end on
  uint64_t source;  // of a copy
  int64_t stream, bytes;
  bool is_copy;
};

// The same of a call or range.
struct ToolHost {
  int64_t start, end, thread;
  uint64_t correlation;
  uint64_t name;
  RecordTable table;
};

struct ToolAgent {
  bool is_gpu = false;
  int64_t number = 0;
};

// What the file lacks, of records without a number.
constexpr uint64_t kMissing = ~uint64_t{0};
constexpr int kOperationBits = 32;

// A name in `strings`.
uint64_t PlaceOf(const ToolRecord& record) {
  if (!record.kind || !record.operation ||
      *record.kind >= uint64_t{1} << (64 - kOperationBits) ||
      *record.operation >= uint64_t{1} << kOperationBits) {
    return kMissing;
  }
  return *record.kind << kOperationBits | *record.operation;
}

class ToolReader {
 public:
  ToolReader(std::shared_ptr<const loaders::InputFile> file,
             loaders::LoadContext& context, ByteNotes* notes)
      : file_(*file),
        context_(context),
        notes_(notes),
        reader_(file->bytes()),
        events_(std::move(file), context) {}

  absl::StatusOr<gpu_trace::GpuTrace> Read() {
    std::string_view key;
    bool found = false;
    const bool is_object = reader_.EnterObject();
    size_t end = 0;
    while (is_object && reader_.NextDecodedMember(key)) {
      if (key == kTool) {
        found = true;
        Each([&] { ReadTool(); });
      } else {
        reader_.Peek();
        member_ = reader_.offset();  // the key may have escapes
        Skip();
      }
      NoteDeviations(end);
      end = reader_.offset();
    }
    if (cancelled_) return absl::CancelledError(file_.path());
    if (!reader_.AtEnd()) {
      reader_.Reject(reader_.offset(), "the end of the file");
    }
    NoteDeviations(end);
    if (reader_.damaged()) {
      Note(ByteNotes::kDamaged, reader_.offset(), file_.bytes().size());
      const std::string text = fmt::format(
          "{}: {}; {} events were read before it, record again to have all",
          file_.path(), reader_.Describe(),
          events_.trace().host.size() + events_.trace().work.size());
      if (events_.empty()) return absl::InvalidArgumentError(text);
      context_.log.Add(
          ImportLog::kDamage,
          reader_.truncated() ? "file that ends early" : "JSON that is damaged",
          text);
    } else if (!found) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: byte 0: found JSON without \"{}\", expected what rocprofv3 "
          "writes; record with --output-format json",
          file_.path(), kTool));
    }
    if (reader_.deviations() > 0) {
      context_.log.Add(
          ImportLog::kDamage, "JSON that is not quite JSON",
          fmt::format("{}: {} ({} such places); they were read as well as "
                      "possible",
                      file_.path(), reader_.DescribeDeviation(),
                      reader_.deviations()),
          reader_.deviations());
    }
    return events_.Take();
  }

 private:
  // Calls `read` for each element of the array that comes next, or for what
  // comes next if it is no array.
  template <typename Function>
  void Each(const Function& read) {
    if (!reader_.EnterArray()) return read();
    size_t end = reader_.offset();
    while (!cancelled_ && reader_.NextElement()) {
      read();
      NoteDeviations(end);
      end = reader_.offset();
    }
    NoteDeviations(end);
  }

  // Calls `read` with each key of the object that comes next; anything else is
  // skipped. `read` takes the value.
  template <typename Function>
  void Members(const Function& read) {
    if (!reader_.EnterObject()) {
      reader_.Skip();
      return;
    }
    // Each object has its own keys, and the names that rocprofv3 gives them
    // have no escapes.
    std::string_view key;
    size_t end = reader_.offset();
    while (!cancelled_ && reader_.NextMember(key)) {
      // The member begins with the quote of its key.
      member_ = file_.OffsetOf(key) - 1;
      read(key);
      NoteDeviations(end);
      end = reader_.offset();
    }
    NoteDeviations(end);
  }

  void Note(ByteNotes::Part part, size_t begin, size_t end) {
    if (notes_ != nullptr) notes_->Note(part, begin, end);
  }

  // Notes that what was just read, from `begin` on, is not quite JSON.
  void NoteDeviations(size_t begin) {
    if (reader_.deviations() == noted_) return;
    noted_ = reader_.deviations();
    Note(ByteNotes::kRepaired, begin, reader_.offset());
  }

  // Takes a text, as the file has it; "" if something else is here.
  std::string_view Text() {
    std::string_view raw;
    if (!reader_.ReadString(raw)) reader_.Skip();
    return raw;
  }

  // Takes a number. One that is none is the first bad one of the record.
  void Number(std::optional<uint64_t>& number) {
    reader_.Peek();  // skips spaces
    const size_t offset = reader_.offset();
    std::string_view text;
    if (!reader_.ReadScalar(text)) text = reader_.Skip();
    number = ParseUnsigned(text);
    if (!number && !bad_) bad_ = {text, offset};
  }

  // Takes a number, or an object that has it as this member.
  void Number(std::string_view member, std::optional<uint64_t>& number) {
    if (reader_.Peek() != JsonReader::Kind::kObject) return Number(number);
    Members(
        [&](std::string_view key) { key == member ? Number(number) : Skip(); });
  }

  // Skips the value of a member that is of no use.
  void Skip() {
    reader_.Skip();
    Note(ByteNotes::kUnused, member_, reader_.offset());
  }

  void ReadTool() {
    process_ = -1;
    agents_.clear();
    symbols_.clear();
    operations_.clear();
    markers_.clear();
    works_.clear();
    hosts_.clear();
    Members([&](std::string_view key) {
      if (key == "metadata") {
        ReadMetadata();
      } else if (key == "agents") {
        Each([&] { ReadAgent(); });
      } else if (key == "strings") {
        ReadStrings();
      } else if (key == "kernel_symbols") {
        Each([&] { ReadSymbol(); });
      } else if (key == "buffer_records") {
        ReadRecords();
      } else {
        Skip();
      }
    });
    AddHosts();
    AddWorks();
  }

  void ReadMetadata() {
    std::optional<uint64_t> process;
    Members(
        [&](std::string_view key) { key == "pid" ? Number(process) : Skip(); });
    process_ = AsSigned(process).value_or(-1);
    bad_.reset();
  }

  void ReadAgent() {
    std::optional<uint64_t> handle, type, logical, node;
    std::string_view name, product;
    Members([&](std::string_view key) {
      if (key == "id") {
        Number("handle", handle);
      } else if (key == "type") {
        Number(type);
      } else if (key == "logical_node_id") {
        Number(logical);
      } else if (key == "node_id") {
        Number(node);
      } else if (key == "name") {
        name = Text();
      } else if (key == "product_name") {
        product = Text();
      } else {
        Skip();
      }
    });
    bad_.reset();
    const std::optional<int64_t> number = AsSigned(logical ? logical : node);
    if (!handle || !number) return;
    const bool is_gpu = type == kGpuType;
    agents_.insert_or_assign(*handle, ToolAgent{is_gpu, *number});
    const std::string_view model = product.empty() ? name : product;
    if (is_gpu && !model.empty()) {
      events_.trace().models.try_emplace(*number, Decoded(model));
    }
  }

  void ReadStrings() {
    Members([&](std::string_view key) {
      if (key == "buffer_records") {
        uint64_t kind = 0;
        Each([&] { ReadKind(kind++); });
      } else if (key == "marker_api") {
        Each([&] { ReadMarker(); });
      } else {
        Skip();
      }
    });
  }

  void ReadKind(uint64_t kind) {
    Members([&](std::string_view key) {
      if (key != "operations") return Skip();
      uint64_t operation = 0;
      Each([&] {
        operations_.insert_or_assign(kind << kOperationBits | operation++,
                                     Text());
      });
    });
  }

  void ReadMarker() {
    std::optional<uint64_t> correlation;
    std::string_view text;
    Members([&](std::string_view key) {
      if (key == "key") {
        Number(correlation);
      } else if (key == "value") {
        text = Text();
      } else {
        Skip();
      }
    });
    bad_.reset();
    if (correlation) markers_.insert_or_assign(*correlation, text);
  }

  void ReadSymbol() {
    std::optional<uint64_t> id;
    std::string_view formatted, demangled, mangled;
    Members([&](std::string_view key) {
      if (key == "kernel_id") {
        Number(id);
      } else if (key == "formatted_kernel_name") {
        formatted = Text();
      } else if (key == "demangled_kernel_name") {
        demangled = Text();
      } else if (key == "kernel_name") {
        mangled = Text();
      } else {
        Skip();
      }
    });
    bad_.reset();
    if (!id) return;
    symbols_.insert_or_assign(*id, !formatted.empty()   ? formatted
                                   : !demangled.empty() ? demangled
                                                        : mangled);
  }

  void ReadRecords() {
    Members([&](std::string_view key) {
      for (const auto& known : kRecordTables) {
        if (key != known.first) continue;
        return Each([&] { ReadRecord(known.second); });
      }
      Skip();
    });
  }

  void ReadRecord(RecordTable table) {
    if (--left_ == 0) {
      cancelled_ = util::IsCancelled(context_.work.cancellation);
      left_ = kRecordsBetweenChecks;
    }
    const JsonReader::Kind kind = reader_.Peek();
    const size_t offset = reader_.offset();
    if (kind != JsonReader::Kind::kObject) {
      const std::string_view text = reader_.Skip();
      if (reader_.damaged()) return;
      Note(ByteNotes::kDamaged, offset, reader_.offset());
      return events_.Drop(file_.path(), offset, "record that is no object",
                          text.substr(0, 20), "{");
    }
    ToolRecord record;
    bad_.reset();
    std::optional<uint64_t> start, end;
    Members([&](std::string_view key) { ReadField(key, record, start, end); });
    record.times = {AsSigned(start), AsSigned(end)};
    if (reader_.damaged()) {
      // The record is not whole.
    } else if (bad_) {
      events_.DropNumber(file_.path(), bad_->second, bad_->first);
    } else if (events_.Check(file_.path(), offset, record.times)) {
      return Keep(table, record);
    }
    Note(ByteNotes::kDamaged, offset, reader_.offset());
  }

  void ReadField(std::string_view key, ToolRecord& record,
                 std::optional<uint64_t>& start, std::optional<uint64_t>& end) {
    if (key == "start_timestamp") {
      Number(start);
    } else if (key == "end_timestamp") {
      Number(end);
    } else if (key == "kind") {
      Number(record.kind);
    } else if (key == "operation") {
      Number(record.operation);
    } else if (key == "thread_id") {
      Number(record.thread);
    } else if (key == "correlation_id") {
      Number("internal", record.correlation);
    } else if (key == "stream_id") {
      Number("handle", record.stream);
    } else if (key == "src_agent_id") {
      Number("handle", record.source);
    } else if (key == "dst_agent_id") {
      Number("handle", record.destination);
    } else if (key == "bytes") {
      Number(record.bytes);
    } else if (key == "dispatch_info") {
      Members([&](std::string_view inner) {
        if (inner == "agent_id") {
          Number("handle", record.agent);
        } else if (inner == "queue_id") {
          Number("handle", record.queue);
        } else if (inner == "kernel_id") {
          Number(record.kernel);
        } else {
          Skip();
        }
      });
    } else {
      Skip();
    }
  }

  void Keep(RecordTable table, const ToolRecord& record) {
    const int64_t start = *record.times.start, end = *record.times.end;
    const uint64_t correlation = record.correlation.value_or(kMissing);
    if (table != RecordTable::kKernels && table != RecordTable::kCopies) {
      hosts_.push_back({.start = start,
                        .end = end,
                        .thread = AsSigned(record.thread).value_or(-1),
                        .correlation = correlation,
                        .name = PlaceOf(record),
                        .table = table});
      return;
    }
    const bool is_copy = table == RecordTable::kCopies;
    const auto& agent = is_copy ? record.destination : record.agent;
    const auto& stream = record.stream ? record.stream : record.queue;
    works_.push_back(
        {.start = start,
         .end = end,
         .correlation = correlation,
         .name = is_copy ? PlaceOf(record) : record.kernel.value_or(kMissing),
         .agent = agent.value_or(kMissing),
         .source = record.source.value_or(kMissing),
         .stream = AsSigned(stream).value_or(-1),
         .bytes = AsSigned(record.bytes).value_or(-1),
         .is_copy = is_copy});
  }

  std::string Decoded(std::string_view raw) {
    std::string buffer;
    return std::string(util::DecodeJsonString(raw, buffer));
  }

  // The name of an id in a table of the file. The view is valid until the next
  // call.
  std::string_view NameOf(
      const absl::flat_hash_map<uint64_t, std::string_view>& names,
      uint64_t id) {
    const auto name = names.find(id);
    if (name == names.end()) return {};
    return util::DecodeJsonString(name->second, buffer_);
  }

  void AddHosts() {
    launches_.clear();
    // A call of HSA inside one of HIP is the nearer launch.
    for (const bool of_hsa : {false, true}) {
      for (const ToolHost& host : hosts_) {
        if ((host.table == RecordTable::kHsa) == of_hsa) AddHost(host);
      }
    }
  }

  void AddHost(const ToolHost& host) {
    HostKind kind = HostKind::kCall;
    std::string_view name = NameOf(operations_, host.name);
    if (host.table == RecordTable::kMarkers) {
      const auto has = [&](std::string_view word) {
        return name.find(word) != name.npos;
      };
      // Marks and names of threads last no time. Without its name, a marker is
      // taken for a range.
      if (!name.empty() && !has("Range")) return;
      kind = has("RangeStart") || has("ProcessRange") ? HostKind::kAsyncRange
                                                      : HostKind::kRange;
      const std::string_view text = NameOf(markers_, host.correlation);
      name = text.empty() ? NameOf(operations_, host.name) : text;
    }
    const std::optional<uint32_t> added = events_.AddHost(
        {host.start, host.end}, events_.trace().Thread(process_, host.thread),
        name, kind);
    const bool launches =
        host.table == RecordTable::kHip || host.table == RecordTable::kHsa;
    if (added && launches && host.correlation != kMissing) {
      launches_.insert_or_assign(host.correlation, *added);
    }
  }

  void AddWorks() {
    for (const ToolWork& work : works_) {
      const int64_t device = DeviceOf(work);
      std::string unnamed;
      std::string_view name =
          NameOf(work.is_copy ? operations_ : symbols_, work.name);
      if (name.empty() && !work.is_copy && work.name != kMissing) {
        name = unnamed = fmt::format("kernel {}", work.name);
        ++unnamed_;
      }
      const std::optional<uint32_t> added =
          events_.AddWork({work.start, work.end}, name,
                          {device, process_, work.stream,
                           work.is_copy ? profile::LaneKind::kCopies
                                        : profile::LaneKind::kKernels},
                          work.bytes);
      if (!added) continue;
      if (work.is_copy) events_.SetCopy(name, work.agent == work.source);
      const auto launch = launches_.find(work.correlation);
      if (launch != launches_.end()) {
        events_.trace().work[*added].launch = launch->second;
      }
    }
    Note("kernel without its name", unnamed_,
         "kernels are not in kernel_symbols; their ids are their names");
    Note("work of an unknown agent", lost_,
         "kernels and copies are on agents that the file does not list; the "
         "handles are their numbers");
    unnamed_ = lost_ = 0;
  }

  int64_t DeviceOf(const ToolWork& work) {
    const auto agent = agents_.find(work.agent);
    const auto source = agents_.find(work.source);
    if (agent != agents_.end() && (!work.is_copy || agent->second.is_gpu)) {
      return agent->second.number;
    }
    if (source != agents_.end()) return source->second.number;
    if (agent != agents_.end()) return agent->second.number;
    ++lost_;
    return AsSigned(work.agent).value_or(0);
  }

  void Note(std::string_view kind, int64_t count, std::string_view what) {
    if (count == 0) return;
    context_.log.Add(ImportLog::kDamage, kind,
                     fmt::format("{}: {} {}", file_.path(), count, what),
                     count);
  }

  const loaders::InputFile& file_;
  loaders::LoadContext& context_;
  ByteNotes* const notes_;  // nullptr: nobody wants them
  int64_t noted_ = 0;       // deviations so far
  size_t member_ = 0;       // where the last member begins
  JsonReader reader_;
  TraceEvents events_;
  bool cancelled_ = false;
  int64_t left_ = kRecordsBetweenChecks;
  // The first text of a record that is no number, and its offset.
  std::optional<std::pair<std::string_view, size_t>> bad_;
  std::string buffer_;  // of NameOf()
  // Of one element of the array. Texts are as in the file.
  int64_t process_ = -1;
  absl::flat_hash_map<uint64_t, ToolAgent> agents_;
  absl::flat_hash_map<uint64_t, std::string_view> symbols_, operations_,
      markers_;
  std::vector<ToolWork> works_;
  std::vector<ToolHost> hosts_;
  absl::flat_hash_map<uint64_t, uint32_t> launches_;  // by correlation
  int64_t unnamed_ = 0, lost_ = 0;
};

}  // namespace

bool LooksLikeToolJson(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kLookAt);
  const size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == begin.npos || begin[first] != '{') return false;
  // Most files do not have the word at all.
  if (begin.find(kTool) == begin.npos) return false;
  JsonReader reader(begin);
  std::string_view key;
  for (bool in = reader.EnterObject(); in && reader.NextDecodedMember(key);) {
    if (key == kTool) return true;
    reader.Skip();
  }
  return false;
}

absl::StatusOr<gpu_trace::GpuTrace> ReadToolJson(
    std::shared_ptr<const loaders::InputFile> file,
    loaders::LoadContext& context, loaders::ByteNotes* notes) {
  return ToolReader(std::move(file), context, notes).Read();
}

}  // namespace tfprof::rocprof
