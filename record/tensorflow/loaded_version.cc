#include "record/tensorflow/loaded_version.h"

#include <atomic>
#include <string_view>

#include "record/sink.h"
#include "record/tensorflow/step_ids.h"
#include "record/tensorflow/tensorflow_library.h"
#include "record/text_buffer.h"

namespace tfprof::record {
namespace {

constexpr std::string_view kSource = "tensorflow";

// const char* TF_Version(void)
constinit RealSymbol version("TF_Version", TFPROF_TENSORFLOW);
constinit std::atomic<bool> met_op = false;
constinit std::atomic<bool> recorded_op = false;

TextBuffer<400> Name() {
  TextBuffer<400> name;
  const auto of = version.As<const char* (*)()>();
  name << "TensorFlow" << (of != nullptr ? " " : "")
       << (of != nullptr ? of() : "");
  return name;
}

}  // namespace

void NoteOp(bool has_facts) {
  if (met_op.load(std::memory_order_relaxed)) [[likely]] {
    return;
  }
  if (met_op.exchange(true)) return;
  recorded_op.store(has_facts);
  TextBuffer<400> text = Name();
  text << (has_facts ? ": ops are recorded"
                     : ": it does not give the names of ops (there is no "
                       "OpKernel::TraceString), so no op is recorded");
  Note(kSource, text.view());
}

void NoteEnd() {
  if (!IsRecording() || !IsLoaded(TFPROF_TENSORFLOW)) return;
  if (!met_op.load(std::memory_order_relaxed)) {
    TextBuffer<400> text = Name();
    text << ": no op ran, or this version runs ops through unknown functions; "
            "no op is recorded";
    Note(kSource, text.view());
  } else if (recorded_op.load() && !AreStepIdsKnown()) {
    TextBuffer<400> text = Name();
    text << ": the step ids of ops were not found; ops belong to the step "
            "that was open";
    Note(kSource, text.view());
  }
}

namespace {
__attribute__((destructor)) void AtExit() { NoteEnd(); }
}  // namespace

}  // namespace tfprof::record
