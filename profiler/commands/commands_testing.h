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

namespace tfprof {

inline Workspace WorkspaceOf(Profile profile) {
  Loaded loaded;
  loaded.profile = std::move(profile);
  return Workspace(std::move(loaded), {});
}

inline Workspace SmallWorkspace() { return WorkspaceOf(SmallModel()); }

// `profile`, whose executions --max_memory dropped.
inline Profile WithoutExecutions(const Profile& profile) {
  ProfileBuilder builder(TfprofRules(), profile);
  builder.SetMaxMemory(1);
  builder.FinishSteps({});
  return std::move(builder).Build();
}

inline Command Parsed(std::string_view line, const Options& defaults = {}) {
  absl::StatusOr<Command> command = ParseCommand(SplitWords(line), defaults);
  EXPECT_TRUE(command.ok()) << line << command.status();
  return command.ok() ? *std::move(command) : Command();
}

inline Answer RunLine(std::string_view line, Workspace& workspace) {
  return Run(Parsed(line, workspace.defaults), workspace);
}

inline std::string ErrorOf(std::string_view line, Workspace& workspace) {
  return std::string(RunLine(line, workspace).status.message());
}

// The bytes of an answer in a format of -output.
inline std::string Written(const Answer& answer, std::string_view format) {
  StringSink sink;
  EXPECT_TRUE(WriteAnswer(answer, format, {}, sink).ok()) << format;
  return sink.text();
}

// The bytes of a file of an answer.
inline std::string Content(const Answer::File& file) {
  StringSink sink;
  const absl::Status written = file.write(sink);
  EXPECT_TRUE(written.ok()) << written;
  return sink.text();
}

// The table of an answer that has one.
inline const DataTable& OnlyTable(const Answer& answer) {
  EXPECT_EQ(answer.data.parts.size(), 1u);
  return answer.data.parts.at(0).table;
}

// The value of a fact; nothing if there is none of this name.
inline DataCell Fact(const Answer& answer, std::string_view name) {
  for (const auto& [column, value] : answer.data.facts) {
    if (column.name == name) return value;
  }
  return {};
}

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_TESTING_H_
