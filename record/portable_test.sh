#!/usr/bin/env bash
# The library must load into any program: it needs no other library, no version
# of a symbol, and only symbols that every libc of the last fifteen years has.
#
# Usage: portable_test.sh LIBRARY

set -euo pipefail

readonly library=$1
readonly allowed=' __errno_location clock_gettime dlsym getenv memchr memcmp
  memcpy memmove memset prctl strcmp strlen strncmp syscall sysconf uname '
# The library works without these.
readonly allowed_weak=' __cxa_atexit dl_iterate_phdr dladdr dlclose dlopen
  pthread_key_create pthread_setspecific '

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

if readelf -d "$library" | grep NEEDED; then
  fail "the library needs another library"
fi
if readelf -V "$library" | grep -q 'Version needs'; then
  fail "the library needs versions of symbols"
fi
if readelf -lW "$library" | grep -q 'GNU_STACK.*RWE'; then
  fail "the library needs an executable stack"
fi
while read -r kind name; do
  case $kind in
    U) [[ "${allowed//$'\n'/ }" == *" $name "* ]] ||
      fail "the library needs $name" ;;
    w) [[ "${allowed_weak//$'\n'/ }" == *" $name "* ]] ||
      fail "the library may need $name" ;;
  esac
done < <(nm -D --undefined-only "$library" | awk '{print $1, $2}')
for name in tfprof_record_get_functions clGetLayerInfo clInitLayer; do
  nm -D --defined-only "$library" | grep -q " T $name$" ||
    fail "the library does not have $name"
done
