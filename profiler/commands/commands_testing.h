// Helpers for tests of commands: workspaces with models that are built by hand,
// and the answers of lines.

#ifndef TFPROF_PROFILER_COMMANDS_COMMANDS_TESTING_H_
#define TFPROF_PROFILER_COMMANDS_COMMANDS_TESTING_H_

#include <string>
#include <string_view>
#include <utility>

#include "accounting/small_model_testing.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/parse.h"
#include "profiler/options/words.h"
#include "tables/writers/answer_writer.h"
#include "util/files/sink.h"

namespace tfprof::commands {

inline Workspace WorkspaceOf(profile::Profile profile) {
  loaders::Loaded loaded;
  loaded.profile = std::move(profile);
  return Workspace(std::move(loaded), {});
}

inline Workspace SmallWorkspace() {
  return WorkspaceOf(accounting::SmallModel());
}

// `profile`, whose executions --max_memory dropped.
inline profile::Profile WithoutExecutions(const profile::Profile& profile) {
  profile::ProfileBuilder builder(accounting::TfprofRules(), profile);
  builder.SetMaxMemory(1);
  builder.FinishSteps({});
  return std::move(builder).Build();
}

inline Command Parsed(std::string_view line,
                      const options::Options& defaults = {}) {
  absl::StatusOr<Command> command =
      ParseCommand(options::SplitWords(line), defaults);
  EXPECT_TRUE(command.ok()) << line << command.status();
  return command.ok() ? *std::move(command) : Command();
}

inline tables::Answer RunLine(std::string_view line, Workspace& workspace) {
  return Run(Parsed(line, workspace.defaults), workspace);
}

inline std::string ErrorOf(std::string_view line, Workspace& workspace) {
  return std::string(RunLine(line, workspace).status.message());
}

// The bytes of an answer in a format of -output.
inline std::string Written(const tables::Answer& answer,
                           std::string_view format) {
  util::StringSink sink;
  EXPECT_TRUE(tables::WriteAnswer(answer, format, {}, sink).ok()) << format;
  return sink.text();
}

// The bytes of a file of an answer.
inline std::string Content(const tables::Answer::File& file) {
  util::StringSink sink;
  const absl::Status written = file.write(sink);
  EXPECT_TRUE(written.ok()) << written;
  return sink.text();
}

// The table of an answer that has one.
inline const tables::DataTable& OnlyTable(const tables::Answer& answer) {
  EXPECT_EQ(answer.data.parts.size(), 1u);
  return answer.data.parts.at(0).table;
}

// The value of a fact; nothing if there is none of this name.
inline tables::DataCell Fact(const tables::Answer& answer,
                             std::string_view name) {
  for (const auto& [column, value] : answer.data.facts) {
    if (column.name == name) return value;
  }
  return {};
}

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_TESTING_H_
