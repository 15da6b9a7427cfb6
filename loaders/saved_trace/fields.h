// The format of saved traces: a profile of any trace in one file. If it is
// opened again, all views show the same.
//
// A ProfileProto has microseconds, one module and no scopes, lanes, links,
// counters or step intervals, so traces have their own message. It is written
// in the protobuf wire format. Tables are columns of packed integers; an id
// that may be missing is written as id + 1, and 0 is none. Texts are ids in the
// strings, which come last. The field numbers of the message come first here,
// then those of its submessages.

#ifndef TFPROF_LOADERS_SAVED_TRACE_FIELDS_H_
#define TFPROF_LOADERS_SAVED_TRACE_FIELDS_H_

#include <cstdint>
#include <string_view>

namespace tfprof::saved_trace {

// The text in the first field. Files with another version number are refused.
inline constexpr std::string_view kSavedTraceMagic = "tfprof trace 1";

namespace saved_trace {
inline constexpr uint32_t kMagic = 1, kTicksPerMicro = 2, kHasCodeTraces = 3,
                          kHasScopes = 4, kShape = 5, kFrames = 6, kStacks = 7,
                          kProcess = 8, kPhysical = 9, kLane = 10,
                          kModules = 11, kScopes = 12, kNodes = 13, kEdges = 14,
                          kOutputShapes = 15, kNodeDetail = 16, kStep = 17,
                          kLinks = 18, kCounter = 19, kIntervals = 20,
                          kRecord = 21, kString = 22,
                          kKernelCounters = 23,  // saved_counters.h
    kPipeline = 24, kPhases = 25, kReplays = 26, kEdgesAreCalls = 27;
}  // namespace saved_trace

// A single column; used by kShape and kModules.
inline constexpr uint32_t kTraceColumn = 1;

namespace trace_frames {
inline constexpr uint32_t kFile = 1, kFunction = 2, kSource = 3, kLine = 4,
                          kStartLine = 5;
}  // namespace trace_frames
// Used by kStacks and kScopes, without the root.
namespace trace_tree {
inline constexpr uint32_t kParent = 1, kContent = 2;
}  // namespace trace_tree
namespace trace_process {
inline constexpr uint32_t kRank = 1, kHost = 2, kProcessId = 3, kName = 4,
                          kJob = 5, kLabel = 6, kIsParameterServer = 7,
                          kJobRanks = 8;
}  // namespace trace_process
namespace trace_physical {
inline constexpr uint32_t kProcess = 1, kLabel = 2, kName = 3, kKind = 4,
                          kModel = 5, kPeakFlops = 6, kPeakBytes = 7,
                          kMemory = 8;
}  // namespace trace_physical
namespace trace_lane {
inline constexpr uint32_t kProcess = 1, kName = 2, kKind = 3, kPhysical = 4,
                          kThread = 5, kStream = 6, kClock = 7, kCopies = 8,
                          kIsFlat = 9;
}  // namespace trace_lane
namespace trace_nodes {
inline constexpr uint32_t kName = 1, kOp = 2, kModule = 3, kScope = 4,
                          kStack = 5, kParameterShape = 6, kFloatOps = 7,
                          kForwardOf = 8, kNumEdges = 9, kNumShapes = 10;
}  // namespace trace_nodes
namespace trace_edges {
inline constexpr uint32_t kSource = 1, kSeenOutput = 2, kOutput = 3,
                          kPosition = 4;
}  // namespace trace_edges
namespace trace_output_shapes {
inline constexpr uint32_t kIndex = 1, kShape = 2;
}  // namespace trace_output_shapes
// Further data of a node; only nodes that have some are listed.
namespace trace_node_detail {
inline constexpr uint32_t kNode = 1, kAttribute = 2, kInput = 3, kType = 4;
}  // namespace trace_node_detail
namespace trace_attribute {
inline constexpr uint32_t kKey = 1, kValue = 2;
}  // namespace trace_attribute
// Columns of groups, then of executions: first executions in groups, then
// executions outside.
namespace trace_step {
inline constexpr uint32_t kId = 1, kListed = 2, kTicksPerMicro = 3, kNode = 4,
                          kRuns = 5, kAcceleratorTime = 6, kCpuTime = 7,
                          kRequested = 8, kPeak = 9, kResidual = 10,
                          kOutput = 11, kHasSpan = 12, kSpanStart = 13,
                          kSpanEnd = 14, kNumExecutions = 15, kLane = 16,
                          kHasStart = 17, kStart = 18, kDuration = 19,
                          kRecord = 20, kOutsideName = 21;
}  // namespace trace_step
namespace trace_links {
inline constexpr uint32_t kFromStep = 1, kFromIndex = 2, kToStep = 3,
                          kToIndex = 4, kKind = 5;
}  // namespace trace_links
namespace trace_counter {
inline constexpr uint32_t kName = 1, kUnit = 2, kKind = 3, kProcess = 4,
                          kLane = 5, kTime = 6, kValueBits = 7;
}  // namespace trace_counter
namespace trace_intervals {
inline constexpr uint32_t kStep = 1, kProcess = 2, kStart = 3, kEnd = 4,
                          kName = 5;
}  // namespace trace_intervals
namespace trace_pipeline {
inline constexpr uint32_t kStep = 1, kDp = 2, kStage = 3, kType = 4,
                          kSequence = 5, kMicroBatch = 6, kModelChunk = 7,
                          kStart = 8, kDuration = 9;
}  // namespace trace_pipeline
namespace trace_phases {
inline constexpr uint32_t kStep = 1, kProcess = 2, kPhase = 3, kRequests = 4,
                          kTokens = 5;
}  // namespace trace_phases
namespace trace_replays {
inline constexpr uint32_t kStep = 1, kProcess = 2, kLaunches = 3, kKernels = 4,
                          kTime = 5, kUnnamedLaunches = 6, kUnnamedKernels = 7,
                          kUnnamedTime = 8;
}  // namespace trace_replays
// The texts of an execution; arguments alternate between keys and values.
namespace trace_record {
inline constexpr uint32_t kName = 1, kLabel = 2, kOp = 3, kArguments = 4,
                          kCopyKind = 5, kCopyBytes = 6, kTensor = 7, kFrom = 8,
                          kTo = 9;
}  // namespace trace_record

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_FIELDS_H_
