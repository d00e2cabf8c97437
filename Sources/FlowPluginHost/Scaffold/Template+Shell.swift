extension PluginTemplate {
  /// What is written for a plugin in sh besides its manifest and its cases; `NAME` stands for the plugin's name.
  static let shellFiles = ["plugin.sh": shellProgram]

  private static let shellProgram = #"""
    # The actions of this plugin: edit, save, run. For sh alone: strings stay as JSON writes them, escapes included.

    # NAME.text: reads the inputs that plugin.yaml declares, answers with the outputs.
    text() {
      string text || fail nothing-to-say "text is missing" || return
      [ -n "$value" ] || fail nothing-to-say "text is empty; give it a word" || return
      log "saying it louder"
      answer "\"text\":\"$value!\""
    }

    # What follows speaks flowrun's protocol: JSON-RPC 2.0 on standard input and output, one message a line. Standard
    # output belongs to the protocol: write everything else to standard error.

    # string KEY: sets value to the string behind "KEY": in the call's parameters, or returns 1.
    string() {
      value=${params#*"\"$1\":\""}
      [ "$value" != "$params" ] || return 1
      case $value in
        *\\*) escaped ;;
        *) value=${value%%\"*} ;;
      esac
    }

    # escaped: cuts value at its first quote that no backslash stands before.
    escaped() {
      rest=$value
      value=
      while :; do
        part=${rest%%\"*}
        value=$value$part
        rest=${rest#*\"}
        # An odd number of backslashes before the quote makes it part of the string.
        slashes=${part##*[!\\]}
        [ $((${#slashes} % 2)) -eq 1 ] || return 0
        value=$value\"
      done
    }

    # number KEY: sets value to the number behind "KEY": in the call's parameters, or returns 1.
    number() {
      value=${params#*"\"$1\":"}
      [ "$value" != "$params" ] || return 1
      value=${value%%[,\}]*}
    }

    # answer OUTPUTS: answers the call with the members of an object.
    answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"outputs\":{$1}}}"; }

    # fail CODE MESSAGE: answers the call with an error.
    fail() {
      printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":\"$1\",\"message\":\"$2\"}}"
      return 1
    }

    # log MESSAGE: writes a line to the run's log.
    log() {
      printf '%s\n' "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"id\":$id,\"level\":\"info\",\"message\":\"$1\"}}"
    }

    # flowrun writes the members of a call in this order; what stands in a string has its quotes escaped and cannot match.
    while IFS= read -r line; do
      params=${line#*'"id":'}
      id=${params%%,*}
      case $line in
        *'"method":"run","params":{"action":"NAME.text"'*) text ;;
        *'"method":"run"'*) fail unknown-action "there is no such action" ;;
        *'"method":"initialize"'*)
          printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"name\":\"NAME\",\"version\":\"1.0.0\",\"actions\":[\"NAME.text\"]}}"
          ;;
        *'"method":"shutdown"'*) exit 0 ;;
      esac
    done

    """#
}
