// Field: a column of a report, as named by -select. It is a statistic, or one
// of four texts about a row.
//
// A Stat converts to a Field, so `select.Has(kMicros)` and
// `select.Has(Field::kDevice)` look alike.

#ifndef TFPROF_VIEWS_FIELD_H_
#define TFPROF_VIEWS_FIELD_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "accounting/statistics.h"

namespace tfprof::views {

class Field {
 public:
  enum Text {
    kDevice = accounting::kNumStats,
    kInputShapes,
    kOpTypes,
    kTensorValue
  };

  constexpr Field() = default;
  // A Stat and a Text are Fields.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Field(accounting::Stat stat) : index_(stat) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Field(Text text) : index_(text) {}

  constexpr bool is_stat() const { return index_ < accounting::kNumStats; }
  // Only valid if the field is a statistic.
  constexpr accounting::Stat stat() const {
    return static_cast<accounting::Stat>(index_);
  }
  constexpr int index() const { return index_; }

  friend constexpr bool operator==(Field, Field) = default;

 private:
  int index_ = accounting::kMicros;
};

// The fields that are not statistics.
struct TextField {
  Field::Text field;
  std::string_view word;  // the word for -select
  int select_place;       // as in Statistic
  std::string_view help;
  std::string_view report_doc;  // the reference's explanation
};

inline constexpr TextField kTextFields[] = {
    {Field::kDevice, "device", 5, "The device that the operation ran on.",
     "device: which device is placed on."},
    {Field::kInputShapes, "input_shapes", 8,
     "The shapes of the inputs of the operation.",
     "input shape: The shape of input tensors"},
    {Field::kOpTypes, "op_types", 6,
     "The types of the operation: its op, its device, and types from an op "
     "log.",
     "op_types: The attributes of the operation, includes the Kernel name "
     "device placed on and user-defined strings."},
    {Field::kTensorValue, "tensor_value", 4,
     "The value of a variable; needs a checkpoint.",
     "tensor_value: Not supported now."},
};

inline constexpr size_t kNumFields =
    accounting::kNumStats + std::size(kTextFields);

constexpr const TextField& TextFieldOf(Field field) {
  return kTextFields[field.index() - accounting::kNumStats];
}

// Returns the field's word for -select.
constexpr std::string_view FieldWord(Field field) {
  return field.is_stat() ? accounting::StatisticOf(field.stat()).word
                         : TextFieldOf(field).word;
}

constexpr std::string_view FieldHelp(Field field) {
  return field.is_stat() ? accounting::StatisticOf(field.stat()).help
                         : TextFieldOf(field).help;
}

constexpr std::array<Field, kNumFields> AllFields() {
  std::array<Field, kNumFields> fields = {};
  size_t size = 0;
  for (const accounting::Statistic& s : accounting::kStatistics)
    fields[size++] = s.stat;
  for (const TextField& t : kTextFields) fields[size++] = t.field;
  return fields;
}

// The fields in the order of their words, in which the reference processes a
// selection.
inline constexpr std::array<Field, kNumFields> kFieldsByWord = [] {
  std::array<Field, kNumFields> fields = AllFields();
  std::sort(fields.begin(), fields.end(),
            [](Field a, Field b) { return FieldWord(a) < FieldWord(b); });
  return fields;
}();

// The fields in the order in which the reference completes their words.
inline constexpr std::array<Field, kNumFields> kFieldsByPlace = [] {
  std::array<Field, kNumFields> fields = AllFields();
  const auto place = [](Field f) {
    return f.is_stat() ? accounting::StatisticOf(f.stat()).select_place
                       : TextFieldOf(f).select_place;
  };
  std::sort(fields.begin(), fields.end(),
            [&](Field a, Field b) { return place(a) < place(b); });
  return fields;
}();

class FieldSet {
 public:
  void Add(Field field) { bits_ |= 1u << field.index(); }
  bool Has(Field field) const { return bits_ >> field.index() & 1; }
  int size() const { return __builtin_popcount(bits_); }
  friend bool operator==(FieldSet, FieldSet) = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_FIELD_H_
