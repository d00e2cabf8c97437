#ifndef FLOW_PLUGIN_SUPPORT_H
#define FLOW_PLUGIN_SUPPORT_H

#include <stddef.h>

/// A file that is part of the binary; the bytes are valid as long as the program runs.
typedef struct {
  const void *bytes;
  size_t count;
} flow_support_file;

/// Sources of the Swift module FlowPlugin.
flow_support_file flow_support_json_swift(void);
flow_support_file flow_support_json_decoding_swift(void);
flow_support_file flow_support_json_encoding_swift(void);
flow_support_file flow_support_json_scalar_swift(void);
flow_support_file flow_support_messages_swift(void);
flow_support_file flow_support_plugin_call_swift(void);
flow_support_file flow_support_plugin_error_swift(void);
flow_support_file flow_support_plugin_program_swift(void);

/// The modules for Python and Node.js, and the functions for sh.
flow_support_file flow_support_python(void);
flow_support_file flow_support_node(void);
flow_support_file flow_support_shell(void);

#endif
