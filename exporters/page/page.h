// The timeline page: one HTML file that shows a profile in a browser.
//
// Page has the contents of the page as plain values; collect.h makes it from a
// Profile. WritePage writes the file: a small HTML frame, the style and the
// script of //web, a head in JSON, and columns of numbers, each compressed with
// gzip and in base64. The file loads nothing else: its content security policy
// allows one script and one style, by their hashes.
//
// Times are ticks from `origin`; a tick is 1/ticks_per_micro microseconds.
// Starts are not negative, and no time is above 2^53, so that a browser's
// numbers hold them exactly. Texts are ids in `strings`; kNone means no text.
// Names may have any bytes: the page shows them as text and never as HTML.
//
// The writer checks nothing: ids must be valid. It fails only if there is not
// enough memory for compression; the sink reports errors of writing.

#ifndef TFPROF_EXPORTERS_PAGE_PAGE_H_
#define TFPROF_EXPORTERS_PAGE_PAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "profile/tables/string_pool.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

// The largest time of a page. Above it, the numbers of a browser are not exact.
inline constexpr int64_t kMaxPageTime = int64_t{1} << 53;

// The kind of an event, for lanes, figures and filters.
enum class PageKind : uint8_t {
  kCompute,        // ops of a CPU, kernels of an accelerator
  kCommunication,  // between processes
  kCopy,           // between memories
  kLaunch,         // the host's work for ops of an accelerator
  kAnnotation,     // ranges that a program named
  kOther,
};

// The busy times of a device in ticks, as unions of intervals.
struct PageFigures {
  int64_t span = 0;
  int64_t busy = 0;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t copies = 0;
  int64_t overlap = 0;  // of compute with communication
  int64_t exposed_communication = 0;
  int64_t idle = 0;
  // The parts of the idle time: (cause, ticks).
  std::vector<std::pair<std::string, int64_t>> idle_by_cause;
};

struct PageProcess {
  std::string name;
};

// A part of the wall time of a device in a step. The parts add up to it.
struct PageAccountPart {
  std::string name;  // for people: "waiting for input"
  std::string kind;  // compute, communication, copies, idle or unknown
  int64_t ticks = 0;
  std::string most;  // what took most of it
};

struct PageDevice {
  uint32_t process = 0;
  std::string label;  // "gpu:0"
  std::string name;   // in full
  bool accelerator = false;
  std::optional<PageFigures> figures;    // of all steps
  std::vector<PageAccountPart> account;  // of `account_step`, largest first
};

struct PageLane {
  uint32_t device = 0;
  std::string name;
  PageKind kind = PageKind::kOther;
  // False if its events repeat events of other lanes, or only name ranges. Sums
  // leave them out.
  bool counted = true;
  // Lanes of one thread have the same number: their events may be nested.
  // kNone: the lane is alone.
  uint32_t thread = profile::kNone;
};

struct PageStep {
  int64_t number = 0;
  uint32_t process = profile::kNone;  // kNone: of all processes
  profile::StringId name = profile::kNone;
  int64_t start = 0;
  int64_t end = 0;
};

// The kind of an event: the same for all events of an op, or of a kernel of an
// op.
struct PageEntry {
  profile::StringId name = profile::kNone;  // of the kernel, the copy, the node
  profile::StringId op = profile::kNone;    // the type
  profile::StringId node = profile::kNone;  // full name; kNone: no node
  uint32_t scope = 0;                       // in scopes
  uint32_t stack = 0;                       // in stacks
  // The names of the nodes whose outputs it reads, by position; empty if the
  // profile has no data flow.
  std::vector<profile::StringId> inputs;
};

// Events are sorted by lane, then start; longer ones come first.
struct PageEvent {
  int64_t start = 0;
  int64_t duration = 0;
  uint32_t lane = 0;
  uint32_t entry = 0;
  uint32_t step = profile::kNone;  // number in step_numbers; kNone: in no step
  uint32_t detail = 0;             // in details; 0: not kept
};

// An event that moved data.
struct PageTransfer {
  uint32_t event = 0;
  int64_t bytes = -1;  // -1: not recorded
  profile::StringId tensor = profile::kNone;
  profile::StringId from = profile::kNone;
  profile::StringId to = profile::kNone;
};

// A link between two events; `kind` is a LinkKind.
struct PageLink {
  uint32_t from = 0;
  uint32_t to = 0;
  uint8_t kind = 0;
};

// The critical path's data about an event.
struct PagePathEvent {
  uint32_t event = 0;
  int64_t on_path = 0;  // the part of its time on the path
  int64_t slack = 0;    // the delay that would not delay the end
};

struct PageTree {
  uint32_t parent = 0;
  profile::StringId name = profile::kNone;
  int64_t line = 0;                         // of a stack's frame; 0: unknown
  profile::StringId file = profile::kNone;  // of a stack's frame
};

// A time series: the bytes of an allocator, the load of a device.
struct PageCounter {
  struct Sample {
    int64_t time = 0;
    double value = 0;
    uint32_t event = profile::kNone;  // that changed the level
  };
  uint32_t device = profile::kNone;  // kNone: of `process`
  uint32_t process = 0;
  std::string name;
  std::string unit;
  bool is_change = false;  // values add up to the level
  std::vector<Sample> samples;
};

struct PageFinding {
  std::string severity;  // "warning"
  std::string checker;
  std::string rule;
  std::string subject;
  std::string text;
  std::string advice;
  std::string evidence;
};

struct Page {
  std::string title;
  std::string program;             // "tfprof 1.4.0"
  std::vector<std::string> notes;  // for the reader of the page
  // True if events inside another event of their thread are part of it; false
  // if they ran in parallel.
  bool nested = false;
  int64_t ticks_per_micro = 1;
  int64_t origin = 0;
  int64_t span = 0;
  profile::StringPool strings;
  std::vector<PageProcess> processes;
  std::vector<PageDevice> devices;
  std::vector<PageLane> lanes;
  std::vector<int64_t> step_numbers;
  int64_t account_step = -1;    // the number of the step; -1: no account
  std::vector<PageStep> steps;  // intervals, by start
  std::vector<PageEntry> entries;
  std::vector<PageEvent> events;
  std::vector<PageTransfer> transfers;  // ascending event
  std::vector<PageLink> links;          // ascending `from`
  std::vector<PagePathEvent> path;      // ascending event
  // Element 0 is the root, or "none": it has no name and no parent.
  std::vector<PageTree> scopes = {{}};
  std::vector<PageTree> stacks = {{}};
  // Recorded fields: (key, value) pairs. Element 0 is empty.
  std::vector<std::vector<std::pair<profile::StringId, profile::StringId>>>
      details = {{}};
  std::vector<PageCounter> counters;
  std::vector<PageFinding> findings;  // worst first
};

absl::Status WritePage(const Page& page, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_PAGE_H_
