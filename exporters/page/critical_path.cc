#include "exporters/page/critical_path.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "exporters/page/account.h"
#include "fmt/format.h"
#include "timeline/critical_path.h"
#include "util/arithmetic.h"

namespace tfprof::exporters {
namespace {

// The step whose critical path is shown, as an index in Profile::steps().
size_t StepOfPath(views::Views& views, const PageOptions& options) {
  const profile::Profile& profile = views.profile();
  const profile::Step* chosen = TypicalOf(views, options);
  for (size_t place = 0; place < profile.steps().size(); ++place) {
    if (profile.steps()[place].get() == chosen) return place;
  }
  return profile.steps().size();
}

}  // namespace

void AddCriticalPath(views::Views& views, const PageOptions& options,
                     const std::vector<std::vector<uint32_t>>& event_of,
                     Page& page) {
  const profile::Profile& profile = views.profile();
  const size_t place = StepOfPath(views, options);
  if (place == profile.steps().size() || event_of[place].empty()) return;
  const profile::Step& step = *profile.steps()[place];
  if (step.num_records() > kMaxDetailed) {
    page.notes.push_back(
        fmt::format("The critical path is left out: step {} has more than {} "
                    "executions",
                    step.id, kMaxDetailed));
    return;
  }
  const timeline::CriticalPath path(profile, place, views.work());
  if (views.work().cancelled()) return;
  const int64_t scale = page.ticks_per_micro / profile.ticks_per_micro();
  std::map<uint32_t, PagePathEvent> events;
  const auto path_event =
      [&](const timeline::PathSegment& segment) -> PagePathEvent* {
    const uint32_t event = event_of[place][segment.record];
    if (event == profile::kNone) return nullptr;
    const auto [it, is_new] = events.try_emplace(event);
    if (is_new) it->second = {.event = event, .slack = kMaxPageTime};
    return &it->second;
  };
  for (const timeline::PathSegment& segment : path.segments()) {
    PagePathEvent* of = path_event(segment);
    if (of == nullptr) continue;
    const int64_t slack =
        util::SaturatingMul(std::max<int64_t>(segment.slack, 0), scale);
    of->slack = std::min(of->slack, slack);
  }
  for (const timeline::PathSegment& segment : path.chain()) {
    if (segment.kind == timeline::PathSegment::Kind::kWait) continue;
    PagePathEvent* of = path_event(segment);
    if (of == nullptr) continue;
    of->on_path = std::min(
        kMaxPageTime,
        util::SaturatingAdd(of->on_path,
                            util::SaturatingMul(segment.length(), scale)));
  }
  for (const auto& [event, of] : events) page.path.push_back(of);
  if (page.step_numbers.size() > 1 && !events.empty()) {
    page.notes.push_back(fmt::format(
        "The critical path is that of step {}, a typical one", step.id));
  }
}

}  // namespace tfprof::exporters
