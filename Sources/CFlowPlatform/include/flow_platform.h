#ifndef FLOW_PLATFORM_H
#define FLOW_PLATFORM_H

/// Sets the name that debuggers show for the calling thread, at most 15 bytes.
void flow_name_thread(const char *name);

/// Returns the number of processors on which this process may run, or 0 if it is unknown.
int flow_usable_processors(void);

#endif
