// PictureAnswer(): the answer of a command that draws. The picture is for a
// terminal and for -output text; all other outputs are tables.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_PICTURE_ANSWER_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_PICTURE_ANSWER_H_

#include <string>
#include <utility>

#include "profiler/commands/workspace.h"
#include "tables/answer.h"

namespace tfprof::commands {

// `shown` is kept by the answer. `answer_of` makes the tables of it, `text_of`
// the picture.
template <typename T>
tables::Answer PictureAnswer(
    T shown, const Workspace& workspace,
    tables::Answer (*answer_of)(const T& shown),
    std::string (*text_of)(const T& shown, const tables::TextLook& look)) {
  tables::Answer kept;
  const T& value = kept.Keep(std::move(shown));
  tables::Answer answer = answer_of(value);
  answer.owned = std::move(kept.owned);
  // Names point into the profile.
  answer.owned.push_back(workspace.opened);
  answer.forms.push_back(
      {.name = "text",
       .write = [&value, text_of](
                    const tables::TextLook& look,
                    util::Sink& sink) { sink.Write(text_of(value, look)); },
       .safe = true});
  answer.own_form = "text";
  answer.fits_window = true;
  return answer;
}

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_PICTURE_ANSWER_H_
