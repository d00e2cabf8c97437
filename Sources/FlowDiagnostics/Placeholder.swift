// Diagnostics: spans, messages, the renderer.
