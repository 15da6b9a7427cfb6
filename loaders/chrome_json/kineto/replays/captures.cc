#include "loaders/chrome_json/kineto/replays/captures.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// The calls that begin a capture and those that end one, in the order of the
// file.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> Marks(
    const KinetoEvents& events, const profile::StringPool& strings) {
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> marks;
  for (uint32_t e = 0; e < events.host.size(); ++e) {
    if (events.host[e].category != KinetoCategory::kLaunch) continue;
    const std::string_view name = strings.Get(events.host[e].name);
    if (Contains(name, "StreamBeginCapture")) marks.first.push_back(e);
    if (Contains(name, "StreamEndCapture")) marks.second.push_back(e);
  }
  return marks;
}

// What puts something into a graph: a launch, a copy or a fill.
bool IsWork(std::string_view call) {
  const std::string name = util::LowerCase(call);
  return Contains(name, "launch") || Contains(name, "memcpy") ||
         Contains(name, "memset");
}

// Operators, calls of the runtime and Python functions as one list: the host
// events of a file, then its Python events.
class Calls {
 public:
  explicit Calls(const KinetoEvents& events) : events_(events) {}

  size_t size() const { return events_.host.size() + events_.python.size(); }
  bool IsPython(uint32_t c) const { return c >= events_.host.size(); }
  bool IsOperator(uint32_t c) const {
    return !IsPython(c) && !events_.host[c].is_range &&
           events_.host[c].category == KinetoCategory::kOp;
  }
  int64_t start(uint32_t c) const {
    return IsPython(c) ? python(c).start : events_.host[c].start;
  }
  int64_t end(uint32_t c) const {
    return IsPython(c) ? python(c).end : events_.host[c].end();
  }
  uint32_t thread(uint32_t c) const {
    return IsPython(c) ? python(c).thread : events_.host[c].thread;
  }
  // Ranges may open in one function and close in another, so they take no part.
  bool Nests(uint32_t c) const {
    return IsPython(c) || events_.host[c].category == KinetoCategory::kLaunch ||
           IsOperator(c);
  }

  // All that nest, by thread and start, callers before what they call.
  std::vector<uint32_t> Order() const {
    std::vector<uint32_t> order;
    for (uint32_t c = 0; c < size(); ++c) {
      if (Nests(c)) order.push_back(c);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (thread(a) != thread(b)) return thread(a) < thread(b);
      if (start(a) != start(b)) return start(a) < start(b);
      if (end(a) != end(b)) return end(a) > end(b);
      if (IsPython(a) != IsPython(b)) return IsPython(a);
      return a < b;
    });
    return order;
  }

 private:
  const PythonEvent& python(uint32_t c) const {
    return events_.python[c - events_.host.size()];
  }
  const KinetoEvents& events_;
};

// Returns the caller of each call, kNone if it has none. A call that ends after
// its caller is its neighbour if they overlap by less than a microsecond, which
// is a matter of clocks. Otherwise it calls nothing and is not called.
std::vector<uint32_t> FindCallers(const Calls& calls,
                                  const std::vector<uint32_t>& order) {
  std::vector<uint32_t> caller(calls.size(), profile::kNone), open;
  for (const uint32_t c : order) {
    if (!open.empty() && calls.thread(open.back()) != calls.thread(c)) {
      open.clear();
    }
    while (!open.empty() && calls.end(open.back()) <= calls.start(c)) {
      open.pop_back();
    }
    const auto ends_before = [&](uint32_t other) {
      return calls.end(other) < calls.end(c);
    };
    while (!open.empty() && ends_before(open.back()) &&
           calls.end(open.back()) - calls.start(c) < kNanosPerMicro) {
      open.pop_back();
    }
    if (!open.empty() && ends_before(open.back())) continue;
    if (!open.empty()) caller[c] = open.back();
    open.push_back(c);
  }
  return caller;
}

// For calls in a capture: their outermost caller in it (or themselves), and the
// innermost operator at or above them.
struct Inside {
  std::vector<uint32_t> capture;  // kNone: in none
  std::vector<uint32_t> outermost;
  std::vector<uint32_t> op;  // kNone: there is none
};

}  // namespace

WorkKinds::WorkKinds(profile::StringPool& strings)
    : strings_(strings),
      copy_(strings.Intern("Memcpy")),
      fill_(strings.Intern("Memset")) {}

profile::StringId WorkKinds::OfKernel(profile::StringId name) const {
  const std::string_view text = strings_.Get(name);
  if (Contains(text, "Memcpy")) return copy_;
  // ROCm fills memory with a kernel.
  if (Contains(text, "Memset") || Contains(text, "fillBuffer")) return fill_;
  return name;
}

profile::StringId WorkKinds::OfCall(profile::StringId call,
                                    profile::StringId kernel) const {
  const std::string_view text = strings_.Get(call);
  if (Contains(text, "Memcpy")) return copy_;
  if (Contains(text, "Memset")) return fill_;
  return kernel == profile::kNone ? profile::kNone : OfKernel(kernel);
}

namespace {

// Finds the captures of a file. The marks of a capture are a pair of calls.
class CaptureFinder {
 public:
  CaptureFinder(const KinetoEvents& events, const profile::StringPool& strings,
                const WorkKinds& kinds)
      : events_(events), strings_(strings), kinds_(kinds), calls_(events) {}

  std::vector<GraphCapture> Run() {
    const auto [begins, ends] = Marks(events_, strings_);
    const size_t size = std::min(begins.size(), ends.size());
    std::vector<GraphCapture> captures(size);
    for (uint32_t i = 0; i < size; ++i) {
      captures[i].begin = begins[i];
      spans_.push_back(
          {events_.host[begins[i]].end(), events_.host[ends[i]].start, i});
    }
    std::sort(spans_.begin(), spans_.end());
    for (size_t i = 1; i < spans_.size(); ++i) {
      if (spans_[i].start < spans_[i - 1].end) return {};
    }
    const std::vector<uint32_t> order = calls_.Order();
    const std::vector<uint32_t> caller = FindCallers(calls_, order);
    const Inside inside = Look(order, caller);
    for (const uint32_t c : WorkByStart()) {
      const uint32_t capture = inside.capture[c];
      const uint32_t outermost = inside.outermost[c];
      if (capture == profile::kNone || outermost == c ||
          caller[outermost] == profile::kNone ||
          (!calls_.IsPython(outermost) && !calls_.IsOperator(outermost))) {
        continue;
      }
      const profile::StringId kernel = KernelOf(c);
      captures[capture].work.push_back(
          {kernel, kinds_.OfCall(events_.host[c].name, kernel)});
      const uint32_t op = inside.op[caller[c]];
      captures[capture].owner.push_back(op == profile::kNone ? c : op);
    }
    return captures;
  }

 private:
  // The time between the calls of a capture.
  struct Span {
    int64_t start;
    int64_t end;
    uint32_t capture;
    friend auto operator<=>(const Span&, const Span&) = default;
  };

  // Returns the capture that contains a call, or kNone.
  uint32_t CaptureOf(uint32_t c) const {
    const auto after = std::partition_point(
        spans_.begin(), spans_.end(),
        [&](const Span& span) { return span.start <= calls_.start(c); });
    if (after == spans_.begin()) return profile::kNone;
    const Span& span = *(after - 1);
    return calls_.end(c) <= span.end ? span.capture : profile::kNone;
  }

  // Callers come first in `order`.
  Inside Look(const std::vector<uint32_t>& order,
              const std::vector<uint32_t>& caller) const {
    Inside inside;
    inside.capture.assign(calls_.size(), profile::kNone);
    inside.outermost.assign(calls_.size(), profile::kNone);
    inside.op.assign(calls_.size(), profile::kNone);
    for (const uint32_t c : order) {
      const uint32_t capture = inside.capture[c] = CaptureOf(c);
      if (capture == profile::kNone) continue;
      const uint32_t above = caller[c];
      const bool nested =
          above != profile::kNone && inside.capture[above] == capture;
      inside.outermost[c] = nested ? inside.outermost[above] : c;
      if (calls_.IsOperator(c) && !IsExecute(c)) {
        inside.op[c] = c;
      } else if (nested && (calls_.IsPython(c) || calls_.IsOperator(c))) {
        inside.op[c] = inside.op[above];
      }
    }
    return inside;
  }

  // The operator of a runtime that executes others says nothing.
  bool IsExecute(uint32_t c) const {
    return strings_.Get(events_.host[c].name) == "execute";
  }

  std::vector<uint32_t> WorkByStart() const {
    std::vector<uint32_t> work;
    for (uint32_t e = 0; e < events_.host.size(); ++e) {
      if (events_.host[e].category == KinetoCategory::kLaunch &&
          IsWork(strings_.Get(events_.host[e].name))) {
        work.push_back(e);
      }
    }
    std::stable_sort(work.begin(), work.end(), [&](uint32_t a, uint32_t b) {
      return events_.host[a].start < events_.host[b].start;
    });
    return work;
  }

  profile::StringId KernelOf(uint32_t e) const {
    const auto& named = events_.launched_kernels;
    const auto found = std::lower_bound(
        named.begin(), named.end(), e,
        [](const auto& entry, uint32_t host) { return entry.first < host; });
    return found != named.end() && found->first == e ? found->second
                                                     : profile::kNone;
  }

  const KinetoEvents& events_;
  const profile::StringPool& strings_;
  const WorkKinds& kinds_;
  const Calls calls_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<GraphCapture> FindCaptures(const KinetoEvents& events,
                                       const profile::StringPool& strings,
                                       const WorkKinds& kinds) {
  return CaptureFinder(events, strings, kinds).Run();
}

bool HasCapture(const KinetoEvents& events,
                const profile::StringPool& strings) {
  const auto [begins, ends] = Marks(events, strings);
  return !begins.empty() && !ends.empty();
}

int64_t AnnotatedBatch(const KinetoEvents& events,
                       const profile::StringPool& strings) {
  for (const HostEvent& event : events.host) {
    if (event.category != KinetoCategory::kRange) continue;
    constexpr std::string_view kPrefix = "capture_";
    std::string_view name = strings.Get(event.name);
    if (!name.starts_with(kPrefix)) continue;
    name.remove_prefix(kPrefix.size());
    const size_t digits = name.find_first_not_of("0123456789");
    if (digits == 0 || digits == name.npos || name[digits] != '_') continue;
    const auto batch = util::ParseDecimal(name.substr(0, digits));
    if (batch) return *batch;
  }
  return -1;
}

int64_t BatchOfPath(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);
  constexpr std::string_view kWord = "bs_";
  for (size_t at = path.find(kWord); at != path.npos;
       at = path.find(kWord, at + 1)) {
    const std::string_view number = path.substr(at + kWord.size());
    const size_t digits =
        std::min(number.find_first_not_of("0123456789"), number.size());
    if (digits == 0) continue;
    return util::ParseDecimal(number.substr(0, digits)).value_or(-1);
  }
  return -1;
}

}  // namespace tfprof::kineto
