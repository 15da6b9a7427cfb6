// PluginLibrary: a vendor's library that is loaded at run time if it is
// installed. It is needed neither to build nor to start.

#ifndef TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_
#define TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_

#include <initializer_list>

namespace tfprof::record {

class PluginLibrary {
 public:
  // Opens the file that the environment variable `setting` names, or else the
  // first of `names` that can be loaded, and keeps it open. Returns false if
  // there is none.
  bool Open(const char* setting, std::initializer_list<const char*> names);

  // Returns null if the library has no such function.
  template <typename Function>
  Function As(const char* symbol) const {
    return reinterpret_cast<Function>(Find(symbol));
  }

 private:
  void* Find(const char* symbol) const;

  void* handle_ = nullptr;
};

// True if the environment variable `setting` is "off", which disables the
// library.
bool IsLeftOut(const char* setting);

// Calls `end` when the process exits normally.
void CallAtExit(void (*end)());

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_PLUGIN_LIBRARY_H_
