// What SQLite calls in place of the dynamic loader: every library is refused.
// The linker option --wrap gives them their names.

// NOLINTBEGIN(bugprone-reserved-identifier): the linker wants these names.

void* __wrap_dlopen(const char* file, int mode) {
  (void)file;
  (void)mode;
  return 0;
}

void* __wrap_dlsym(void* handle, const char* name) {
  (void)handle;
  (void)name;
  return 0;
}

int __wrap_dlclose(void* handle) {
  (void)handle;
  return 0;
}

char* __wrap_dlerror(void) { return (char*)"libraries are not loaded"; }

// NOLINTEND(bugprone-reserved-identifier)
