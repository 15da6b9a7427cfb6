// Writes traces event by event for tests, and collects their facts.

#ifndef TFPROF_LOADERS_CTF_EVENTS_EVENTS_TESTING_H_
#define TFPROF_LOADERS_CTF_EVENTS_EVENTS_TESTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "loaders/ctf/ctf_testing.h"
#include "loaders/ctf/events/trace_facts.h"

namespace tfprof::ctf {

enum ScriptEvent : uint16_t {
  kOpStart,
  kOpEnd,
  kSessionStart,
  kSessionEnd,
  kEntry,
  kExit,
  kQueued,
  kBegin,
  kEnd,
  kUnknown,
};

inline std::string ScriptMetadata() {
  const auto event = [](std::string_view name, int id,
                        std::string_view fields) {
    std::string text = "event { name = \"";
    text += name;
    text += "\"; id = ";
    text += std::to_string(id);
    text += "; stream_id = 0; fields := struct { ";
    text += fields;
    text += " }; };\n";
    return text;
  };
  constexpr char kOp[] = "string _placement; string _name;";
  constexpr char kCount[] = "int32_t _count;";
  constexpr char kCall[] = "string _name;";
  constexpr char kKernel[] = "string _name; uint64_t _timestamp;";
  return TestMetadata(
      event("tensorflowTracer:operation_start", kOpStart, kOp) +
      event("tensorflowTracer:operation_end", kOpEnd, kOp) +
      event("tensorflowTracer:session_start", kSessionStart, kCount) +
      event("tensorflowTracer:session_end", kSessionEnd, kCount) +
      event("openclTracer:function_entry", kEntry, kCall) +
      event("openclTracer:function_exit", kExit, kCall) +
      event("openclTracer:kernel_queued", kQueued, kKernel) +
      event("openclTracer:kernel_begin", kBegin, kKernel) +
      event("openclTracer:kernel_end", kEnd, kKernel) +
      event("other:thing", kUnknown, ""));
}

// Writes the events of a stream in order.
class EventScript {
 public:
  EventScript& Op(ScriptEvent id, uint64_t time, std::string_view name,
                  int thread = 1) {
    events_ += TestEvent(id, time, thread)
                   .PutString("/device:cpu:0")
                   .PutString(name)
                   .bytes();
    return *this;
  }
  EventScript& Session(ScriptEvent id, uint64_t time, int32_t count) {
    events_ += TestEvent(id, time).Put(count).bytes();
    return *this;
  }
  EventScript& Call(uint64_t entry, uint64_t exit, int thread) {
    for (const auto& [id, time] :
         {std::pair(kEntry, entry), std::pair(kExit, exit)}) {
      events_ += TestEvent(id, time, thread)
                     .PutString("clEnqueueNDRangeKernel")
                     .bytes();
    }
    return *this;
  }
  EventScript& Kernel(uint64_t time, uint64_t queued, uint64_t begin,
                      uint64_t end) {
    for (const auto& [id, stamp] :
         {std::pair(kQueued, queued), std::pair(kBegin, begin),
          std::pair(kEnd, end)}) {
      events_ += TestEvent(id, time, 9).PutString("k").Put(stamp).bytes();
    }
    return *this;
  }
  EventScript& Unknown(uint64_t time) {
    events_ += TestEvent(kUnknown, time).bytes();
    return *this;
  }
  TraceFacts Facts() const {
    loaders::ImportLog log;
    const auto files =
        OpenTest(ScriptMetadata(), {PacketBytes({.events = events_})}, log);
    EXPECT_TRUE(files.ok()) << files.status();
    if (!files.ok()) return {};
    TraceFacts facts = CollectFacts(*files, nullptr, log);
    EXPECT_TRUE(log.entries().empty());
    return facts;
  }

 private:
  std::string events_;
};

// Writes arbitrary events. The first Add() of a name declares its fields. Times
// are cycles; the clock of TestMetadata() has an offset of 1000.
class AnyEvents {
 public:
  // `fields` is TSDL ("string _name; uint64_t _bytes;"), `payload` their bytes.
  AnyEvents& Add(const std::string& name, const std::string& fields,
                 uint64_t time, const std::string& payload, int thread = 1) {
    const auto [it, is_new] =
        ids_.try_emplace(name, static_cast<uint16_t>(ids_.size()));
    if (is_new) {
      declared_ += "event { name = \"" + name +
                   "\"; id = " + std::to_string(it->second) +
                   "; stream_id = 0; fields := struct { " + fields + " }; };\n";
    }
    events_ += TestEvent(it->second, time, thread).bytes() + payload;
    return *this;
  }
  TraceFacts Facts() const {
    loaders::ImportLog log;
    const auto files = OpenTest(TestMetadata(declared_),
                                {PacketBytes({.events = events_})}, log);
    EXPECT_TRUE(files.ok()) << files.status();
    if (!files.ok()) return {};
    TraceFacts facts = CollectFacts(*files, nullptr, log);
    EXPECT_TRUE(log.entries().empty()) << log.Lines()[0];
    return facts;
  }

 private:
  std::map<std::string, uint16_t> ids_;
  std::string declared_;
  std::string events_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_EVENTS_TESTING_H_
