// Views: the four views of one profile, with cached results.
//
//   Views views(profile);
//   Report report = views.Show(View::kOp, options);
//
// The structure of a view is built on first use and cached; so are the totals
// for the last step and account types. Changing only the order or the filters
// reuses these totals.
//
// `profile` must outlive the Views. options.step must be negative or a listed
// step. Not thread-safe.

#ifndef TFPROF_VIEWS_VIEWS_H_
#define TFPROF_VIEWS_VIEWS_H_

#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeindex>

#include "views/context.h"
#include "views/report.h"

namespace tfprof::views {

class Views {
 public:
  explicit Views(const profile::Profile& profile,
                 const util::TaskOptions& work = {})
      : context_(profile, work) {
    ForgetPartial();
  }

  Report Show(View view, const ViewOptions& options);

  const profile::Profile& profile() const { return context_.profile(); }
  ViewContext& context() { return context_; }
  const util::TaskOptions& work() const { return context_.work(); }
  const ScopeTree& scope();
  const CodeTree& code(bool fold_libraries = false);

  // Returns the single object of type T, made from the profile at first use. It
  // caches results of a user of views (the advisor). They may be partial after
  // a cancellation, so call ForgetPartial() before the next question.
  template <typename T>
  T& Kept() {
    std::shared_ptr<void>& kept = kept_[typeid(T)];
    if (kept == nullptr) {
      if constexpr (std::is_constructible_v<T, const profile::Profile&,
                                            const util::TaskOptions&>) {
        kept = std::make_shared<T>(profile(), work());
      } else {
        kept = std::make_shared<T>(profile());
      }
    }
    return *static_cast<T*>(kept.get());
  }

  // Drops the objects of Kept() if there was a cancellation since the last
  // call. References to them are invalid then.
  void ForgetPartial();

 private:
  // The options that the last accounting depended on.
  struct Accounting {
    bool valid = false;
    int64_t step = -1;
    flops::FlopsSource flops = flops::FlopsSource::kOpLog;
    RegexPatterns types;
    bool fold_libraries = false;
    bool Update(const ViewOptions& options);
  };

  void ShowTree(const ViewOptions& options, Report& report);
  void ShowOps(const ViewOptions& options, Report& report);

  ViewContext context_;
  std::optional<ScopeTree> scope_;
  std::optional<GraphRows> graph_;
  std::optional<OpRows> ops_;
  std::optional<CodeTree> code_, folded_code_;
  Accounting scope_key_, graph_key_, op_key_, code_key_;
  std::shared_ptr<const AccountedTree> scope_tree_, graph_tree_, code_tree_;
  std::shared_ptr<const std::vector<Snapshot>> snapshots_;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
  uint32_t cancellations_ = 0;  // at the last call of ForgetPartial()
};

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_VIEWS_H_
