#include "timeline/account/host_pieces.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "timeline/account/op_roles.h"
#include "timeline/first_near.h"
#include "util/merge_sort.h"
#include "views/library_file.h"

namespace tfprof::timeline {
namespace {

constexpr std::string_view kPython = "python";
constexpr int64_t kManyLaunches = 16;
// The key of communication in flight, which is no thread of the file.
constexpr int64_t kInFlight = std::numeric_limits<int64_t>::min();

// The facts about a name.
struct NameClass {
  HostCall call = HostCall::kOther;  // if it is no Python function
  HostCall function = HostCall::kOther;
  bool library = false;
  bool for_program = false;  // waits for the program, not for a device
  bool capture = false;      // of a graph
  bool system_wait = false;  // IsSystemWait()
  bool names_input = false;  // NamesInput()
  bool known = false;
};

struct HostSpan {
  int64_t start = 0;
  int64_t end = 0;
  profile::StringId name = profile::kNone;
  bool python = false;
  bool range = false;
  bool launches = false;  // an op of an accelerator
  bool capture = false;   // from the begin to the end of a capture
};

// An open execution.
struct Open {
  int64_t end = 0;
  HostPiece piece;  // without times
  // The name is that of a function of the program, not of a library.
  bool program_name = false;
  // The innermost function of the program that is open.
  profile::StringId program = profile::kNone;
  bool capture = false;  // of a graph, or a part of it
};

// Inside such a call, all time belongs to it.
bool IsWhole(HostCall call) {
  return call == HostCall::kInput || call == HostCall::kCompilation ||
         call == HostCall::kFirstUse || call == HostCall::kProfiler;
}

class Collector {
 public:
  Collector(const Activities& activities, const HostPieces::Wanted& wanted)
      : activities_(activities),
        profile_(activities.profile()),
        classes_(profile_.strings().size()) {
    for (const auto& [process, time] : wanted) {
      wanted_.try_emplace(process, time);
    }
    for (profile::LaneId id = 0; id < profile_.lanes().size(); ++id) {
      lanes_.push_back(WorkOnLane(id));
    }
  }

  void Add(const profile::Step& step) {
    const profile::NodeTable& nodes = profile_.nodes();
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const auto n = static_cast<profile::NodeId>(step.node[g]);
      const bool python = profile_.strings().Get(nodes.op[n]) == kPython;
      const profile::StringId name = python ? nodes.name[n] : nodes.op[n];
      if (step.num_executions() == 0) break;
      const bool range = IsNamedRange(profile_, n);
      const size_t end = step.exec_end(g);
      for (size_t e = step.exec_begin(g); e < end; ++e) {
        if (activities_.work().cancelled()) return;
        AddSpan(step, e, name, python, range);
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      if (activities_.work().cancelled()) return;
      AddSpan(step, e, step.OutsideName(e), /*python=*/false, /*range=*/false);
    }
  }

  std::map<profile::ProcessId, std::vector<HostThread>> Finish() && {
    std::map<profile::ProcessId, std::vector<HostThread>> threads;
    std::set<profile::ProcessId> with_calls;
    for (const auto& [key, spans] : spans_) {
      if (!IsAside(spans)) with_calls.insert(key.first);
    }
    for (auto& [key, spans] : spans_) {
      if (!std::ranges::is_sorted(spans, Before)) {
        util::MergeSort(activities_.work(), spans, Before);
      }
      if (activities_.work().cancelled()) return threads;
      HostThread thread;
      thread.thread = key.second;
      thread.in_flight = key.second == kInFlight;
      AddCaptures(spans);
      FindLaunches(spans);
      WantedTime& wanted = wanted_.at(key.first);
      Cut(spans, wanted, thread);
      SetStretches(thread);
      // A thread that never calls the device cannot make it wait by waiting
      // itself: it shows a progress bar, or watches the others.
      if (with_calls.contains(key.first) && IsAside(spans)) {
        DropWaits(wanted, thread);
      }
      spans = {};
      threads[key.first].push_back(std::move(thread));
    }
    for (auto& [process, of] : threads) {
      std::stable_sort(of.begin(), of.end(),
                       [](const HostThread& a, const HostThread& b) {
                         return std::tie(b.in_flight, a.recorded) >
                                std::tie(a.in_flight, b.recorded);
                       });
    }
    return threads;
  }

 private:
  using ThreadKey = std::pair<profile::ProcessId, int64_t>;

  // By start, the outer ones first.
  static bool Before(const HostSpan& a, const HostSpan& b) {
    return std::tie(a.start, b.end) < std::tie(b.start, a.end);
  }

  struct WantedTime {
    explicit WantedTime(const Intervals& of) : time(of), inside(of) {}

    // Returns whether an interval has time in [start, end]. The executions of
    // an operation come in order, so the interval is near the last one.
    bool Has(int64_t start, int64_t end) {
      next = FirstNear(time, next,
                       [&](const Interval& of) { return of.end <= start; });
      return next < time.size() && time[next].start <= end;
    }

    const Intervals& time;
    Overlap inside;
    size_t next = 0;  // the interval that was found last
  };

  // What the executions on a lane are for.
  struct OfLane {
    WantedTime* wanted = nullptr;  // nullptr: they are ignored
    // Asynchronous ranges are on no thread; those of communication say what is
    // in flight.
    bool async = false;
    bool python = false;
    bool of_accelerator = false;
    std::vector<HostSpan>* spans = nullptr;  // nullptr: none yet
  };

  OfLane WorkOnLane(profile::LaneId id) {
    const profile::Lane& lane = profile_.lanes()[id];
    OfLane of = {.async = lane.kind == profile::LaneKind::kAnnotation &&
                          !lane.calls_nest,
                 .python = lane.kind == profile::LaneKind::kPython,
                 .of_accelerator =
                     activities_.units()[activities_.unit_of(id)].accelerator};
    // A launch is work of the host, even if the file has it as an op of the
    // accelerator.
    const bool of_host =
        lane.kind == profile::LaneKind::kLaunches || !of.of_accelerator;
    const auto wanted = wanted_.find(lane.process);
    if (of_host && lane.repeats == profile::kNone && wanted != wanted_.end()) {
      of.wanted = &wanted->second;
    }
    return of;
  }

  void AddSpan(const profile::Step& step, size_t e, profile::StringId name,
               bool python, bool range) {
    const profile::LaneId id = step.LaneOf(e);
    if (id == profile::kNone || lanes_[id].wanted == nullptr ||
        !step.HasStart(e)) {
      return;
    }
    OfLane& of = lanes_[id];
    if (of.async &&
        !activities_.rules()->IsCommunication(profile_.strings().Get(name))) {
      return;
    }
    const Interval time = activities_.TimeOf(step, e);
    // A wait that ends where the wanted time begins is needed, too.
    if (time.length() <= 0 || !of.wanted->Has(time.start, time.end) ||
        activities_.IsWholeStep(time)) {
      return;
    }
    if (of.spans == nullptr) {
      const profile::Lane& lane = profile_.lanes()[id];
      of.spans = &spans_[{lane.process, of.async ? kInFlight : lane.thread}];
    }
    of.spans->push_back({time.start, time.end, name, python || of.python,
                         range && !of.async, of.of_accelerator,
                         /*capture=*/false});
  }

  // The thread runs Python or calls the system, and nothing else.
  bool IsAside(const std::vector<HostSpan>& spans) const {
    return std::all_of(
        spans.begin(), spans.end(), [this](const HostSpan& span) {
          return span.python ||
                 (!span.range &&
                  IsSystemCall(profile_.strings().Get(span.name)));
        });
  }

  static void DropWaits(WantedTime& wanted, HostThread& thread) {
    thread.waits.clear();
    std::erase_if(thread.pieces, [&](const HostPiece& piece) {
      const bool waits = piece.call == HostCall::kWait;
      if (waits) {
        thread.recorded -= wanted.inside.Length(piece.start, piece.end);
      }
      return waits;
    });
  }

  // Adds the time in which a thread captures a graph: launches in it start
  // nothing. `spans` are sorted, and stay so.
  void AddCaptures(std::vector<HostSpan>& spans) {
    std::vector<HostSpan> captures;
    bool begun = false;
    for (const HostSpan& span : spans) {
      if (span.python || !ClassOf(span.name).capture) continue;
      const std::string_view name = profile_.strings().Get(span.name);
      if (name.find("Begin") != name.npos) {
        captures.push_back(span);
        captures.back().capture = begun = true;
      } else if (begun && name.find("End") != name.npos) {
        captures.back().end = span.end;
        begun = false;
      }
    }
    if (captures.empty()) return;
    const auto middle = static_cast<ptrdiff_t>(spans.size());
    spans.insert(spans.end(), captures.begin(), captures.end());
    std::inplace_merge(spans.begin(), spans.begin() + middle, spans.end(),
                       Before);
  }

  // Finds the launches of one thread.
  void FindLaunches(const std::vector<HostSpan>& spans) {
    launches_.clear();
    for (const HostSpan& span : spans) {
      if (!span.python && ClassOf(span.name).call == HostCall::kLaunch) {
        launches_.push_back(span.start);
      }
    }
  }

  const NameClass& ClassOf(profile::StringId name) {
    NameClass& of = classes_[name];
    if (!of.known) {
      const std::string_view text = profile_.strings().Get(name);
      const std::string_view type = activities_.TypeOfNamed(name);
      const bool token = !profile_.graph().self_times && TakesToken(text, type);
      of = {.call = token ? HostCall::kWait : HostCallOf(type),
            .function = HostCallOfFunction(text),
            .library = views::IsLibraryFile(text),
            .for_program = WaitsForProgram(text) || IsSystemWait(text),
            .capture = IsGraphCapture(text),
            .system_wait = IsSystemWait(text),
            .names_input = NamesInput(text),
            .known = true};
    }
    return of;
  }

  // A call that launches much work is not input or compilation as a whole, even
  // if its name says so: it is the program around them.
  HostCall CallOf(const HostSpan& span, const NameClass& of) const {
    const HostCall call = span.python ? of.function : of.call;
    if (call == HostCall::kOther && span.launches) return HostCall::kLaunch;
    const bool may_be_input =
        call == HostCall::kOther && !span.python && of.names_input;
    if ((!IsWhole(call) && !may_be_input) || span.capture) return call;
    const auto first =
        std::lower_bound(launches_.begin(), launches_.end(), span.start);
    const auto last = std::lower_bound(first, launches_.end(), span.end);
    if (may_be_input) {
      return !launches_.empty() && last == first ? HostCall::kInput : call;
    }
    return last - first > kManyLaunches ? HostCall::kOther : call;
  }

  Open Opened(const HostSpan& span, const Open* parent) {
    const NameClass& of = ClassOf(span.name);
    Open open;
    open.end = span.end;
    HostPiece& piece = open.piece;
    piece.call = CallOf(span, of);
    piece.name = span.name;
    piece.python = span.python;
    piece.range = span.range;
    piece.library = of.library;
    piece.for_program = of.for_program;
    open.capture = of.capture;
    open.program_name = span.python && !of.library;
    if (open.program_name) {
      open.program = span.name;
    } else if (parent != nullptr) {
      open.program = parent->program;
    }
    if (parent == nullptr) return open;
    const HostPiece& outer = parent->piece;
    const bool inherits =
        IsWhole(outer.call) &&
        (!IsWhole(piece.call) || piece.call == HostCall::kInput ||
         outer.call == HostCall::kProfiler || parent->capture) &&
        // Memory has a remedy of its own.
        !(piece.call == HostCall::kAllocation &&
          outer.call == HostCall::kInput);
    if (inherits) {
      // What is captured does not run.
      open.capture |= parent->capture;
      if (parent->capture) {
        piece = outer;
      } else {
        Inherit(outer, open);
      }
    } else if (IsWhole(piece.call)) {
      if (of.capture) piece.outer = open.program;
    } else if (piece.call == HostCall::kWait ||
               piece.call == HostCall::kLaunch ||
               piece.call == HostCall::kAllocation) {
      if (outer.call == HostCall::kWait) {
        piece.name = outer.name;
        piece.outer = outer.outer;
        piece.for_program = outer.for_program;
      } else if (of.system_wait && (outer.call == HostCall::kLaunch ||
                                    outer.call == HostCall::kAllocation)) {
        piece = outer;
      } else if (piece.for_program && open.program != profile::kNone) {
        piece.outer = open.program;
      } else {
        piece.outer = outer.name;
      }
    } else if (span.python && of.library) {
      piece.outer = open.program;
    }
    return open;
  }

  // Makes an execution a part of the call around it. A function of the program,
  // or an operation of the same class, says more than the call as a whole.
  static void Inherit(const HostPiece& outer, Open& open) {
    HostPiece& piece = open.piece;
    const bool says_more =
        piece.python ? open.program_name : piece.call == outer.call;
    piece.call = outer.call;
    if (!says_more) {
      piece.name = outer.name;
      piece.outer = outer.outer;
    } else if (piece.python == outer.python) {
      piece.outer = outer.outer;
    } else {
      piece.outer = outer.name;
    }
  }

  // Adds a part of an execution, unless it is not wanted.
  static void Append(const Open& open, int64_t start, int64_t end,
                     WantedTime& wanted, HostThread& thread) {
    const int64_t length = wanted.inside.Length(start, end);
    if (length <= 0) return;
    thread.recorded += length;
    HostPiece piece = open.piece;
    piece.start = start;
    piece.end = end;
    if (!thread.pieces.empty()) {
      HostPiece& last = thread.pieces.back();
      if (last.end == start && last.name == piece.name &&
          last.outer == piece.outer && last.call == piece.call &&
          last.python == piece.python && last.range == piece.range &&
          last.library == piece.library &&
          last.for_program == piece.for_program) {
        last.end = end;
        return;
      }
    }
    thread.pieces.push_back(piece);
  }

  static void SetStretches(HostThread& thread) {
    std::vector<HostPiece>& pieces = thread.pieces;
    const auto continues = [&](size_t i) {
      const HostPiece& a = pieces[i - 1];
      const HostPiece& b = pieces[i];
      return a.end == b.start && a.python && b.python && a.library &&
             b.library && a.outer != profile::kNone && a.outer == b.outer &&
             a.call == b.call;
    };
    for (size_t first = 0; first < pieces.size();) {
      size_t end = first + 1;
      while (end < pieces.size() && continues(end)) ++end;
      const Interval stretch = {pieces[first].start, pieces[end - 1].end};
      for (; first < end; ++first) pieces[first].stretch = stretch;
    }
  }

  // Calls that overlap a little, without one inside the other, are neighbours:
  // their clock is not exact.
  bool AreNeighbours(const Open& open, const HostSpan& span) const {
    constexpr int64_t kNeighbourMicros = 1;
    return span.end > open.end &&
           open.end - span.start <=
               kNeighbourMicros * profile_.ticks_per_micro();
  }

  // Makes the pieces of a thread. `spans` are sorted, outer ones first.
  void Cut(const std::vector<HostSpan>& spans, WantedTime& wanted,
           HostThread& thread) {
    std::vector<Open> open;
    thread.pieces.reserve(spans.size());
    int64_t now = 0;
    const auto advance = [&](int64_t to) {
      while (now < to) {
        while (!open.empty() && open.back().end <= now) open.pop_back();
        if (open.empty()) break;
        const int64_t end = std::min(to, open.back().end);
        Append(open.back(), now, end, wanted, thread);
        now = end;
      }
      now = std::max(now, to);
    };
    for (const HostSpan& span : spans) {
      if (activities_.work().cancelled()) return;
      advance(span.start);
      while (!open.empty() &&
             (open.back().end <= now || AreNeighbours(open.back(), span))) {
        open.pop_back();
      }
      open.push_back(Opened(span, open.empty() ? nullptr : &open.back()));
      const HostPiece& piece = open.back().piece;
      if (piece.call == HostCall::kWait && !piece.for_program &&
          (thread.waits.empty() ||
           thread.waits.back().time.end <= span.start)) {
        thread.waits.push_back(
            {{span.start, span.end}, piece.name, piece.outer});
      }
    }
    int64_t last = now;
    for (const Open& of : open) last = std::max(last, of.end);
    advance(last);
  }

  const Activities& activities_;
  const profile::Profile& profile_;
  std::vector<NameClass> classes_;  // by StringId
  std::vector<int64_t> launches_;   // starts, of the current thread
  std::map<profile::ProcessId, WantedTime> wanted_;
  std::vector<OfLane> lanes_;
  std::map<ThreadKey, std::vector<HostSpan>> spans_;
};

}  // namespace

HostPieces::HostPieces(const Activities& activities, const Wanted& wanted) {
  Collector collector(activities, wanted);
  for (const auto& step : activities.profile().steps()) {
    if (activities.work().cancelled()) return;
    collector.Add(*step);
  }
  threads_ = std::move(collector).Finish();
}

std::span<const HostThread> HostPieces::OfProcess(
    profile::ProcessId process) const {
  const auto found = threads_.find(process);
  if (found == threads_.end()) return {};
  return found->second;
}

}  // namespace tfprof::timeline
