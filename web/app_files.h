// The parts of the page of `tfprof serve`; page_files.h has the parts of the
// timeline page.

#ifndef TFPROF_WEB_APP_FILES_H_
#define TFPROF_WEB_APP_FILES_H_

#include "web/page_files.h"

namespace tfprof {

using AppFiles = PageFiles;

const AppFiles& GetAppFiles();

}  // namespace tfprof

#endif  // TFPROF_WEB_APP_FILES_H_
