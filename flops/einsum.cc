#include "flops/einsum.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof::flops {
namespace {

// The code of a letter, or the position of an ellipsis dimension counted from
// the right.
using LabelId = int64_t;
constexpr LabelId kFirstEllipsisLabel = 1 << 8;

struct Label {
  LabelId id;
  int64_t size;
};
// A list of distinct labels.
using Labels = std::vector<Label>;

Label* Find(Labels& labels, LabelId id) {
  const auto it = std::find_if(labels.begin(), labels.end(),
                               [id](const Label& l) { return l.id == id; });
  return it == labels.end() ? nullptr : &*it;
}

// Broadcasts a dimension of 1 to the other's size. Returns false if they
// differ.
bool Unify(int64_t& size, int64_t other) {
  if (size == 1) size = other;
  return size == other || other == 1;
}

// The letters of a term, and the position of its ellipsis.
struct Term {
  std::vector<LabelId> letters;
  std::optional<size_t> ellipsis;  // the number of letters before it
};

std::optional<Term> ParseTerm(std::string_view text) {
  Term term;
  while (!text.empty()) {
    if (text.starts_with("...") && !term.ellipsis) {
      term.ellipsis = term.letters.size();
      text.remove_prefix(3);
      continue;
    }
    const char c = text.front();
    text.remove_prefix(1);
    if (c == ' ') continue;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter) return std::nullopt;
    term.letters.push_back(c);
  }
  return term;
}

// Returns the labels of an operand with their sizes, or nullopt if they do not
// match.
std::optional<Labels> Bind(const Term& term, Dims dims) {
  // The shape of a scalar is [1], but it has no labels.
  if (term.letters.empty() && !term.ellipsis && dims.size() == 1 &&
      dims[0] == 1) {
    dims = {};
  }
  const size_t letters = term.letters.size();
  if (dims.size() < letters || dims.size() > kMaxRank) return std::nullopt;
  const size_t in_ellipsis = dims.size() - letters;
  if (in_ellipsis > 0 && !term.ellipsis) return std::nullopt;
  Labels labels;
  const size_t begin = term.ellipsis.value_or(letters);
  for (size_t d = 0; d < dims.size(); ++d) {
    LabelId id;
    if (d < begin) {
      id = term.letters[d];
    } else if (d < begin + in_ellipsis) {
      id = kFirstEllipsisLabel + static_cast<LabelId>(begin + in_ellipsis - d);
    } else {
      id = term.letters[d - in_ellipsis];
    }
    if (const Label* known = Find(labels, id)) {
      if (known->size != dims[d]) return std::nullopt;
    } else {
      labels.push_back({id, dims[d]});
    }
  }
  return labels;
}

int64_t LabelsProduct(const Labels& labels) {
  int64_t product = 1;
  for (const Label& label : labels) {
    product = util::SaturatingMul(product, label.size);
  }
  return product;
}

}  // namespace

Flops EinsumFlops(std::string_view equation, std::span<const Dims> operands) {
  constexpr Flops kUnfit = {Flops::Outcome::kNotSupported, 0};
  const size_t arrow = equation.find("->");
  if (arrow == equation.npos) return kUnfit;
  const std::optional<Term> output = ParseTerm(equation.substr(arrow + 2));
  if (!output) return kUnfit;
  std::string_view inputs = equation.substr(0, arrow);
  std::vector<Labels> bound;
  for (const Dims dims : operands) {
    if (!IsKnown(dims)) return {Flops::Outcome::kNoShapes, 0};
    const size_t comma = std::min(inputs.find(','), inputs.size());
    const std::optional<Term> term = ParseTerm(inputs.substr(0, comma));
    const bool last = bound.size() + 1 == operands.size();
    if (!term || (comma == inputs.size()) != last) return kUnfit;
    inputs.remove_prefix(std::min(comma + 1, inputs.size()));
    auto labels = Bind(*term, dims);
    if (!labels) return kUnfit;
    bound.push_back(*std::move(labels));
  }
  if (bound.empty() || bound.size() > 2) return kUnfit;

  const auto in_output = [&](LabelId id) {
    return id >= kFirstEllipsisLabel
               ? output->ellipsis.has_value()
               : std::find(output->letters.begin(), output->letters.end(),
                           id) != output->letters.end();
  };
  int64_t flops = 0;
  for (size_t i = 0; i < bound.size(); ++i) {
    const int64_t before = LabelsProduct(bound[i]);
    std::erase_if(bound[i], [&](const Label& label) {
      const bool shared =
          bound.size() == 2 && Find(bound[1 - i], label.id) != nullptr;
      return !shared && !in_output(label.id);
    });
    const int64_t after = LabelsProduct(bound[i]);
    flops = util::SaturatingAdd(flops, before > after ? before - after : 0);
  }
  if (bound.size() == 1) return {Flops::Outcome::kKnown, flops};
  Labels all = bound[0];
  for (const Label& label : bound[1]) {
    Label* known = Find(all, label.id);
    if (known == nullptr) {
      all.push_back(label);
    } else if (!Unify(known->size, label.size)) {
      return kUnfit;
    }
  }
  const bool sums = std::any_of(
      all.begin(), all.end(), [&](const Label& l) { return !in_output(l.id); });
  return {Flops::Outcome::kKnown,
          util::SaturatingAdd(
              flops, util::SaturatingMul(sums ? 2 : 1, LabelsProduct(all)))};
}

}  // namespace tfprof::flops
