extension PluginTemplate {
  /// The files of a plugin in sh, except its manifest and cases. `NAME` is replaced with the name of the plugin.
  static let shellFiles = [
    "plugin.sh": #"""
    . "$FLOWRUN_PLUGIN_SH"

    louder() {
      string text || fail nothing-to-say "text is missing" || return
      [ -n "$value" ] || fail nothing-to-say "text is empty; give it a word" || return
      log "saying it louder"
      # What takes long is run with `work`, so that it ends with the call: work sleep 10
      answer "\"text\":\"$value!\""
    }

    action NAME.text louder
    serve

    """#
  ]
}
