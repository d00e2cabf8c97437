#ifndef FLOW_LIBFUZZER_H
#define FLOW_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the command line's arguments over `callback`, which gets one input at a time and returns 0.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
