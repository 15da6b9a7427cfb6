// Shared by the tests of the Perfetto loader: makes small traces, packet by
// packet, and loads them.

#ifndef TFPROF_LOADERS_PERFETTO_PERFETTO_TESTING_H_
#define TFPROF_LOADERS_PERFETTO_PERFETTO_TESTING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "accounting/node_stats.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/perfetto/format.h"
#include "profile/profile.h"
#include "util/files/wire_writer.h"

namespace tfprof::perfetto {

using Fill = std::function<void(util::WireWriter&)>;

inline std::string Message(const Fill& fill) {
  util::WireWriter w;
  fill(w);
  return std::string(w.bytes());
}

// Appends nothing.
inline void Nothing(util::WireWriter&) {}

// Adds an annotation with this name and integer, or text, to an event.
inline void Annotate(util::WireWriter& w, std::string_view key, int64_t value) {
  const util::WireMessage annotation(w, 4);
  w.Bytes(10, key);
  w.Int64(4, value);
}
inline void Annotate(util::WireWriter& w, std::string_view key,
                     std::string_view value) {
  const util::WireMessage annotation(w, 4);
  w.Bytes(10, key);
  w.Bytes(6, value);
}

// Times are nanoseconds of the trace's clock. All packets are of sequence 1.
class TraceMaker {
 public:
  const std::string& bytes() const { return bytes_; }

  void Packet(const Fill& fill) {
    bytes_ += Message([&](util::WireWriter& w) {
      w.Bytes(1, Message([&](util::WireWriter& packet) {
                fill(packet);
                packet.Int64(10, 1);
              }));
    });
  }
  void Raw(std::string_view bytes) { bytes_ += bytes; }

  void Event(int64_t time, const Fill& fill) {
    Packet([&](util::WireWriter& w) {
      w.Int64(8, time);
      const util::WireMessage event(w, 11);
      fill(w);
    });
  }
  void Begin(int64_t time, uint64_t track, std::string_view name,
             std::string_view category = "", const Fill& more = Nothing) {
    Event(time, [&](util::WireWriter& w) {
      w.Int64(9, 1);
      w.Uint64(11, track);
      w.BytesIfSet(22, category);
      w.Bytes(23, name);
      more(w);
    });
  }
  void End(int64_t time, uint64_t track) {
    Event(time, [&](util::WireWriter& w) {
      w.Int64(9, 2);
      w.Uint64(11, track);
    });
  }
  void Slice(int64_t start, int64_t duration, uint64_t track,
             std::string_view name, std::string_view category = "",
             const Fill& more = Nothing) {
    Begin(start, track, name, category, more);
    End(start + duration, track);
  }
  // A launch and the kernel that it starts 5 ns later, on track `stream`.
  void Kernel(int64_t start, int64_t duration, uint64_t thread, uint64_t stream,
              std::string_view name, int64_t correlation) {
    Slice(start, 2, thread, "cudaLaunchKernel", "cuda_runtime",
          [&](auto& w) { Annotate(w, "correlation", correlation); });
    Slice(start + 5, duration, stream, name, "kernel", [&](auto& w) {
      Annotate(w, "correlation", correlation);
      Annotate(w, "device", 0);
      Annotate(w, "stream", static_cast<int64_t>(stream));
    });
  }

  void Process(uint64_t uuid, int64_t pid, std::string_view name) {
    Packet([&](util::WireWriter& w) {
      const util::WireMessage descriptor(w, 60);
      w.Uint64(1, uuid);
      const util::WireMessage process(w, 3);
      w.Int64(1, pid);
      w.Bytes(6, name);
    });
  }
  void Thread(uint64_t uuid, uint64_t parent, int64_t pid, int64_t tid,
              std::string_view name) {
    Packet([&](util::WireWriter& w) {
      const util::WireMessage descriptor(w, 60);
      w.Uint64(1, uuid);
      w.Uint64(5, parent);
      const util::WireMessage thread(w, 4);
      w.Int64(1, pid);
      w.Int64(2, tid);
      w.Bytes(5, name);
    });
  }
  void Track(uint64_t uuid, uint64_t parent, std::string_view name) {
    Packet([&](util::WireWriter& w) {
      const util::WireMessage descriptor(w, 60);
      w.Uint64(1, uuid);
      w.Bytes(2, name);
      w.Uint64IfSet(5, parent);
    });
  }
  // Sends texts; `cleared`: the sequence begins again with them.
  struct Text {
    uint32_t table = 0;  // the field of InternedData
    uint64_t id = 0;
    std::string_view text;
  };
  void Texts(const std::vector<Text>& texts, bool cleared = false,
             const Fill& more = Nothing) {
    Packet([&](util::WireWriter& w) {
      if (cleared) w.Int64(13, 1);
      {
        const util::WireMessage data(w, 12);
        for (const Text& text : texts) {
          const util::WireMessage entry(w, text.table);
          w.Uint64(1, text.id);
          w.Bytes(2, text.text);
        }
      }
      more(w);
    });
  }

 private:
  std::string bytes_;
};

// A whole trace of a thread and a stream: an operator that launches a kernel.
inline TraceMaker SmallTrace() {
  TraceMaker trace;
  trace.Process(1, 100, "python");
  trace.Thread(2, 1, 100, 101, "main");
  trace.Track(3, 1, "stream 7");
  trace.Begin(1000, 2, "aten::mm", "cpu_op",
              [](auto& w) { Annotate(w, "External id", 5); });
  trace.Kernel(1010, 50, 2, 3, "gemm", 9);
  trace.End(1100, 2);
  return trace;
}

struct LoadedPerfetto {
  absl::Status status;
  profile::Profile profile;
  loaders::ImportLog log;

  int64_t CountOf(std::string_view kind) const {
    for (const auto& entry : log.entries()) {
      if (entry.kind == kind) return entry.count;
    }
    return 0;
  }
  // The first text of a kind.
  std::string TextOf(std::string_view kind) const {
    for (const auto& entry : log.entries()) {
      if (entry.kind == kind && !entry.texts.empty()) return entry.texts[0];
    }
    return "";
  }
  // The nanoseconds of each execution, by its recorded name.
  std::multimap<std::string, int64_t> Durations() const {
    std::multimap<std::string, int64_t> durations;
    for (const auto& step : profile.steps()) {
      for (size_t e = 0; e < step->num_records(); ++e) {
        durations.emplace(std::string(profile.Text(RecordOf(*step, e)).name),
                          step->exec_duration.Nanos(e));
      }
    }
    return durations;
  }
  // The arguments of the execution with this recorded name.
  std::map<std::string, std::string> ArgumentsOf(std::string_view name) const {
    std::map<std::string, std::string> arguments;
    for (const auto& step : profile.steps()) {
      for (size_t e = 0; e < step->num_records(); ++e) {
        const profile::RecordRef record = RecordOf(*step, e);
        if (profile.Text(record).name != name) continue;
        for (const auto& [key, value] : profile.Arguments(record)) {
          arguments.emplace(key, value);
        }
      }
    }
    return arguments;
  }
  // Nanoseconds on accelerators, by the name of the operation.
  std::map<std::string, int64_t> Work() const {
    std::map<std::string, int64_t> work;
    const auto stats = accounting::ComputeNodeStats(profile, -1);
    for (profile::NodeId n = 0; n < stats.size(); ++n) {
      const int64_t time = stats[n][accounting::Stat::kAcceleratorMicros];
      if (time > 0) {
        work[std::string(profile.strings().Get(profile.nodes().op[n]))] += time;
      }
    }
    return work;
  }
  static profile::RecordRef RecordOf(const profile::Step& step, size_t e) {
    return static_cast<profile::RecordRef>(step.exec_record[e]);
  }
};

inline LoadedPerfetto LoadPerfetto(std::string bytes) {
  loaders::LoadContext context;
  context.builder.SetRules(kPerfettoFormat.rules());
  context.builder.SetTicksPerMicro(kPerfettoFormat.ticks_per_micro);
  const std::vector<loaders::FormatFile> files = {
      {.path = "t.pftrace",
       .file = loaders::InputFile::FromBytes("t.pftrace", std::move(bytes))}};
  LoadedPerfetto loaded;
  loaded.status = kPerfettoFormat.load(files, context);
  loaded.profile = std::move(context.builder).Build();
  loaded.log = std::move(context.log);
  return loaded;
}

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_PERFETTO_TESTING_H_
