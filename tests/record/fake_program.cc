// Loads a library into a local scope, like Python, and runs the program in it.
// Prints a summary. Usage: fake_program LIBRARY RUNS

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const auto run =
      reinterpret_cast<int (*)(int)>(dlsym(library, "RunFakeProgram"));
  if (run == nullptr) return 2;
  printf("%d done\n", run(atoi(argv[2])));
}
