// TFPROF_EXPORT: a function that others find in libtfprof_record.so. All other
// symbols are hidden.

#ifndef TFPROF_RECORD_EXPORT_H_
#define TFPROF_RECORD_EXPORT_H_

#define TFPROF_EXPORT __attribute__((visibility("default")))

#endif  // TFPROF_RECORD_EXPORT_H_
