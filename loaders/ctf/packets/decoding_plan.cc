#include "loaders/ctf/packets/decoding_plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace tfprof::ctf {
namespace {

constexpr size_t kMaxProgram = 1 << 13;
constexpr size_t kMaxInstructions = 1 << 19;
// Limits of the bytes of all paths together and of visits of types. They are
// needed because a small type may contain another one twice, which contains a
// third one twice, and so on.
constexpr size_t kMaxPathBytes = 64 << 20;
constexpr uint64_t kSmallIds = 4096;
constexpr size_t kMaxVisits = 1 << 21;

// The known part of a position: a multiple of `step`, plus `rest`.
struct Phase {
  uint64_t step = 1;
  uint64_t rest = 0;

  bool IsAligned(uint64_t alignment) const {
    return step % alignment == 0 && rest % alignment == 0;
  }
  void Advance(uint64_t bits) { rest = (rest + bits) % step; }
  void Join(const Phase& other) {
    step = std::min(step, other.step);
    while (rest % step != other.rest % step) step /= 2;
    rest %= step;
  }
};

FieldRole RoleByName(Scope scope, std::string_view name, bool at_top) {
  struct Row {
    Scope scope;
    std::string_view name;
    FieldRole role;
  };
  static constexpr Row kRows[] = {
      {Scope::kPacketHeader, "magic", FieldRole::kMagic},
      {Scope::kPacketHeader, "uuid", FieldRole::kUuid},
      {Scope::kPacketHeader, "stream_id", FieldRole::kStreamId},
      {Scope::kPacketHeader, "stream_instance_id", FieldRole::kStreamInstance},
      {Scope::kPacketContext, "timestamp_begin", FieldRole::kPacketBegin},
      {Scope::kPacketContext, "timestamp_end", FieldRole::kPacketEnd},
      {Scope::kPacketContext, "content_size", FieldRole::kContentSize},
      {Scope::kPacketContext, "packet_size", FieldRole::kPacketSize},
      {Scope::kPacketContext, "packet_seq_num", FieldRole::kPacketNumber},
      {Scope::kPacketContext, "events_discarded", FieldRole::kDiscarded},
      {Scope::kEventHeader, "id", FieldRole::kEventId},
      {Scope::kEventHeader, "timestamp", FieldRole::kTimestamp},
  };
  for (const Row& row : kRows) {
    if (row.scope == scope && row.name == name &&
        (at_top || scope == Scope::kEventHeader)) {
      return row.role;
    }
  }
  return FieldRole::kNone;
}

class Compiler {
 public:
  explicit Compiler(const TraceTypes& types) : types_(types) {
    AlignmentsOfTypes();
  }

  absl::StatusOr<TracePlan> Compile() {
    TracePlan plan;
    const Mark start = MarkHere();
    plan.has_packet_header = types_.packet_header != kNoType;
    phase_ = kStart;
    Section(Scope::kPacketHeader, types_.packet_header, plan.packet_header);
    plan.slots = TakeSlots();
    const Phase header_end = phase_;
    const Mark header = MarkHere();
    for (uint32_t i = 0; i < types_.streams.size() && error_.empty(); ++i) {
      Return(header);
      phase_ = header_end;
      plan.plans.push_back(Stream(i));
      const uint64_t id = types_.streams[i].id;
      if (!plan.streams.try_emplace(id, i).second) {
        Fail(fmt::format("two streams with the id {}", id));
      }
    }
    Return(start);
    for (uint32_t i = 0; i < types_.events.size() && error_.empty(); ++i) {
      const EventClass& event = types_.events[i];
      const auto it = plan.streams.find(event.stream);
      if (it == plan.streams.end()) {
        Fail(fmt::format("event {} of a stream {} that is not declared",
                         event.name, event.stream));
        break;
      }
      StreamPlan& stream = plan.plans[it->second];
      const auto number = static_cast<uint32_t>(stream.plans.size());
      if (!stream.events.try_emplace(event.id, number).second) {
        Fail(
            fmt::format("two events with the id {} in stream {}: {} is the "
                        "second one",
                        event.id, event.stream, event.name));
        break;
      }
      stream.plans.push_back(Event(i, stream, it->second));
      if (event.id < kSmallIds) {
        if (event.id >= stream.small_ids.size()) {
          stream.small_ids.resize(event.id + 1, kNoSlot);
        }
        stream.small_ids[event.id] = number;
      }
    }
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    plan.num_values = most_slots_ + 1;
    return plan;
  }

 private:
  static constexpr Phase kStart = {uint64_t{1} << 20, 0};

  // Remembers the known fields, to forget later ones.
  struct Mark {
    SlotId next;
    size_t names;
  };
  struct Named {
    Scope scope;
    std::string path;
    SlotId slot;
    TypeId type;
  };
  // The state after the event header of a stream, where each event begins.
  struct StreamEnd {
    std::vector<Named> names;
    SlotId next = 0;
    Phase phase;
  };

  void Fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }

  Mark MarkHere() const { return {next_slot_, names_.size()}; }
  void Return(const Mark& mark) {
    next_slot_ = mark.next;
    names_.resize(mark.names);
    slots_.clear();
  }
  std::vector<Slot> TakeSlots() { return std::exchange(slots_, {}); }

  // ---- Alignments

  // A type only contains types with smaller indexes.
  void AlignmentsOfTypes() {
    alignments_.reserve(types_.types.size());
    for (const FieldType& type : types_.types) {
      uint64_t alignment = type.alignment;
      if (type.kind == FieldType::kStruct) {
        for (const auto& field : type.fields) {
          alignment = std::max(alignment, alignments_[field.type]);
        }
      } else if (type.kind == FieldType::kArray ||
                 type.kind == FieldType::kSequence) {
        alignment = std::max(alignment, alignments_[type.element]);
      }
      alignments_.push_back(alignment);
    }
  }

  // ---- Sections

  void Section(Scope scope, TypeId type, Program& program) {
    program_ = &program;
    scope_ = scope;
    prefix_.clear();
    if (type != kNoType) Type(type, "");
    Finish(program);
  }
  void Finish(Program& program) {
    program_ = &program;
    Emit({.op = Instruction::kEnd});
    total_ += program.code.size();
    if (total_ > kMaxInstructions) {
      Fail(fmt::format("the trace needs more than {} instructions",
                       kMaxInstructions));
    }
  }

  StreamPlan Stream(uint32_t number) {
    const StreamClass& stream = types_.streams[number];
    StreamPlan plan;
    plan.stream = number;
    plan.first_slot = next_slot_;
    plan.has_packet_context = stream.packet_context != kNoType;
    Section(Scope::kPacketContext, stream.packet_context, plan.packet_context);
    if (stream.event_header != kNoType) {
      plan.event_alignment = alignments_[stream.event_header];
    }
    phase_ = {plan.event_alignment, 0};
    Section(Scope::kEventHeader, stream.event_header, plan.event_header);
    plan.slots = TakeSlots();
    ends_.push_back({names_, next_slot_, phase_});
    plan.clock = ClockOf(stream);
    return plan;
  }

  int ClockOf(const StreamClass& stream) const {
    std::string name = stream.clock;
    if (name.empty()) name = mapped_clock_;
    for (size_t i = 0; i < types_.clocks.size(); ++i) {
      if (types_.clocks[i].name == name) return static_cast<int>(i);
    }
    return types_.clocks.empty() ? -1 : 0;
  }

  EventPlan Event(uint32_t number, const StreamPlan& stream, uint32_t index) {
    const EventClass& event = types_.events[number];
    const StreamEnd& end = ends_[index];
    names_ = end.names;
    next_slot_ = end.next;
    phase_ = end.phase;
    slots_.clear();
    EventPlan plan;
    plan.event = number;
    plan.first_slot = next_slot_;
    program_ = &plan.body;
    const std::pair<Scope, TypeId> parts[] = {
        {Scope::kStreamContext, types_.streams[stream.stream].event_context},
        {Scope::kEventContext, event.context},
        {Scope::kPayload, event.payload}};
    for (const auto& [scope, type] : parts) {
      scope_ = scope;
      prefix_.clear();
      if (type != kNoType) Type(type, "");
    }
    Finish(plan.body);
    plan.slots = TakeSlots();
    return plan;
  }

  // ---- Instructions

  uint32_t Here() const { return static_cast<uint32_t>(program_->code.size()); }
  uint32_t Emit(const Instruction& instruction) {
    if (program_->code.size() >= kMaxProgram) {
      Fail(fmt::format("an event or packet needs more than {} instructions",
                       kMaxProgram));
      return 0;
    }
    program_->code.push_back(instruction);
    return Here() - 1;
  }

  void Align(uint64_t alignment) {
    if (phase_.IsAligned(alignment)) return;
    Emit({.op = Instruction::kAlign, .count = alignment});
    phase_ = {alignment, 0};
  }

  SlotId AddSlot(Slot::Kind kind, TypeId type) {
    Slot slot;
    slot.kind = kind;
    return AddSlot(std::move(slot), type);
  }
  SlotId AddSlot(Slot slot, TypeId type) {
    path_bytes_ += prefix_.size();
    if (path_bytes_ > kMaxPathBytes) {
      Fail("the names of all fields are longer than 64 MiB");
      return 0;
    }
    slot.scope = scope_;
    slot.path = prefix_;
    names_.push_back({scope_, prefix_, next_slot_, type});
    slots_.push_back(std::move(slot));
    most_slots_ = std::max(most_slots_, next_slot_ + 1);
    return next_slot_++;
  }

  // Compiles a field with this name.
  void Type(TypeId id, const std::string& name) {
    if (!error_.empty()) return;
    if (++visits_ > kMaxVisits || depth_ >= kMaxTypeDepth) {
      Fail(
          fmt::format("types contain too many others, or are more than {} "
                      "deep",
                      kMaxTypeDepth));
      return;
    }
    ++depth_;
    const size_t outer = prefix_.size();
    if (!name.empty()) {
      if (!prefix_.empty()) prefix_ += '.';
      prefix_ += name;
    }
    const FieldType& type = types_.types[id];
    if (type.kind != FieldType::kVariant && type.kind != FieldType::kOptional) {
      Align(alignments_[id]);
    }
    switch (type.kind) {
      case FieldType::kInteger:
      case FieldType::kVariableInteger:
      case FieldType::kReal:
        Number(id, type, name, outer == 0);
        break;
      case FieldType::kString: {
        const SlotId slot = AddSlot(Slot::kText, id);
        Emit({.op = Instruction::kString, .slot = slot});
        Forget(8);
        break;
      }
      case FieldType::kArray:
      case FieldType::kSequence:
        Array(id, type, name, outer == 0);
        break;
      case FieldType::kStruct:
        for (const auto& field : type.fields) Type(field.type, field.name);
        break;
      case FieldType::kVariant:
        Variant(type);
        break;
      case FieldType::kOptional:
        Optional(type);
        break;
    }
    prefix_.resize(outer);
    --depth_;
  }

  // Forgets the position, except that it is a multiple of `step`.
  void Forget(uint64_t step) { phase_ = {step, 0}; }

  void Number(TypeId id, const FieldType& type, const std::string& name,
              bool at_top) {
    Slot slot;
    slot.kind = type.kind == FieldType::kReal ? Slot::kReal
                : type.is_signed              ? Slot::kSigned
                                              : Slot::kUnsigned;
    slot.bits = type.size;
    Instruction op = {.is_signed = type.is_signed,
                      .big_endian = type.big_endian,
                      .bits = type.size};
    op.slot = AddSlot(std::move(slot), id);
    if (type.kind == FieldType::kVariableInteger) {
      op.op = Instruction::kLeb128;
    } else if (type.kind == FieldType::kReal) {
      op.op = type.size == 32 ? Instruction::kReal32 : Instruction::kReal64;
    } else if (!phase_.IsAligned(8)) {
      op.op = Instruction::kBits;
    } else {
      switch (type.size) {
        case 8:
          op.op = Instruction::kLoad8;
          break;
        case 16:
          op.op = Instruction::kLoad16;
          break;
        case 32:
          op.op = Instruction::kLoad32;
          break;
        case 64:
          op.op = Instruction::kLoad64;
          break;
        default:
          op.op = Instruction::kBits;
      }
    }
    Emit(op);
    if (type.kind == FieldType::kVariableInteger) {
      Forget(8);
    } else {
      phase_.Advance(type.size);
    }
    FieldRole role = type.role;
    if (types_.roles_by_name) {
      role = RoleByName(scope_, name, at_top);
      if (!type.clock.empty() && role == FieldRole::kNone &&
          scope_ == Scope::kEventHeader) {
        role = FieldRole::kTimestamp;
      }
      if (!type.clock.empty() && mapped_clock_.empty()) {
        mapped_clock_ = type.clock;
      }
    } else if (role == FieldRole::kTimestamp &&
               scope_ == Scope::kPacketContext) {
      role = FieldRole::kPacketBegin;
    }
    if (role == FieldRole::kNone || type.kind == FieldType::kReal) return;
    const uint32_t bits =
        type.kind == FieldType::kVariableInteger ? 64 : type.size;
    Emit({.op = Instruction::kRole,
          .role = role,
          .bits = bits,
          .slot = op.slot});
  }

  // Returns the slot of the length, tag or condition at `path`.
  SlotId Resolve(const FieldPath& path, const FieldType** type = nullptr) {
    std::string wanted;
    for (const std::string& name : path.names) {
      if (!wanted.empty()) wanted += '.';
      wanted += name;
    }
    const auto find = [&](Scope scope, const std::string& full) {
      for (size_t i = names_.size(); i-- > 0;) {
        const Named& name = names_[i];
        if (name.scope == scope && name.path == full) return &name;
      }
      return static_cast<const Named*>(nullptr);
    };
    const Named* found = nullptr;
    if (path.absolute) {
      found = find(path.scope, wanted);
    } else {
      // Searches the innermost structure, then outer ones, then the parts
      // before.
      std::string inside = prefix_;
      while (found == nullptr && !inside.empty()) {
        const size_t dot = inside.rfind('.');
        inside.resize(dot == inside.npos ? 0 : dot);
        found =
            find(scope_, inside.empty() ? wanted
                                        : fmt::format("{}.{}", inside, wanted));
      }
      for (int s = static_cast<int>(scope_); found == nullptr && s >= 0; --s) {
        found = find(static_cast<Scope>(s), wanted);
      }
    }
    const FieldType* const of =
        found == nullptr ? nullptr : &types_.types[found->type];
    if (of == nullptr || (of->kind != FieldType::kInteger &&
                          of->kind != FieldType::kVariableInteger)) {
      Fail(fmt::format("{} needs an integer '{}' before it", prefix_, wanted));
      return kNoSlot;
    }
    if (type != nullptr) *type = of;
    return found->slot;
  }

  void Array(TypeId id, const FieldType& type, const std::string& name,
             bool at_top) {
    const FieldType& element = types_.types[type.element];
    Instruction op = {.count = type.count};
    if (type.kind == FieldType::kSequence) {
      op.source = Resolve(type.path);
      if (op.source == kNoSlot) return;
    }
    const bool is_number =
        element.kind == FieldType::kInteger || element.kind == FieldType::kReal;
    const bool is_span = is_number && element.size % 8 == 0 &&
                         element.size % element.alignment == 0 &&
                         phase_.IsAligned(8);
    if (is_span) {
      Slot slot;
      slot.kind = type.is_text ? Slot::kText : Slot::kNumbers;
      slot.is_signed = element.is_signed;
      slot.is_real = element.kind == FieldType::kReal;
      slot.big_endian = element.big_endian;
      slot.bits = element.size;
      op.op = type.is_text ? Instruction::kText : Instruction::kSpan;
      op.bits = element.size;
      op.slot = AddSlot(std::move(slot), id);
      Emit(op);
      Forget(8);
      const FieldRole role =
          types_.roles_by_name ? RoleByName(scope_, name, at_top) : type.role;
      if (role == FieldRole::kUuid) {
        Emit({.op = Instruction::kRole, .role = role, .slot = op.slot});
      }
      return;
    }
    if (loop_depth_ >= kMaxTypeDepth) {
      Fail(fmt::format("arrays are more than {} deep", kMaxTypeDepth));
      return;
    }
    ++loop_depth_;
    op.op = Instruction::kLoop;
    op.slot = AddSlot(Slot::kOther, id);
    const uint32_t loop = Emit(op);
    phase_ = {};
    const uint32_t body = Here();
    Type(type.element, "");
    Emit({.op = Instruction::kNext, .target = body});
    if (error_.empty()) program_->code[loop].target = Here();
    phase_ = {};
    --loop_depth_;
  }

  static std::vector<FieldType::Range> RangesOf(const FieldType& tag,
                                                const FieldType::Option& o) {
    if (!o.ranges.empty()) return o.ranges;
    std::vector<FieldType::Range> ranges;
    for (const FieldType::Range& range : tag.ranges) {
      if (range.label == o.name) ranges.push_back(range);
    }
    return ranges;
  }

  uint32_t Select(SlotId source, bool is_signed) {
    const auto number = static_cast<uint32_t>(program_->selections.size());
    program_->selections.emplace_back().is_signed = is_signed;
    Emit({.op = Instruction::kSelect, .source = source, .target = number});
    return number;
  }

  void Variant(const FieldType& type) {
    const FieldType* tag = nullptr;
    const SlotId source = Resolve(type.path, &tag);
    if (source == kNoSlot) return;
    const uint32_t number = Select(source, tag->is_signed);
    const Phase start = phase_;
    std::optional<Phase> end;
    std::vector<uint32_t> jumps;
    for (const FieldType::Option& option : type.options) {
      for (const FieldType::Range& range : RangesOf(*tag, option)) {
        program_->selections[number].rows.push_back(
            {range.first, range.last, Here()});
      }
      phase_ = start;
      Type(option.type, option.name);
      jumps.push_back(Emit({.op = Instruction::kJump}));
      if (!error_.empty()) return;
      if (end) {
        end->Join(phase_);
      } else {
        end = phase_;
      }
    }
    for (const uint32_t jump : jumps) program_->code[jump].target = Here();
    phase_ = end.value_or(start);
  }

  void Optional(const FieldType& type) {
    const FieldType* tag = nullptr;
    const SlotId source = Resolve(type.path, &tag);
    if (source == kNoSlot) return;
    const uint32_t number = Select(source, tag->is_signed);
    Phase end = phase_;
    const uint32_t body = Here();
    Type(type.element, "");
    if (!error_.empty()) return;
    end.Join(phase_);
    phase_ = end;
    Selection& selection = program_->selections[number];
    if (type.ranges.empty()) {
      // Any value except 0 selects the body.
      selection.is_signed = false;
      selection.rows.push_back({1, -1, body});
    }
    for (const FieldType::Range& range : type.ranges) {
      selection.rows.push_back({range.first, range.last, body});
    }
    selection.otherwise = Here();
  }

  const TraceTypes& types_;
  std::vector<uint64_t> alignments_;  // by type
  std::string error_;
  std::vector<Named> names_;
  std::vector<Slot> slots_;  // of the part that is being compiled
  SlotId next_slot_ = 0;
  SlotId most_slots_ = 0;
  std::vector<StreamEnd> ends_;  // by stream
  std::string mapped_clock_;
  Program* program_ = nullptr;
  Scope scope_ = Scope::kPacketHeader;
  std::string prefix_;
  Phase phase_;
  int loop_depth_ = 0;
  int depth_ = 0;
  size_t visits_ = 0;
  size_t path_bytes_ = 0;
  size_t total_ = 0;
};

}  // namespace

absl::StatusOr<TracePlan> CompilePlan(const TraceTypes& types) {
  return Compiler(types).Compile();
}

SlotId FindSlot(const StreamPlan& stream, const EventPlan& event, Scope scope,
                std::string_view name, const Slot** slot) {
  const auto find = [&](const std::vector<Slot>& slots, SlotId first) {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].scope == scope && slots[i].path == name) {
        if (slot != nullptr) *slot = &slots[i];
        return static_cast<SlotId>(first + i);
      }
    }
    return kNoSlot;
  };
  const SlotId found = find(event.slots, event.first_slot);
  return found != kNoSlot ? found : find(stream.slots, stream.first_slot);
}

}  // namespace tfprof::ctf
