#include "flow_plugin_support.h"

// SwiftPM would embed the files as Swift, an array literal with an element for each byte, which takes seconds to compile.
#define FILE_FUNCTION(name) \
  flow_support_file flow_support_##name(void) { return (flow_support_file){name, sizeof name}; }

static const unsigned char json_swift[] = {
#embed "Files/Swift/JSON.swift"
};
FILE_FUNCTION(json_swift)

static const unsigned char json_decoding_swift[] = {
#embed "Files/Swift/JSONDecoding.swift"
};
FILE_FUNCTION(json_decoding_swift)

static const unsigned char json_encoding_swift[] = {
#embed "Files/Swift/JSONEncoding.swift"
};
FILE_FUNCTION(json_encoding_swift)

static const unsigned char json_scalar_swift[] = {
#embed "Files/Swift/JSONScalar.swift"
};
FILE_FUNCTION(json_scalar_swift)

static const unsigned char messages_swift[] = {
#embed "Files/Swift/Messages.swift"
};
FILE_FUNCTION(messages_swift)

static const unsigned char plugin_call_swift[] = {
#embed "Files/Swift/PluginCall.swift"
};
FILE_FUNCTION(plugin_call_swift)

static const unsigned char plugin_error_swift[] = {
#embed "Files/Swift/PluginError.swift"
};
FILE_FUNCTION(plugin_error_swift)

static const unsigned char plugin_program_swift[] = {
#embed "Files/Swift/PluginProgram.swift"
};
FILE_FUNCTION(plugin_program_swift)

static const unsigned char python[] = {
#embed "Files/Python/flowrun_plugin.py"
};
FILE_FUNCTION(python)

static const unsigned char node[] = {
#embed "Files/Node/flowrun-plugin.js"
};
FILE_FUNCTION(node)

static const unsigned char shell[] = {
#embed "Files/Shell/flowrun-plugin.sh"
};
FILE_FUNCTION(shell)
