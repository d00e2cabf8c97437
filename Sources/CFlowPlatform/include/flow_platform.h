#ifndef FLOW_PLATFORM_H
#define FLOW_PLATFORM_H

/// Names the thread that calls it, for debuggers; 15 bytes at most.
void flow_name_thread(const char *name);

/// How many processors this process may run on; 0: the system does not say.
int flow_usable_processors(void);

#endif
