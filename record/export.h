// TFPROF_EXPORT: marks a function that libtfprof_record.so exports. All other
// symbols are hidden.

#ifndef TFPROF_RECORD_EXPORT_H_
#define TFPROF_RECORD_EXPORT_H_

#define TFPROF_EXPORT __attribute__((visibility("default")))

#endif  // TFPROF_RECORD_EXPORT_H_
