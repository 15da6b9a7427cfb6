// Views: the four views of one profile, with what they have computed so far.
//
//   Views views(profile);
//   Report report = views.Show(View::kOp, options);
//
// The structure of a view is built on first use and kept; so are the totals of
// the last step and account types. Showing the same again in another order, or
// with other filters, only walks what was accounted.
//
// `profile` must outlive the Views. options.step must be negative or a listed
// step. Not thread safe.

#ifndef TFPROF_VIEWS_VIEWS_H_
#define TFPROF_VIEWS_VIEWS_H_

#include <map>
#include <memory>
#include <optional>
#include <typeindex>

#include "views/context.h"
#include "views/report.h"

namespace tfprof {

class Views {
 public:
  explicit Views(const Profile& profile, const Work& work = {})
      : context_(profile, work) {}

  Report Show(View view, const ViewOptions& options);

  const Profile& profile() const { return context_.profile(); }
  ViewContext& context() { return context_; }
  const Work& work() const { return context_.work(); }
  const ScopeTree& scope();
  const CodeTree& code(bool fold_libraries = false);

  // The one object of type T of these views, made from the profile at first
  // use. It keeps what a user of views (the advisor) computed for the next one.
  template <typename T>
  T& Kept() {
    std::shared_ptr<void>& kept = kept_[typeid(T)];
    if (kept == nullptr) kept = std::make_shared<T>(profile());
    return *static_cast<T*>(kept.get());
  }

 private:
  // The key of what was accounted last.
  struct Accounting {
    bool valid = false;
    int64_t step = -1;
    FlopsSource flops = FlopsSource::kOpLog;
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
};

}  // namespace tfprof

#endif  // TFPROF_VIEWS_VIEWS_H_
