#include "exporters/page/page.h"

#include <string>
#include <string_view>

#include "exporters/page/columns.h"
#include "fmt/format.h"
#include "util/json/json_string.h"
#include "web/page_files.h"

namespace tfprof::exporters {
namespace {

// The version of the head and the columns.
constexpr int kFormat = 1;

std::string_view KindName(PageKind kind) {
  switch (kind) {
    case PageKind::kCompute:
      return "compute";
    case PageKind::kCommunication:
      return "communication";
    case PageKind::kCopy:
      return "copy";
    case PageKind::kLaunch:
      return "launch";
    case PageKind::kAnnotation:
      return "annotation";
    case PageKind::kOther:
      break;
  }
  return "other";
}

// Writes JSON in pieces. The JSON cannot end the script element that contains
// it: "<", which occurs only in strings, is written as an escape.
class Json {
 public:
  const std::string& text() const { return text_; }

  Json& Open(char bracket) {
    Comma();
    text_ += bracket;
    return *this;
  }
  Json& Close(char bracket) {
    text_ += bracket;
    return *this;
  }
  Json& Key(std::string_view key) {
    Comma();
    util::AppendJsonString(key, &text_);
    text_ += ':';
    return *this;
  }
  Json& Text(std::string_view value) {
    Comma();
    const size_t begin = text_.size();
    util::AppendJsonString(value, &text_);
    for (size_t i = begin; (i = text_.find('<', i)) != text_.npos;) {
      text_.replace(i, 1, "\\u003c");
    }
    return *this;
  }
  Json& Number(int64_t value) {
    Comma();
    text_ += fmt::format("{}", value);
    return *this;
  }
  Json& Bool(bool value) {
    Comma();
    text_ += value ? "true" : "false";
    return *this;
  }

 private:
  void Comma() {
    if (text_.empty()) return;
    const char last = text_.back();
    if (last != '{' && last != '[' && last != ':') text_ += ',';
  }

  std::string text_;
};

void WriteFigures(const PageFigures& figures, Json& json) {
  json.Key("figures").Open('{');
  json.Key("span").Number(figures.span);
  json.Key("busy").Number(figures.busy);
  json.Key("compute").Number(figures.compute);
  json.Key("communication").Number(figures.communication);
  json.Key("copies").Number(figures.copies);
  json.Key("overlap").Number(figures.overlap);
  json.Key("exposed").Number(figures.exposed_communication);
  json.Key("idle").Number(figures.idle);
  json.Key("causes").Open('[');
  for (const auto& [cause, ticks] : figures.idle_by_cause) {
    json.Open('[').Text(cause).Number(ticks).Close(']');
  }
  json.Close(']').Close('}');
}

// The head has the numbers of events of each lane: events are sorted by lane.
std::vector<int64_t> EventsByLane(const Page& page) {
  std::vector<int64_t> count(page.lanes.size(), 0);
  for (const PageEvent& event : page.events) ++count[event.lane];
  return count;
}

void WriteAccount(const std::vector<PageAccountPart>& account, Json& json) {
  json.Key("account").Open('[');
  for (const PageAccountPart& part : account) {
    json.Open('{');
    json.Key("name").Text(part.name);
    json.Key("kind").Text(part.kind);
    json.Key("ticks").Number(part.ticks);
    json.Key("most").Text(part.most);
    json.Close('}');
  }
  json.Close(']');
}

std::string Head(const Page& page) {
  Json json;
  json.Open('{');
  json.Key("format").Number(kFormat);
  json.Key("title").Text(page.title);
  json.Key("program").Text(page.program);
  json.Key("nested").Bool(page.nested);
  json.Key("ticksPerMicro").Number(page.ticks_per_micro);
  // Written as text: a JavaScript number cannot hold all digits.
  json.Key("origin").Text(fmt::format("{}", page.origin));
  json.Key("span").Number(page.span);
  json.Key("accountStep").Number(page.account_step);
  json.Key("notes").Open('[');
  for (const std::string& note : page.notes) json.Text(note);
  json.Close(']');
  json.Key("counts").Open('{');
  json.Key("strings").Number(static_cast<int64_t>(page.strings.size()));
  json.Key("entries").Number(static_cast<int64_t>(page.entries.size()));
  json.Key("events").Number(static_cast<int64_t>(page.events.size()));
  json.Key("transfers").Number(static_cast<int64_t>(page.transfers.size()));
  json.Key("links").Number(static_cast<int64_t>(page.links.size()));
  json.Key("scopes").Number(static_cast<int64_t>(page.scopes.size()));
  json.Key("stacks").Number(static_cast<int64_t>(page.stacks.size()));
  json.Key("details").Number(static_cast<int64_t>(page.details.size()));
  json.Close('}');
  json.Key("processes").Open('[');
  for (const PageProcess& process : page.processes) json.Text(process.name);
  json.Close(']');
  json.Key("devices").Open('[');
  for (const PageDevice& device : page.devices) {
    json.Open('{');
    json.Key("process").Number(device.process);
    json.Key("label").Text(device.label);
    json.Key("name").Text(device.name);
    json.Key("accelerator").Bool(device.accelerator);
    if (device.figures) WriteFigures(*device.figures, json);
    if (!device.account.empty()) WriteAccount(device.account, json);
    json.Close('}');
  }
  json.Close(']');
  const std::vector<int64_t> events = EventsByLane(page);
  json.Key("lanes").Open('[');
  for (size_t l = 0; l < page.lanes.size(); ++l) {
    const PageLane& lane = page.lanes[l];
    json.Open('{');
    json.Key("device").Number(lane.device);
    json.Key("name").Text(lane.name);
    json.Key("kind").Text(KindName(lane.kind));
    json.Key("counted").Bool(lane.counted);
    json.Key("thread").Number(
        lane.thread == profile::kNone ? -1 : static_cast<int64_t>(lane.thread));
    json.Key("events").Number(events[l]);
    json.Close('}');
  }
  json.Close(']');
  json.Key("stepNumbers").Open('[');
  for (const int64_t number : page.step_numbers) json.Number(number);
  json.Close(']');
  json.Key("counters").Open('[');
  for (const PageCounter& counter : page.counters) {
    json.Open('{');
    json.Key("device").Number(counter.device == profile::kNone
                                  ? -1
                                  : static_cast<int64_t>(counter.device));
    json.Key("process").Number(counter.process);
    json.Key("name").Text(counter.name);
    json.Key("unit").Text(counter.unit);
    json.Key("change").Bool(counter.is_change);
    json.Key("samples").Number(static_cast<int64_t>(counter.samples.size()));
    json.Close('}');
  }
  json.Close(']');
  json.Key("findings").Open('[');
  for (const PageFinding& finding : page.findings) {
    json.Open('{');
    json.Key("severity").Text(finding.severity);
    json.Key("checker").Text(finding.checker);
    json.Key("rule").Text(finding.rule);
    json.Key("subject").Text(finding.subject);
    json.Key("text").Text(finding.text);
    json.Key("advice").Text(finding.advice);
    json.Key("evidence").Text(finding.evidence);
    json.Close('}');
  }
  json.Close(']');
  json.Close('}');
  return json.text();
}

class Writer {
 public:
  Writer(const Page& page, util::Sink& sink) : page_(page), sink_(sink) {}

  absl::Status Write() {
    const PageFiles& files = GetPageFiles();
    sink_.Write(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n");
    sink_.Write(fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri "
        "'none'; form-action 'none'\">\n",
        files.script_hash, files.style_hash));
    sink_.Write(
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<title>Timeline</title>\n<style>");
    sink_.Write(files.style);
    sink_.Write("</style>\n</head>\n<body>\n");
    sink_.Write(files.body);
    sink_.Write("<script type=\"application/json\" id=\"head\">");
    sink_.Write(Head(page_));
    sink_.Write("</script>\n");
    WriteStrings();
    WriteEvents();
    WriteEntries();
    WriteTables();
    WriteSamples();
    sink_.Write("<script>");
    sink_.Write(files.script);
    sink_.Write("</script>\n</body>\n</html>\n");
    return status_;
  }

 private:
  void Column(std::string_view id, const PageColumn& column) {
    if (!sink_.wanted()) return;
    sink_.Write("<script type=\"text/plain\" id=\"");
    sink_.Write(id);
    sink_.Write("\">");
    status_.Update(column.Encode(sink_));
    sink_.Write("</script>\n");
  }

  void WriteStrings() {
    Json json;
    json.Open('[');
    for (profile::StringId s = 0; s < page_.strings.size(); ++s) {
      json.Text(page_.strings.Get(s));
    }
    json.Close(']');
    Column("strings", PageColumn(json.text()));
  }

  // Starts are stored as differences from the previous event of the lane.
  void WriteEvents() {
    PageColumn start, duration, entry, step, detail;
    const PageEvent* before = nullptr;
    for (const PageEvent& event : page_.events) {
      const bool is_first = before == nullptr || before->lane != event.lane;
      start.Add(
          static_cast<uint64_t>(event.start - (is_first ? 0 : before->start)));
      duration.Add(static_cast<uint64_t>(event.duration));
      entry.Add(event.entry);
      step.AddId(event.step);
      detail.Add(event.detail);
      before = &event;
    }
    Column("event-start", start);
    Column("event-duration", duration);
    Column("event-entry", entry);
    Column("event-step", step);
    Column("event-detail", detail);
  }

  void WriteEntries() {
    PageColumn name, op, node, scope, stack, inputs;
    for (const PageEntry& entry : page_.entries) {
      name.AddId(entry.name);
      op.AddId(entry.op);
      node.AddId(entry.node);
      scope.Add(entry.scope);
      stack.Add(entry.stack);
      inputs.Add(entry.inputs.size());
      for (const profile::StringId input : entry.inputs) inputs.AddId(input);
    }
    Column("entry-name", name);
    Column("entry-op", op);
    Column("entry-node", node);
    Column("entry-scope", scope);
    Column("entry-stack", stack);
    Column("entry-inputs", inputs);
  }

  void WriteTree(std::string_view id, const std::vector<PageTree>& tree) {
    PageColumn column;
    for (const PageTree& node : tree) {
      column.Add(node.parent);
      column.AddId(node.name);
      column.AddId(node.file);
      column.AddSigned(node.line);
    }
    Column(id, column);
  }

  void WriteTables() {
    WriteTree("scopes", page_.scopes);
    WriteTree("stacks", page_.stacks);
    PageColumn steps;
    for (const PageStep& step : page_.steps) {
      steps.AddSigned(step.number);
      steps.AddId(step.process);
      steps.AddId(step.name);
      steps.Add(static_cast<uint64_t>(step.start));
      steps.Add(static_cast<uint64_t>(step.end - step.start));
    }
    Column("steps", steps);
    PageColumn transfers;
    uint32_t event = 0;
    for (const PageTransfer& transfer : page_.transfers) {
      transfers.Add(transfer.event - event);
      event = transfer.event;
      transfers.Add(static_cast<uint64_t>(transfer.bytes + 1));
      transfers.AddId(transfer.tensor);
      transfers.AddId(transfer.from);
      transfers.AddId(transfer.to);
    }
    Column("transfers", transfers);
    PageColumn links;
    PageLink before;
    for (const PageLink& link : page_.links) {
      links.Add(link.from - before.from);
      links.AddSigned(static_cast<int64_t>(link.to) - before.to);
      links.Add(link.kind);
      before = link;
    }
    Column("links", links);
    PageColumn path;
    event = 0;
    for (const PagePathEvent& of : page_.path) {
      path.Add(of.event - event);
      event = of.event;
      path.Add(static_cast<uint64_t>(of.on_path));
      path.Add(static_cast<uint64_t>(of.slack));
    }
    Column("path", path);
    PageColumn details;
    for (const auto& fields : page_.details) {
      details.Add(fields.size());
      for (const auto& [key, value] : fields) {
        details.AddId(key);
        details.AddId(value);
      }
    }
    Column("details", details);
  }

  void WriteSamples() {
    PageColumn time, value, event;
    for (const PageCounter& counter : page_.counters) {
      int64_t before = 0;
      for (const PageCounter::Sample& sample : counter.samples) {
        time.AddSigned(sample.time - before);
        before = sample.time;
        value.AddDouble(sample.value);
        event.AddId(sample.event);
      }
    }
    Column("sample-time", time);
    Column("sample-value", value);
    Column("sample-event", event);
  }

  const Page& page_;
  util::Sink& sink_;
  absl::Status status_;
};

}  // namespace

absl::Status WritePage(const Page& page, util::Sink& sink) {
  return Writer(page, sink).Write();
}

}  // namespace tfprof::exporters
