// The fuzz entries: each takes any bytes and must return.
//
// An entry ends the process when an invariant does not hold (a saved profile
// that does not open, two reports of one profile that differ); everything else
// is for the sanitizers to find. libFuzzer drives one entry per binary,
// fuzz_driver_test all of them over their seeds and mutations of these.

#ifndef TFPROF_TESTS_FUZZ_ENTRIES_H_
#define TFPROF_TESTS_FUZZ_ENTRIES_H_

#include <span>
#include <string_view>

namespace tfprof {

// A file of that kind, alone.
void FuzzGraphDef(std::string_view input);
void FuzzProfileProto(std::string_view input);
void FuzzXPlane(std::string_view input);
// As two steps, one of them twice.
void FuzzRunMetadata(std::string_view input);
// After a graph with most of the nodes that the log names.
void FuzzOpLog(std::string_view input);
// Traces of one format, alone.
void FuzzPprof(std::string_view input);
void FuzzOnnx(std::string_view input);
void FuzzOrt(std::string_view input);
void FuzzChromeTrace(std::string_view input);
void FuzzKineto(std::string_view input);
void FuzzTraceProfile(std::string_view input);
void FuzzCtf(std::string_view input);
void FuzzCtfMetadata(std::string_view input);
// Counters of kernels, beside a trace.
void FuzzCounterCsv(std::string_view input);
void FuzzPickle(std::string_view input);
// Sniffing, and the text form of every format.
void FuzzTextProto(std::string_view input);
// Lines of the shell; their words also as arguments of the program.
void FuzzCommands(std::string_view input);
// Requests of the pipe, a line each.
void FuzzPipe(std::string_view input);
// A line with options and, after it, any file: every view, every exporter.
void FuzzViews(std::string_view input);
// Bytes of a client of `serve`: requests, one after the other.
void FuzzRequests(std::string_view input);
// JSON of a program that runs, or of the files of its session.
void FuzzLive(std::string_view input);

struct FuzzEntry {
  std::string_view name;  // also of its folders in corpus/ and ../regress/
  void (*run)(std::string_view input);
};

// The entries above. The entry for checkpoints is beside their loader.
std::span<const FuzzEntry> FuzzEntries();

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_ENTRIES_H_
