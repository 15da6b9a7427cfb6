// CompileLogs: what torch.compile wrote about its compilations.
//
// A log belongs to a process of the program. Its compilations have an id,
// "FRAME/COMPILE": the number of the compiled function ("frame"), and how often
// this function was compiled before. "!N/FRAME/COMPILE" is a compilation of
// compiled autograd. An id may come again after torch._dynamo.reset(). The rows
// refer to their log by its index.
//
// Texts are copies of those in the log. Times are nanoseconds. A profile
// without compile logs uses no memory for them. Immutable; shared between
// profiles.

#ifndef TFPROF_PROFILE_TABLES_COMPILE_LOGS_H_
#define TFPROF_PROFILE_TABLES_COMPILE_LOGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tfprof::profile {

struct CompileLogs {
  struct Log {
    std::string path;
    int64_t rank = -1;  // -1: the log does not say it
  };
  // All compilations with one id in one log.
  struct Compilation {
    uint32_t log = 0;
    std::string id;
    std::string function;      // "": not known
    std::string file;          // without folders; "": not known
    int64_t line = -1;         // -1: not known
    int64_t finished = 0;      // how many compilations reported their end
    int64_t attempts = 1;      // a graph break may start the compilation again
    int64_t duration = -1;     // the sum of those that reported; -1: none did
    int64_t longest = -1;      // of those that reported
    int64_t started = -1;      // of the last one, since 1970; -1: not known
    int64_t graph_nodes = -1;  // of the last one; -1: not known
    bool is_recompilation = false;
    // Why the earlier code did not fit; "": the log does not say it.
    std::string reason;
  };
  struct GraphBreak {
    uint32_t log = 0;
    std::string id;
    std::string file;    // of the user's code, without folders; "": not known
    int64_t line = -1;   // -1: not known
    std::string reason;  // with the explanation, if the log has one
  };
  struct Failure {
    uint32_t log = 0;
    std::string id;
    std::string kind;  // the type of the exception; "": not known
    std::string reason;
  };
  // A cache of the compiler and what it answered: "fx_graph_cache_hit".
  struct CacheEvent {
    uint32_t log = 0;
    std::string event;
    int64_t count = 0;
  };
  // A phase of the compiler: "dynamo", "inductor_codegen". Phases nest; `self`
  // is without the phases inside.
  struct Phase {
    uint32_t log = 0;
    std::string name;
    int64_t count = 0;
    int64_t duration = 0;
    int64_t self = 0;
  };

  std::vector<Log> logs;
  std::vector<Compilation> compilations;  // of a log, in the order of its ids
  std::vector<GraphBreak> graph_breaks;   // in the order of the log
  std::vector<Failure> failures;
  std::vector<CacheEvent> cache_events;
  std::vector<Phase> phases;

  // The memory of the rows, without their texts.
  size_t bytes() const {
    return logs.capacity() * sizeof(Log) +
           compilations.capacity() * sizeof(Compilation) +
           graph_breaks.capacity() * sizeof(GraphBreak) +
           failures.capacity() * sizeof(Failure) +
           cache_events.capacity() * sizeof(CacheEvent) +
           phases.capacity() * sizeof(Phase);
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_COMPILE_LOGS_H_
