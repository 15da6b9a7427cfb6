#include "profiler/commands/help/completion_files.h"

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/usage.h"
#include "profiler/options/flags.h"
#include "profiler/options/options.h"

namespace tfprof::commands {
namespace {

std::string OneShotNames() {
  std::vector<std::string_view> names;
  for (const CommandInfo* command : CommandTable()) {
    if (command->one_shot) names.push_back(command->name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// In single quotes, for bash and zsh. A quote in the text closes them, follows
// escaped, and opens them again.
std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// The same for fish, where a backslash escapes inside of quotes too.
std::string QuotedForFish(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// An entry of zsh: "word:description".
std::string Described(std::string_view word, std::string_view help) {
  std::string text;
  for (const char c : word) {
    if (c == ':') text += '\\';
    text += c;
  }
  return ShellQuoted(fmt::format("{}:{}", text, help));
}

bool IsShort(const options::FlagInfo& flag) { return flag.name.size() == 1; }

}  // namespace

std::string BashCompletion() {
  std::vector<std::string> names, file_flags;
  std::string cases;
  for (const options::FlagInfo& flag : options::FlagTable()) {
    names.emplace_back(flag.name);
    if (flag.takes_file) file_flags.emplace_back(flag.name);
  }
  for (const options::Option& option : options::OptionTable()) {
    names.emplace_back(option.name);
    const std::vector<std::string> choices = options::OptionChoices(option);
    if (choices.empty()) continue;
    cases += fmt::format(
        "    {})\n      _tfprof_{} '{}'\n      return ;;\n", option.name,
        options::IsList(option) ? "list" : "words", fmt::join(choices, " "));
  }
  return fmt::format(
      R"(# Completion of tfprof in bash; made by `tfprof help completion.bash`.
#   source <(tfprof help completion.bash)

_tfprof_words() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}}

# The last element of a list.
_tfprof_list() {{
  local before=
  [[ $cur == *,* ]] && before=${{cur%,*}},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${{cur##*,}}")
}}

_tfprof() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD-1]}} word
  COMPREPLY=()
  # bash cuts --flag=value at the "=".
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  [[ $flag == -* ]] || flag=
  flag=${{flag#-}}
  case ${{flag#-}} in
{}    {})
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
  esac
  if [[ $cur == --* ]]; then
    _tfprof_words '--help --version --{}'
  elif [[ $cur == -* ]]; then
    _tfprof_words '-{}'
  else
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
      case $word in
        {}) return ;;
      esac
    done
    mapfile -t COMPREPLY < <(
      compgen -W '{}' -- "$cur"
      compgen -f -- "$cur"
    )
  fi
}}

complete -o filenames -o bashdefault -F _tfprof tfprof
)",
      cases, fmt::join(file_flags, "|"), fmt::join(names, " --"),
      fmt::join(names, " -"),
      [] {
        std::string alternatives = OneShotNames();
        for (char& c : alternatives) c = c == ' ' ? '|' : c;
        return alternatives;
      }(),
      OneShotNames());
}

std::string ZshCompletion() {
  std::string commands, flags, cases;
  std::vector<std::string> file_flags;
  for (const CommandInfo* command : CommandTable()) {
    if (!command->one_shot) continue;
    commands +=
        fmt::format("    {}\n", Described(command->name, command->help));
  }
  for (const options::FlagInfo& flag : options::FlagTable()) {
    flags += fmt::format(
        "    {}\n",
        Described(fmt::format("{}{}", IsShort(flag) ? "-" : "--", flag.name),
                  flag.help));
    if (flag.takes_file) file_flags.emplace_back(flag.name);
  }
  for (const options::Option& option : options::OptionTable()) {
    flags += fmt::format(
        "    {}\n", Described(fmt::format("-{}", option.name), option.help));
    const std::vector<std::string> choices = options::OptionChoices(option);
    if (choices.empty()) continue;
    cases += fmt::format(
        "    {})\n      {}compadd {}-- {}\n      return ;;\n", option.name,
        options::IsList(option) ? "compset -P '*,'\n      " : "",
        options::IsList(option) ? "-q -S , " : "", fmt::join(choices, " "));
  }
  return fmt::format(R"(#compdef tfprof
# Completion of tfprof in zsh; made by `tfprof help completion.zsh`. Name it
# _tfprof, in a folder of $fpath.

_tfprof() {{
  local -a commands flags
  commands=(
{})
  flags=(
    '--help:What tfprof is and takes.'
    '--version:The version.'
{})
  local flag=${{words[CURRENT-1]}}
  # --flag=value
  if compset -P '--*='; then flag=${{IPREFIX%=}}; fi
  [[ $flag == -* ]] || flag=
  flag=${{flag#-}}
  case ${{flag#-}} in
{}    {})
      _files
      return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option flags
  else
    _describe command commands
    _files
  fi
}}

_tfprof "$@"
)",
                     commands, flags, cases, fmt::join(file_flags, "|"));
}

std::string FishCompletion() {
  std::string page =
      "# Completion of tfprof in fish; made by `tfprof help completion.fish`.\n"
      "#   tfprof help completion.fish > "
      "~/.config/fish/completions/tfprof.fish\n\n";
  const std::string none =
      fmt::format("'not __fish_seen_subcommand_from {}'", OneShotNames());
  page += "complete -c tfprof -l help -d 'What tfprof is and takes.'\n";
  page += "complete -c tfprof -l version -d 'The version.'\n";
  for (const CommandInfo* command : CommandTable()) {
    if (!command->one_shot) continue;
    page += fmt::format("complete -c tfprof -n {} -a {} -d {}\n", none,
                        command->name, QuotedForFish(command->help));
  }
  for (const options::FlagInfo& flag : options::FlagTable()) {
    page += fmt::format("complete -c tfprof -{} {} {} -d {}\n",
                        IsShort(flag) ? "s" : "l", flag.name,
                        flag.is_switch    ? ""
                        : flag.takes_file ? "-r -F"
                                          : "-x",
                        QuotedForFish(flag.help));
  }
  for (const options::Option& option : options::OptionTable()) {
    const std::vector<std::string> choices = options::OptionChoices(option);
    std::string values = " -x";
    if (!choices.empty()) {
      const std::string words =
          QuotedForFish(fmt::format("{}", fmt::join(choices, " ")));
      // fish completes the last element of a list.
      values += options::IsList(option)
                    ? fmt::format(
                          " -a '(__fish_append , (string split \" \" "
                          "-- \"{}\"))'",
                          fmt::join(choices, " "))
                    : fmt::format(" -a {}", words);
    }
    page += fmt::format("complete -c tfprof -o {0} -l {0}{1} -d {2}\n",
                        option.name, values, QuotedForFish(option.help));
  }
  return page;
}

}  // namespace tfprof::commands
