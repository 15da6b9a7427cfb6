// PluginLibrary: a library of a vendor that is loaded at run time, if it is
// there. Nothing of it is needed to build or to start.

#ifndef TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_
#define TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_

#include <initializer_list>

namespace tfprof::record {

class PluginLibrary {
 public:
  // Opens the file that the environment variable `setting` names, or else the
  // first of `names` that can be loaded. False: there is none. It stays open.
  bool Open(const char* setting, std::initializer_list<const char*> names);

  // Null: it has no such function.
  template <typename Function>
  Function As(const char* symbol) const {
    return reinterpret_cast<Function>(Find(symbol));
  }

 private:
  void* Find(const char* symbol) const;

  void* handle_ = nullptr;
};

// Whether the variable `setting` leaves the library out: "off".
bool IsLeftOut(const char* setting);

// Calls `end` when the process exits; not all programs let that happen.
void CallAtExit(void (*end)());

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_
