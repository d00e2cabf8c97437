#ifndef FLOW_PLATFORM_H
#define FLOW_PLATFORM_H

/// Sets the name of the calling thread for debuggers, at most 15 bytes.
void flow_name_thread(const char *name);

/// The number of processors on which this process may run, or 0 if it is unknown.
int flow_usable_processors(void);

#endif
