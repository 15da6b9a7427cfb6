// The parts of the timeline page that are the same for each profile: the script
// (TypeScript, bundled), the style and the body. The build makes them from
// timeline/ and embeds them in the program.
//
// A hash is base64 of SHA-256, as in a content security policy.

#ifndef TFPROF_WEB_PAGE_FILES_H_
#define TFPROF_WEB_PAGE_FILES_H_

#include <string_view>

namespace tfprof {

struct PageFiles {
  std::string_view script;
  std::string_view script_hash;
  std::string_view style;
  std::string_view style_hash;
  std::string_view body;
};

const PageFiles& GetPageFiles();

}  // namespace tfprof

#endif  // TFPROF_WEB_PAGE_FILES_H_
