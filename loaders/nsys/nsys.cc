#include "loaders/nsys/nsys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "loaders/gpu_trace/names.h"
#include "loaders/nodes/communication_kernels.h"
#include "loaders/nsys/cpu_samples.h"
#include "loaders/nsys/global_id.h"
#include "loaders/nsys/launches.h"
#include "loaders/sqlite/string_ids.h"
#include "loaders/sqlite/tables.h"

namespace tfprof::nsys {
namespace {

using gpu_trace::HostKind;
using loaders::ImportLog;
using sqlite::Row;

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kSystemCalls = "OSRT_API";
constexpr std::string_view kRanges = "NVTX_EVENTS";
// Calls of MPI, whose tables have their names in the same column.
constexpr std::string_view kMpiCalls[] = {
    "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS",
    "MPI_OTHER_EVENTS"};
constexpr std::string_view kMetrics = "GPU_METRICS";
constexpr std::string_view kPageFaults = "_PAGE_FAULT_EVENTS";
constexpr std::string_view kMetricNames = "TARGET_INFO_GPU_METRICS";

// Values of NVTX_EVENTS.eventType: ranges that nest on their thread, and ranges
// that may end on another thread, each also in the form of a resource.
constexpr int64_t kPushPop = 59, kPushPopOfDomain = 70;
constexpr int64_t kStartEnd = 60, kStartEndOfDomain = 71;

enum class What : uint8_t { kKernel, kCopy, kSet, kGraph };

// What the work still needs: its name, and its launch.
struct Pending {
  What what = What::kKernel;
  uint32_t name = profile::kNone;        // slot of the string
  uint32_t short_name = profile::kNone;  // slot, if `name` is missing
  int64_t number = 0;                    // the kind of a copy, the graph
  int64_t process = 0;                   // as in the file
  int64_t device = 0, stream = 0;
  std::optional<int64_t> correlation;
};

class Reader {
 public:
  Reader(std::shared_ptr<const loaders::InputFile> file,
         sqlite::Database& database, loaders::LoadContext& context)
      : database_(database),
        tables_(database, file->path(), context.log),
        log_(context.log),
        graph_(context.builder.mutable_graph()),
        strings_(graph_.strings) {
    trace_.file = std::move(file);
  }

  absl::StatusOr<gpu_trace::GpuTrace> Read() {
    Reserve(trace_.work, {kKernels, kCopies, kSets, kGraphs});
    pending_.reserve(trace_.work.capacity());
    ReadWork(kKernels, What::kKernel);
    ReadWork(kCopies, What::kCopy);
    ReadWork(kSets, What::kSet);
    ReadWork(kGraphs, What::kGraph);
    Reserve(trace_.host, {kCalls, kSystemCalls, kRanges, kMpiCalls[0],
                          kMpiCalls[1], kMpiCalls[2], kMpiCalls[3]});
    host_names_.reserve(trace_.host.capacity());
    ReadCalls();
    ReadSystemCalls(kSystemCalls, "nameId");
    for (const std::string_view table : kMpiCalls) {
      ReadSystemCalls(table, "textId");
    }
    ReadRanges();
    launches_.Finish();
    samples_.Read(tables_, names_);
    ReadThreads();
    ReadCopyKinds();
    if (!database_.HasTable("StringIds")) {
      log_.Add(ImportLog::kDamage, "table missing",
               tables_.path() +
                   ": no table StringIds, so kernels and calls have no "
                   "names; export the file again");
    } else {
      tables_.Check(
          names_.Read(database_, "StringIds", "id", "value", strings_));
    }
    samples_.Finish(tables_, names_, graph_, trace_, log_);
    absl::Status failure =
        tables_.Failure(!trace_.host.empty() || !trace_.work.empty() ||
                        !trace_.samples.empty());
    if (!failure.ok()) return failure;
    NameHost();
    FinishWork();
    ReadDevices();
    ReadMetrics();
    CountOthers();
    Note();
    return std::move(trace_);
  }

 private:
  profile::StringId Intern(std::string_view text) {
    return strings_.Intern(text);
  }

  // Reserves memory for all rows of the tables.
  template <typename T>
  void Reserve(std::vector<T>& events,
               std::initializer_list<std::string_view> tables) {
    size_t rows = 0;
    for (const std::string_view table : tables) {
      rows += database_.AboutRows(table);
    }
    events.reserve(rows);
  }

  void ReadWork(std::string_view table, What what) {
    // A kernel has the number of its graph too, behind thirty other columns
    // that would have to be passed.
    const std::string_view graph = what == What::kGraph ? "graphId" : "";
    const bool is_copy = what == What::kCopy;
    const std::string_view columns[] = {"start",
                                        "end",
                                        "deviceId",
                                        "streamId",
                                        "correlationId",
                                        "globalPid",
                                        "demangledName",
                                        "shortName",
                                        "bytes",
                                        "copyKind",
                                        graph,
                                        is_copy ? "srcKind" : "",
                                        is_copy ? "dstKind" : ""};
    tables_.Read(table, columns, [&](const Row& row) {
      const gpu_trace::Times times = {row.Int(0), row.Int(1)};
      if (!Fits(times)) {
        row.Drop();
        ++dropped_work_;
        return;
      }
      const std::optional<int64_t> process = row.Int(5);
      has_processes_ |= process.has_value();
      pending_.push_back(
          {.what = what,
           .name = names_.Want(row.Int(6)),
           .short_name = names_.Want(row.Int(7)),
           .number = row.Int(what == What::kCopy ? 9 : 10).value_or(0),
           .process = ProcessOf(process.value_or(0)),
           .device = row.Int(2).value_or(0),
           .stream = row.Int(3).value_or(-1),
           .correlation = row.Int(4)});
      trace_.work.push_back({.start = *times.start,
                             .end = *times.end,
                             .bytes = row.Int(8).value_or(-1),
                             .copy = what == What::kSet
                                         ? profile::CopyKind::kOnDevice
                                         : profile::CopyKind::kUnknown,
                             .from = MemoryOf(row.Int(11)),
                             .to = MemoryOf(row.Int(12))});
    });
  }

  // The kinds of ENUM_CUDA_MEM_KIND.
  static gpu_trace::MemoryKind MemoryOf(std::optional<int64_t> kind) {
    constexpr gpu_trace::MemoryKind kKinds[] = {
        gpu_trace::MemoryKind::kPageable, gpu_trace::MemoryKind::kPinned,
        gpu_trace::MemoryKind::kDevice};
    return kind && *kind >= 0 && *kind < std::ssize(kKinds)
               ? kKinds[*kind]
               : gpu_trace::MemoryKind::kUnknown;
  }

  // Adds a call or range. Returns false if its times are wrong.
  bool AddHost(const gpu_trace::Times& times, std::optional<int64_t> thread,
               HostKind kind) {
    if (!Fits(times)) return false;
    const int64_t global = thread.value_or(0);
    trace_.host.push_back(
        {.start = *times.start,
         .end = *times.end,
         .thread = trace_.Thread(ProcessOf(global), ThreadOf(global)),
         .kind = kind});
    return true;
  }

  void ReadCalls() {
    constexpr std::string_view kColumns[] = {"start", "end", "globalTid",
                                             "correlationId", "nameId"};
    tables_.Read(kCalls, kColumns, [&](const Row& row) {
      const std::optional<int64_t> thread = row.Int(2);
      if (!AddHost({row.Int(0), row.Int(1)}, thread, HostKind::kCall)) {
        row.Drop();
        ++dropped_calls_;
        return;
      }
      host_names_.push_back(names_.Want(row.Int(4)));
      if (const std::optional<int64_t> correlation = row.Int(3)) {
        const int64_t process =
            has_processes_ ? ProcessOf(thread.value_or(0)) : 0;
        launches_.Add(process, *correlation,
                      static_cast<uint32_t>(trace_.host.size() - 1));
      }
    });
  }

  // Calls of the C library or of MPI that the program waits in, and that it
  // works in.
  void ReadSystemCalls(std::string_view table, std::string_view name) {
    const std::string_view columns[] = {"start", "end", "globalTid", name};
    tables_.Read(table, columns, [&](const Row& row) {
      if (!AddHost({row.Int(0), row.Int(1)}, row.Int(2),
                   HostKind::kSystemCall)) {
        row.Drop();
        ++dropped_calls_;
        return;
      }
      host_names_.push_back(names_.Want(row.Int(3)));
    });
  }

  void ReadRanges() {
    constexpr std::string_view kColumns[] = {"start",     "end",  "eventType",
                                             "globalTid", "text", "textId"};
    tables_.Read(kRanges, kColumns, [&](const Row& row) {
      const int64_t type = row.Int(2).value_or(0);
      const bool nests = type == kPushPop || type == kPushPopOfDomain;
      if (!nests && type != kStartEnd && type != kStartEndOfDomain) return;
      const std::optional<int64_t> end = row.Int(1);
      if (!end) {
        ++open_ranges_;
        return;
      }
      if (!AddHost({row.Int(0), end}, row.Int(3),
                   nests ? HostKind::kRange : HostKind::kAsyncRange)) {
        row.Drop();
        ++dropped_ranges_;
        return;
      }
      const std::optional<std::string_view> text = row.Text(4);
      host_names_.push_back(text ? profile::kNone : names_.Want(row.Int(5)));
      if (text) NameRange(*text, trace_.host.back());
    });
  }

  // Sets the name of a range whose row has it.
  void NameRange(std::string_view text, gpu_trace::HostEvent& range) {
    const std::string_view op = gpu_trace::OperationOf(text);
    range.op = Intern(op);
    // With the numbers of the operation, each range has another text.
    range.has_own_text = op.size() != text.size();
    range.text = range.has_own_text ? trace_.texts.Add(text) : range.op;
  }

  void ReadThreads() {
    constexpr std::string_view kColumns[] = {"globalTid", "nameId"};
    tables_.Read("ThreadNames", kColumns, [&](const Row& row) {
      const std::optional<int64_t> thread = row.Int(0);
      if (!thread) return;
      thread_names_.try_emplace({ProcessOf(*thread), ThreadOf(*thread)},
                                names_.Want(row.Int(1)));
    });
  }

  void ReadCopyKinds() {
    constexpr std::string_view kColumns[] = {"id", "name", "label"};
    tables_.Read("ENUM_CUDA_MEMCPY_OPER", kColumns, [&](const Row& row) {
      const std::optional<std::string_view> label = row.Text(2);
      const std::optional<std::string_view> name = label ? label : row.Text(1);
      if (row.Int(0) && name) copy_kinds_.try_emplace(*row.Int(0), *name);
    });
  }

  void NameHost() {
    absl::flat_hash_map<std::pair<profile::StringId, bool>, profile::StringId>
        operations;
    for (size_t e = 0; e < trace_.host.size(); ++e) {
      gpu_trace::HostEvent& event = trace_.host[e];
      if (event.op != profile::kNone) continue;
      profile::StringId text = names_.Get(host_names_[e]);
      if (text == profile::kNone) text = Intern("(no name)");
      event.text = text;
      const bool is_call = event.kind == HostKind::kCall;
      const auto [op, is_new] =
          operations.try_emplace({text, is_call}, profile::kNone);
      if (is_new) {
        // Interning may move the texts.
        const std::string full(strings_.Get(text));
        op->second = Intern(is_call ? gpu_trace::CallName(full)
                                    : gpu_trace::OperationOf(full));
      }
      event.op = op->second;
    }
    for (gpu_trace::HostThread& thread : trace_.threads) {
      const auto name = thread_names_.find({thread.process, thread.thread});
      if (name != thread_names_.end()) thread.name = names_.Get(name->second);
    }
  }

  // Names the work, finds its launch and its lane, and leaves out runs of
  // graphs whose kernels are in the file.
  void FinishWork() {
    const auto key = [&](const Pending& pending) {
      return std::pair(has_processes_ ? pending.process : 0,
                       pending.correlation.value_or(0));
    };
    absl::flat_hash_set<std::pair<int64_t, int64_t>> with_kernels;
    const bool has_graphs =
        std::any_of(pending_.begin(), pending_.end(),
                    [](const Pending& p) { return p.what == What::kGraph; });
    for (const Pending& pending : pending_) {
      if (!has_graphs) break;
      if (pending.what != What::kGraph && pending.correlation) {
        with_kernels.insert(key(pending));
      }
    }
    size_t kept = 0;
    for (size_t w = 0; w < trace_.work.size(); ++w) {
      const Pending& pending = pending_[w];
      if (pending.what == What::kGraph && pending.correlation &&
          with_kernels.contains(key(pending))) {
        continue;
      }
      gpu_trace::Work work = trace_.work[w];
      profile::LaneKind kind = profile::LaneKind::kKernels;
      work.name = NameOf(pending, work, kind);
      if (pending.correlation) {
        const auto [process, correlation] = key(pending);
        work.launch = launches_.Find(process, correlation);
      }
      work.lane =
          trace_.Lane({pending.device, has_processes_ ? pending.process : -1,
                       pending.stream, kind});
      trace_.work[kept++] = work;
    }
    trace_.work.resize(kept);
  }

  profile::StringId NameOf(const Pending& pending, gpu_trace::Work& work,
                           profile::LaneKind& kind) {
    switch (pending.what) {
      case What::kKernel: {
        profile::StringId name = names_.Get(pending.name);
        if (name == profile::kNone) name = names_.Get(pending.short_name);
        if (name == profile::kNone) return Intern("(no name)");
        const auto [known, is_new] = is_communication_.try_emplace(name);
        if (is_new) {
          known->second = loaders::IsCommunicationKernel(strings_.Get(name));
        }
        if (known->second) kind = profile::LaneKind::kCommunication;
        return name;
      }
      case What::kCopy: {
        kind = profile::LaneKind::kCopies;
        const auto known = copy_kinds_.find(pending.number);
        const std::string name = known == copy_kinds_.end()
                                     ? fmt::format("Memcpy {}", pending.number)
                                     : known->second;
        work.copy = gpu_trace::CopyKindOf(pending.number);
        return Intern(name);
      }
      case What::kSet:
        kind = profile::LaneKind::kCopies;
        return Intern("Memset");
      case What::kGraph:
        break;
    }
    return Intern(fmt::format("graph {}", pending.number));
  }

  void ReadDevices() {
    constexpr std::string_view kColumns[] = {"id", "name"};
    tables_.Read("TARGET_INFO_GPU", kColumns, [&](const Row& row) {
      if (row.Int(0) && row.Text(1)) {
        trace_.models.try_emplace(*row.Int(0), *row.Text(1));
      }
    });
  }

  // Adds the samples of the hardware as counters.
  void ReadMetrics() {
    if (!database_.HasTable(kMetrics)) return;
    constexpr std::string_view kNameColumns[] = {"typeId", "metricId",
                                                 "metricName"};
    std::map<std::pair<int64_t, int64_t>, gpu_trace::CounterSeries> series;
    tables_.Read(kMetricNames, kNameColumns, [&](const Row& row) {
      if (!row.Int(0) || !row.Int(1) || !row.Text(2)) return;
      // The lowest byte of the type is the number of the device.
      series[{*row.Int(0), *row.Int(1)}].name =
          fmt::format("gpu:{} {}", *row.Int(0) & 0xff, *row.Text(2));
    });
    constexpr std::string_view kColumns[] = {"timestamp", "typeId", "metricId",
                                             "value"};
    tables_.Read(kMetrics, kColumns, [&](const Row& row) {
      const std::optional<double> value = row.Number(3);
      if (!row.Int(0) || !value) {
        row.Drop();
        ++dropped_samples_;
        return;
      }
      const auto found =
          series.find({row.Int(1).value_or(0), row.Int(2).value_or(0)});
      if (found == series.end()) {
        row.Drop();
        ++dropped_samples_;
        return;
      }
      found->second.samples.push_back({*row.Int(0), *value});
    });
    for (auto& [key, one] : series) {
      if (!one.samples.empty()) trace_.counters.push_back(std::move(one));
    }
  }

  // Says how many events the other tables have.
  void CountOthers() {
    constexpr std::string_view kRead[] = {kKernels,
                                          kCopies,
                                          kSets,
                                          kGraphs,
                                          kCalls,
                                          kSystemCalls,
                                          kRanges,
                                          kMetrics,
                                          "COMPOSITE_EVENTS",
                                          "SAMPLING_CALLCHAINS"};
    for (const std::string& table : database_.tables()) {
      const bool has_events =
          table.starts_with("CUPTI_ACTIVITY_KIND_") ||
          table.ends_with("_EVENTS") || table.ends_with("_EVENT") ||
          table.ends_with("_API") || table.ends_with("_CALLCHAINS") ||
          table.ends_with("_OVERHEAD");
      if (!has_events || std::ranges::find(kRead, table) != std::end(kRead) ||
          std::ranges::find(kMpiCalls, table) != std::end(kMpiCalls)) {
        continue;
      }
      int64_t rows = 0;
      constexpr std::string_view kColumns[] = {"start"};
      tables_.Read(table, kColumns, [&](const Row&) { ++rows; });
      database_.ForgetRead(table);
      const std::string kind = fmt::format("row of {} that is not read", table);
      if (table.ends_with(kPageFaults) && rows > 0) {
        log_.Add(ImportLog::kNotice, kind,
                 fmt::format("{}: the {} page faults of unified memory in {} "
                             "are not read: kernels wait for memory inside of "
                             "their own time, so they look slow; prefetch it "
                             "(cudaMemPrefetchAsync) or keep it on the device",
                             tables_.path(), rows, table),
                 rows);
        continue;
      }
      log_.Count(ImportLog::kNotice, kind, rows);
    }
  }

  // All versions of Nsight Systems write these columns.
  void NoteMissingColumns() {
    struct Wanted {
      std::string_view table, column, without;
    };
    constexpr std::string_view kNoLaunch =
        "it is not known what launched the work of the GPU";
    constexpr Wanted kWanted[] = {
        {kKernels, "correlationId", kNoLaunch},
        {kCopies, "correlationId", kNoLaunch},
        {kCalls, "correlationId", kNoLaunch},
        {kKernels, "deviceId", "all kernels are on one device"},
        {kKernels, "streamId", "all kernels are on one stream"},
        {kCalls, "globalTid", "all calls are on one thread"},
        {kCalls, "nameId", "calls have no names"},
        {kRanges, "globalTid", "ranges are on one thread"}};
    for (const auto& [table, column, without] : kWanted) {
      if (!database_.HasTable(table) || database_.AboutRows(table) == 0 ||
          database_.HasColumn(table, column)) {
        continue;
      }
      log_.Add(ImportLog::kDamage, "column missing",
               fmt::format("{}: the table {} has no column {}, so {}; export "
                           "the file again",
                           tables_.path(), table, column, without));
    }
  }

  void Note() {
    constexpr std::string_view kNoTimes =
        "have no start or end that is a number, or end before they begin";
    const auto damage = [&](std::string_view what, int64_t count,
                            std::string_view why,
                            std::span<const std::string_view> tables) {
      if (count == 0) return;
      std::string first;
      for (const std::string_view table : tables) {
        const int64_t row = database_.FirstDropped(table);
        if (row > 0 && first.empty()) {
          first = fmt::format("; the first is row {} of {}", row, table);
        }
      }
      log_.Add(ImportLog::kDamage, what,
               fmt::format("{}: {} rows {}; skipped ({}{})", tables_.path(),
                           count, why, what, first),
               count);
    };
    NoteMissingColumns();
    if (!trace_.work.empty() && !database_.HasTable(kCalls)) {
      log_.Add(ImportLog::kNotice, "calls are not in the file",
               fmt::format("{}: no table {}, so it is not known what launched "
                           "the work of the GPU; export the file again",
                           tables_.path(), kCalls));
    }
    damage("work of a GPU without its times", dropped_work_, kNoTimes,
           std::array{kKernels, kCopies, kSets, kGraphs});
    damage("call without its times", dropped_calls_, kNoTimes,
           std::array{kCalls, kSystemCalls, kMpiCalls[0], kMpiCalls[1],
                      kMpiCalls[2], kMpiCalls[3]});
    damage("range without its times", dropped_ranges_, kNoTimes,
           std::array{kRanges});
    damage("sample without its metric", dropped_samples_,
           "have no time, no value, or a metric that the file does not name",
           std::array{kMetrics});
    log_.Count(ImportLog::kNotice, "NVTX range that was never closed",
               open_ranges_);
  }

  sqlite::Database& database_;
  sqlite::Tables tables_;
  loaders::ImportLog& log_;
  profile::GraphTables& graph_;
  profile::StringPool& strings_;
  gpu_trace::GpuTrace trace_;
  std::vector<Pending> pending_;      // by work
  std::vector<uint32_t> host_names_;  // by host event: slot of the string
  sqlite::StringIds names_;
  CpuSamples samples_;
  Launches launches_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> thread_names_;
  std::map<int64_t, std::string> copy_kinds_;
  absl::flat_hash_map<profile::StringId, bool> is_communication_;  // kernels
  bool has_processes_ = false;
  int64_t dropped_work_ = 0, dropped_calls_ = 0, dropped_ranges_ = 0;
  int64_t dropped_samples_ = 0, open_ranges_ = 0;
};

}  // namespace

bool IsNsys(const sqlite::Database& database) {
  for (const std::string_view table :
       {kKernels, kCopies, kSets, kGraphs, kCalls, kSystemCalls, kRanges}) {
    if (database.HasTable(table)) return true;
  }
  return database.HasTable("META_DATA_EXPORT");
}

absl::StatusOr<gpu_trace::GpuTrace> ReadNsys(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context) {
  return Reader(std::move(file), database, context).Read();
}

}  // namespace tfprof::nsys
