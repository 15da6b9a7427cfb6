#include "loaders/ctf/packets/event_stream.h"

#include <algorithm>
#include <string_view>

#include "fmt/format.h"

namespace tfprof::ctf {
namespace {

// A sum with as many cycles could overflow.
constexpr uint64_t kFarCycles = uint64_t{1} << 62;

}  // namespace

void StreamReader::Damage(const char* what) {
  // A packet that is cut off was already reported when it was found.
  if (!packet_->cut) {
    log_.Add(
        loaders::ImportLog::kDamage, kDamagedStream,
        fmt::format("{}: byte {}: {}; {} bytes of the packet at byte {} "
                    "are dropped",
                    packet_->file->path(),
                    packet_->offset + cursor_.position / 8, what,
                    (cursor_.limit - cursor_.position) / 8, packet_->offset));
  }
  if (notes_ != nullptr) {
    (*notes_)[packet_->file].Note(loaders::ByteNotes::kDamaged,
                                  packet_->offset + begin_ / 8,
                                  packet_->offset + (cursor_.limit + 7) / 8);
  }
  packet_ = nullptr;
}

void StreamReader::NoteEvent(loaders::ByteNotes::Part part) const {
  (*notes_)[packet_->file].Note(part, packet_->offset + begin_ / 8,
                                packet_->offset + cursor_.position / 8);
}

void StreamReader::NoteTime() const {
  constexpr std::string_view kKind = "event before the one before it";
  if (!log_.WantsText(kKind)) {
    return log_.Count(loaders::ImportLog::kNotice, kKind, 1);
  }
  log_.Add(loaders::ImportLog::kNotice, kKind,
           fmt::format("{}: byte {}: an event is {} ns earlier than the one "
                       "before it in its stream; both are kept",
                       packet_->file->path(), packet_->offset + begin_ / 8,
                       static_cast<uint64_t>(last_) -
                           static_cast<uint64_t>(event_.time)));
}

bool StreamReader::BeginPacket() {
  while (next_packet_ < stream_.packets.size()) {
    packet_ = &stream_.packets[next_packet_++];
    begin_ = 0;
    const Trace& trace = *packet_->trace;
    plan_ = &trace.plan.plans[packet_->stream];
    if (values_.size() < trace.plan.num_values) {
      values_.resize(trace.plan.num_values);
    }
    event_.trace = &trace;
    event_.stream = plan_;
    event_.values = values_.data();
    const uint64_t clock = cursor_.clock;
    cursor_ = {};
    cursor_.clock = clock;
    cursor_.data = packet_->file->bytes().data() + packet_->offset;
    cursor_.limit = packet_->limit;
    is_nanos_ = plan_->clock < 0;
    nanos_offset_ = 0;
    if (plan_->clock >= 0) {
      const ClockClass& of =
          trace.types.clocks[static_cast<size_t>(plan_->clock)];
      is_nanos_ = of.frequency == 1000000000;
      nanos_offset_ = trace.ToNanos(plan_->clock, 0);
    }
    if (Run(trace.plan.packet_header, cursor_, values_.data()) &&
        Run(plan_->packet_context, cursor_, values_.data())) {
      return true;
    }
    Damage(cursor_.error);
  }
  return false;
}

bool StreamReader::Next() {
  for (;;) {
    if (packet_ == nullptr && !BeginPacket()) return false;
    const uint64_t mask = plan_->event_alignment - 1;
    const uint64_t begin = (cursor_.position + mask) & ~mask;
    if (begin >= cursor_.limit) {
      packet_ = nullptr;
      continue;
    }
    cursor_.position = begin_ = begin;
    cursor_.event_id = 0;
    if (!Run(plan_->event_header, cursor_, values_.data())) {
      Damage(cursor_.error);
      continue;
    }
    const EventPlan* const plan = plan_->Find(cursor_.event_id);
    if (plan == nullptr) {
      Damage("the metadata has no event with the id that is here");
      continue;
    }
    if (!Run(plan->body, cursor_, values_.data())) {
      Damage(cursor_.error);
      continue;
    }
    if (cursor_.position == begin) {
      Damage("events that take no bits cannot be counted");
      continue;
    }
    event_.plan = plan;
    event_.time =
        is_nanos_ && cursor_.clock < kFarCycles
            ? static_cast<int64_t>(cursor_.clock +
                                   static_cast<uint64_t>(nanos_offset_))
            : event_.trace->ToNanos(plan_->clock, cursor_.clock);
    goes_back_ = event_.time < last_;
    if (goes_back_) NoteTime();
    last_ = event_.time;
    return true;
  }
}

EventStream::EventStream(const TraceFiles& files, loaders::ImportLog& log) {
  readers_.reserve(files.streams.size());
  for (const PacketStream& stream : files.streams) {
    readers_.emplace_back(stream, log);
  }
  for (uint32_t i = 0; i < readers_.size(); ++i) {
    if (readers_[i].Next()) heap_.push_back({readers_[i].event().time, i});
  }
  // A sorted list is a heap.
  std::sort(heap_.begin(), heap_.end(), Before);
}

void EventStream::SiftDown() {
  const size_t size = heap_.size();
  if (size < 2) return;
  const Entry moved = heap_[0];
  size_t at = 0;
  for (size_t child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && Before(heap_[child + 1], heap_[child])) ++child;
    if (!Before(heap_[child], moved)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moved;
}

bool EventStream::Next() {
  if (started_ && !heap_.empty()) {
    StreamReader& reader = readers_[heap_.front().reader];
    if (reader.Next()) {
      heap_.front().time = reader.event().time;
    } else {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    SiftDown();
  }
  started_ = true;
  return !heap_.empty();
}

}  // namespace tfprof::ctf
