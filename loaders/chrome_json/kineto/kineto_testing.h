// Shared by the tests of the Kineto loader: makes small traces and loads them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_TESTING_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_TESTING_H_

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/kineto.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "profile/profile.h"

namespace tfprof::kineto {

// Makes an event on thread 5 of process 1; times are in microseconds.
inline std::string Complete(std::string_view category, std::string_view name,
                            std::string_view start, std::string_view duration,
                            std::string_view args = "",
                            std::string_view thread = "5") {
  return fmt::format(
      R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},)"
      R"("args":{{{}}}}})",
      category, name, thread, start, duration, args);
}
inline std::string Op(std::string_view name, std::string_view start,
                      std::string_view duration, std::string_view args = "",
                      std::string_view thread = "5") {
  return Complete("cpu_op", name, start, duration, args, thread);
}
inline std::string Range(std::string_view name, std::string_view start,
                         std::string_view duration) {
  return Complete("user_annotation", name, start, duration);
}
inline std::string Launch(std::string_view name, std::string_view start,
                          std::string_view duration, int correlation) {
  return Complete("cuda_runtime", name, start, duration,
                  fmt::format("\"correlation\":{}", correlation));
}
// Makes an event on device 0.
inline std::string OnStream(std::string_view category, std::string_view name,
                            std::string_view start, std::string_view duration,
                            int stream, int correlation) {
  return fmt::format(
      R"({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
      R"("args":{{"device":0,"stream":{},"correlation":{}}}}})",
      category, name, stream, start, duration, stream, correlation);
}

// Makes a file of these events and other members.
inline std::string Trace(const std::vector<std::string>& events,
                         std::string_view members = "\"schemaVersion\":1") {
  std::string text = "{";
  text.append(members).append(",\"traceEvents\":[");
  for (size_t i = 0; i < events.size(); ++i) {
    text.append(i == 0 ? "\n" : ",\n").append(events[i]);
  }
  return text.append("]}");
}

struct LoadedTrace {
  profile::Profile profile;
  loaders::ImportLog log;

  profile::NodeId Find(std::string_view name) const {
    const profile::NodeId n =
        profile.nodes().Find(profile.strings().Find(name));
    EXPECT_NE(n, profile::kNone) << name;
    return n;
  }
  // The sums over all steps: (runs, ns on the CPU, ns on accelerators).
  struct Sums {
    int64_t runs = 0, cpu = 0, accelerator = 0;
    friend bool operator==(const Sums&, const Sums&) = default;
  };
  std::map<std::string, Sums> ByName() const {
    std::map<std::string, Sums> sums;
    for (const auto& step : profile.steps()) {
      for (size_t g = 0; g < step->num_groups(); ++g) {
        const accounting::Stats stats = accounting::StatsOfGroup(*step, g);
        Sums& sum = sums[std::string(
            profile.node_name(static_cast<profile::NodeId>(step->node[g])))];
        sum.runs += stats[accounting::kRunCount];
        sum.cpu += stats[accounting::kCpuMicros];
        sum.accelerator += stats[accounting::kAcceleratorMicros];
      }
    }
    return sums;
  }
  std::string ScopeOf(std::string_view node) const {
    std::string path;
    for (profile::ScopeId s = profile.nodes().scope[Find(node)];
         s != profile::kRootScope; s = profile.graph().scopes[s].parent) {
      path =
          std::string(profile.strings().Get(profile.graph().scopes[s].name)) +
          (path.empty() ? "" : "|") + path;
    }
    return path;
  }
  // Formats each frame as "file:line function", outermost first.
  std::vector<std::string> StackOf(std::string_view node) const {
    std::vector<std::string> stack;
    const profile::CallStacks& stacks = profile.graph().stacks;
    for (const profile::FrameId f :
         stacks.Frames(profile.nodes().stack[Find(node)])) {
      const profile::Frame& frame = stacks.frame(f);
      stack.push_back(fmt::format("{}:{} {}", profile.strings().Get(frame.file),
                                  frame.lineno,
                                  profile.strings().Get(frame.function)));
    }
    return stack;
  }
};

inline LoadedTrace LoadTraces(
    const std::vector<std::pair<std::string, std::string>>& files,
    const util::TaskOptions& work = {}) {
  loaders::LoadContext context(work);
  context.builder.SetRules(accounting::SelfTimeRules());
  std::vector<std::shared_ptr<const loaders::InputFile>> inputs;
  for (const auto& [path, text] : files) {
    inputs.push_back(loaders::InputFile::FromBytes(path, text));
  }
  const absl::Status status = LoadKineto(inputs, context);
  EXPECT_TRUE(status.ok()) << status;
  LoadedTrace loaded;
  loaded.profile = std::move(context.builder).Build();
  loaded.log = std::move(context.log);
  return loaded;
}

inline LoadedTrace LoadTrace(const std::vector<std::string>& events,
                             std::string_view members = "\"x\":1") {
  return LoadTraces({{"trace.json", Trace(events, members)}});
}

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_TESTING_H_
