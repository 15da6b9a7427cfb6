#include "profiler/commands/shareable.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "util/text/secrets.h"

namespace tfprof::commands {
namespace {

// Shorter names are in too many words.
constexpr size_t kLeastHost = 4;

// The distinct hosts, in the order of the processes.
std::vector<std::string> HostsOf(const profile::LaneTable& lanes) {
  std::vector<std::string> hosts;
  for (profile::ProcessId p = 0; p < lanes.num_processes(); ++p) {
    const std::string& host = lanes.process(p).host;
    if (!host.empty() &&
        std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      hosts.push_back(host);
    }
  }
  return hosts;
}

}  // namespace

bool IsForOthers(const Command& command) {
  if ((command.info->options & options::kShareOptions) == 0 ||
      command.options.keep_environment) {
    return false;
  }
  if ((command.info->options & options::kOutputOptions) == 0) {
    // save and convert write files; save without one answers a program (pipe).
    return command.arguments.size() >= command.info->min_arguments;
  }
  using Type = options::OutputSpec::Type;
  const Type type = command.options.output.type;
  const bool is_file = type == Type::kChrome || type == Type::kPerfetto ||
                       type == Type::kHtml || type == Type::kPprof;
  // What the reference writes too has the reference's bytes.
  return is_file && !command.options.InReferenceForm();
}

std::shared_ptr<OpenProfile> Shareable(
    const std::shared_ptr<OpenProfile>& opened, const util::TaskOptions& work) {
  const std::vector<std::string> hosts = HostsOf(opened->profile().lanes());
  const profile::TextChange change = {
      .text = [hosts](std::string_view text) -> std::optional<std::string> {
        std::optional<std::string> hidden = util::HideHomes(text);
        for (size_t h = 0; h < hosts.size(); ++h) {
          if (hosts[h].size() < kLeastHost ||
              text.find(hosts[h]) == text.npos) {
            continue;
          }
          std::string changed = hidden ? *hidden : std::string(text);
          if (util::ReplaceName(hosts[h], fmt::format("host{}", h + 1),
                                changed) > 0) {
            hidden = std::move(changed);
          }
        }
        return hidden;
      },
      .host =
          [hosts](std::string_view host) {
            if (hosts.size() < 2) return std::string();
            const auto at = std::find(hosts.begin(), hosts.end(), host);
            return fmt::format("host{}", at - hosts.begin() + 1);
          }};
  loaders::Loaded loaded = opened->loaded;
  loaded.profile = opened->profile().WithTexts(change);
  auto made = std::make_shared<OpenProfile>(std::move(loaded), work);
  // The files that were read are those of the original.
  made->kept = opened->kept;
  return made;
}

}  // namespace tfprof::commands
