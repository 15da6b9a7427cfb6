// The fuzz entries. Each accepts any bytes and must return.
//
// An entry ends the process when an invariant does not hold (a saved profile
// that does not open, two reports of one profile that differ); the sanitizers
// find everything else. A libFuzzer binary drives one entry; fuzz_driver_test
// drives all of them over seeds and mutations of these.

#ifndef TFPROF_TESTS_FUZZ_ENTRIES_H_
#define TFPROF_TESTS_FUZZ_ENTRIES_H_

#include <span>
#include <string_view>

namespace tfprof {

// Each loads the input as a file of that kind, alone.
void FuzzGraphDef(std::string_view input);
void FuzzProfileProto(std::string_view input);
void FuzzXPlane(std::string_view input);
// Loads the input as three files: two are the same step.
void FuzzRunMetadata(std::string_view input);
// Loads a graph with most of the nodes that the log names, and then the log.
void FuzzOpLog(std::string_view input);
// Each loads the input as a trace of one format, alone.
void FuzzPprof(std::string_view input);
void FuzzOnnx(std::string_view input);
void FuzzOrt(std::string_view input);
void FuzzChromeTrace(std::string_view input);
void FuzzKineto(std::string_view input);
void FuzzRocprof(std::string_view input);
void FuzzPerfetto(std::string_view input);
void FuzzCompileLog(std::string_view input);
void FuzzFlightRecorder(std::string_view input);
void FuzzMemorySnapshot(std::string_view input);
void FuzzSqlite(std::string_view input);
void FuzzSavedTrace(std::string_view input);
void FuzzCtf(std::string_view input);
void FuzzCtfMetadata(std::string_view input);
// The input is a file with counters of kernels, loaded together with a trace.
void FuzzCounterCsv(std::string_view input);
void FuzzPickle(std::string_view input);
// Detects the format and parses the text form of every format.
void FuzzTextProto(std::string_view input);
// The input is lines of the shell; their words are also command line arguments.
void FuzzCommands(std::string_view input);
// The input is requests of the pipe, one on each line.
void FuzzPipe(std::string_view input);
// The input is a line with options followed by any file, for every view and
// exporter.
void FuzzViews(std::string_view input);
// The input is HTTP requests of a client of `serve`, one after the other.
void FuzzRequests(std::string_view input);
// The input is JSON of a running program or of the files of its session.
void FuzzLive(std::string_view input);
// The input is any file, from which secrets are removed.
void FuzzRedact(std::string_view input);

struct FuzzEntry {
  std::string_view name;  // also of its folders in corpus/ and ../regress/
  void (*run)(std::string_view input);
};

// All entries above. The entry for checkpoints is next to their loader.
std::span<const FuzzEntry> FuzzEntries();

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_ENTRIES_H_
