#include "profiler/commands/help/man_page.h"

#include <string_view>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/usage.h"
#include "profiler/options/flags.h"
#include "profiler/options/options.h"

namespace tfprof::commands {
namespace {

// Text in the language of man(7), shown as it is: no requests, no escapes,
// dashes that can be copied, ASCII only.
std::string Roff(std::string_view text) {
  std::string roff;
  constexpr std::string_view kEllipsis = "…";
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kEllipsis)) {
      roff += "...";
      i += kEllipsis.size() - 1;
    } else if (text[i] == '\\') {
      roff += "\\e";
    } else if (text[i] == '-') {
      roff += "\\-";
    } else {
      if (i == 0 && (text[i] == '.' || text[i] == '\'')) roff += "\\&";
      roff += text[i];
    }
  }
  return roff;
}

void Section(std::string_view name, std::string& page) {
  page += fmt::format(".SH {}\n", name);
}

// A tag in bold, its value in italics, and its meaning.
void Entry(std::string_view tag, std::string_view value, std::string_view text,
           std::string& page) {
  page += fmt::format(".TP\n\\fB{}\\fR", Roff(tag));
  if (!value.empty()) page += fmt::format(" \\fI{}\\fR", Roff(value));
  page += fmt::format("\n{}\n", Roff(text));
}

}  // namespace

std::string ManPage() {
  std::string page =
      ".\\\" Made by: tfprof help tfprof.1\n"
      ".TH TFPROF 1\n"
      ".SH NAME\n"
      "tfprof \\- profile machine learning programs\n"
      ".SH SYNOPSIS\n"
      ".B tfprof\n"
      "[\\fIINPUT\\fR...] [\\fICOMMAND\\fR] [\\fB\\-\\fIoption value\\fR...]\n"
      ".SH DESCRIPTION\n";
  page += fmt::format("{}\n", Roff(kPurpose));
  Section("INPUTS", page);
  for (const options::FlagInfo& flag : options::FlagTable()) {
    Entry(flag.name.size() == 1 ? fmt::format("-{}", flag.name)
                                : fmt::format("--{}", flag.name),
          flag.value_name, flag.help, page);
  }
  Section("COMMANDS", page);
  for (const CommandInfo* command : CommandTable()) {
    Entry(command->name, command->arguments,
          fmt::format("{} {}", command->help, command->answers), page);
  }
  Section("OPTIONS", page);
  const options::Options defaults;
  for (const options::Option& option : options::OptionTable()) {
    const std::string value = option.format(defaults);
    Entry(fmt::format("-{}", option.name), option.value_name,
          value.empty() ? std::string(option.help)
                        : fmt::format("{} Default: {}", option.help, value),
          page);
  }
  Section("\"EXIT STATUS\"", page);
  for (const Meaning& status : ExitStatuses()) {
    Entry(status.name, "", status.help, page);
  }
  Section("ENVIRONMENT", page);
  for (const Meaning& variable : Environment()) {
    Entry(variable.name, "", variable.help, page);
  }
  Section("EXAMPLES", page);
  for (const Meaning& example : UsageExamples()) {
    Entry(example.name, "", example.help, page);
  }
  return page;
}

}  // namespace tfprof::commands
