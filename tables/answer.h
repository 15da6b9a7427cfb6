// Answer: what a command has to say, before anything decides where it goes.
//
// A command on a workspace returns an Answer and prints nothing. The writers
// (answer_writer.h) turn one Answer into each output: a table on a screen, the
// text of the reference, JSON, NDJSON, CSV, Markdown, JUnit, files. A shell
// line, the program's arguments, a script and, later, a server ask the same
// commands and use the same writers, so that no output says what another one
// does not know.
//
// An Answer may point into what it was asked of (a report, a profile), which
// must outlive it. Making one is cheap: rows and texts are produced when they
// are written.

#ifndef TFPROF_TABLES_ANSWER_H_
#define TFPROF_TABLES_ANSWER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

// For whom a text is laid out.
struct TextLook {
  size_t columns = 80;    // of the window or page; lines are broken to fit
  bool terminal = false;  // a person reads it on a screen
  bool color = false;
  bool unicode = true;
};

struct Answer {
  // One way to write the answer that is no table.
  struct Form {
    std::string name;  // the word of -output: "text", "junit"
    std::function<void(const TextLook& look, Sink& sink)> write;
  };
  // A file that the command was asked to write: a trace, a saved profile.
  struct File {
    std::string path;
    std::function<absl::Status(Sink& sink)> write;
    // What is said on stdout when it is written, and the error when it cannot
    // be written.
    std::function<std::string()> done;
    std::function<absl::Status(const absl::Status& reason)> failed;
  };

  // Facts and tables. One table without a title is the answer itself: JSON has
  // its columns and rows at the top.
  DataDocument data;
  std::vector<Form> forms;
  // The form that is written to what is no terminal when -output asks for
  // nothing; empty: the table.
  std::string default_form;
  // The same on a terminal.
  std::string screen_form;
  // Harmless lines that a person sees before the table.
  std::string introduction;
  std::vector<File> files;
  // Lines for stderr, each without its newline.
  std::vector<std::string> notes;
  // Not OK: the command failed. What the answer has is written all the same.
  absl::Status status;

  const Form* FindForm(std::string_view name) const {
    for (const Form& form : forms) {
      if (form.name == name) return &form;
    }
    return nullptr;
  }
};

// An answer of one table.
inline Answer TableAnswer(DataTable table) {
  Answer answer;
  answer.data.kind = table.kind;
  answer.data.facts = std::move(table.facts);
  table.facts.clear();
  answer.data.parts.push_back({"", std::move(table)});
  return answer;
}

inline Answer ErrorAnswer(absl::Status status) {
  Answer answer;
  answer.status = std::move(status);
  return answer;
}

}  // namespace tfprof

#endif  // TFPROF_TABLES_ANSWER_H_
