#ifndef FLOW_LIBFUZZER_H
#define FLOW_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the arguments of the command line. Calls `callback`, which must return 0, with one input at a time.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
