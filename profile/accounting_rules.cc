#include "profile/accounting_rules.h"

namespace tfprof::profile {
namespace {

class FactsOnly : public AccountingRules {
 public:
  bool MakesNode(std::string_view) const override { return true; }
  int64_t CountedTicks(int64_t ticks, int64_t) const override { return ticks; }
  bool PlacesNodes(const GraphTables&,
                   std::span<const LaneExecutions>) const override {
    return false;
  }
  Admission Admit(const AdmissionRequest& request) const override {
    for (LaneExecutions& executions : request.batch) {
      for (ExecutionRecord& r : executions.records) {
        if (request.nodes.Has(r.node)) r.lane = executions.lane;
      }
    }
    return {};
  }
  bool TakesEvents() const override { return true; }
  void Sum(const StepRecords&, std::span<GroupSums>) const override {}
};

}  // namespace

const AccountingRules& NoAccounting() {
  static const FactsOnly rules;
  return rules;
}

}  // namespace tfprof::profile
