#include "views/allocation_line.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "util/arithmetic.h"
#include "views/library_file.h"

namespace tfprof::views {
namespace {

constexpr std::string_view kNoLine = "(no stack)";

std::string_view FrameWord(const profile::GraphTables& graph,
                           profile::StringId id) {
  return id == profile::kNone ? std::string_view() : graph.strings.Get(id);
}

std::string FrameText(const profile::GraphTables& graph, profile::FrameId id) {
  const profile::Frame& frame = graph.stacks.frame(id);
  return fmt::format("{}:{}:{}", FrameWord(graph, frame.file), frame.lineno,
                     FrameWord(graph, frame.function));
}

}  // namespace

std::string AllocationLine(const profile::GraphTables& graph,
                           profile::StackId stack) {
  if (stack == profile::kNoStack) return std::string(kNoLine);
  const profile::CallStacks& stacks = graph.stacks;
  std::optional<profile::FrameId> python;
  for (profile::StackId s = stack; s != profile::kNoStack;
       s = stacks[s].parent) {
    const profile::FrameId frame = stacks[s].frame;
    const std::string_view file = FrameWord(graph, stacks.frame(frame).file);
    if (!file.ends_with(".py")) continue;
    if (!python) python = frame;
    if (!IsLibraryFile(file)) return FrameText(graph, frame);
  }
  if (python) return FrameText(graph, *python);
  const auto function_of = [&](profile::StackId s) {
    return FrameWord(graph, stacks.frame(stacks[s].frame).function);
  };
  profile::StackId named = stack;
  while (accounting::IsAllocatorFunction(function_of(named)) &&
         stacks[named].parent != profile::kNoStack) {
    named = stacks[named].parent;
  }
  return fmt::format("(no Python frame) {}", function_of(named));
}

std::vector<LineBytes> BytesByLine(
    const profile::GraphTables& graph,
    std::span<const accounting::HeldMemory> held) {
  std::vector<LineBytes> lines;
  std::map<std::string, size_t> places;
  for (const accounting::HeldMemory& one : held) {
    const auto [place, is_new] =
        places.try_emplace(AllocationLine(graph, one.stack), lines.size());
    if (is_new) lines.push_back({place->first});
    int64_t& bytes = lines[place->second].bytes;
    bytes = util::SaturatingAdd(bytes, one.bytes);
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), &LineBytes::bytes);
  return lines;
}

std::optional<LineBytes> LargestLine(
    const profile::GraphTables& graph,
    std::span<const accounting::HeldMemory> held) {
  std::vector<LineBytes> lines = BytesByLine(graph, held);
  if (lines.empty() || lines[0].line == kNoLine) return std::nullopt;
  return std::move(lines[0]);
}

std::string StackText(const profile::GraphTables& graph,
                      profile::StackId stack) {
  std::string text;
  for (; stack != profile::kNoStack; stack = graph.stacks[stack].parent) {
    if (!text.empty()) text += "; ";
    text += FrameText(graph, graph.stacks[stack].frame);
  }
  return text;
}

}  // namespace tfprof::views
