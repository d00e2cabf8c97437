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
      # What takes long is run with `work`, so that it ends with the call: work sleep 10
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

    # milliseconds KEY: sets value to the input KEY of type duration in milliseconds, or returns 1.
    milliseconds() {
      durations=${params#*'"milliseconds":{'}
      [ "$durations" != "$params" ] || return 1
      durations=${durations%%\}*}
      value=${durations#*"\"$1\":"}
      [ "$value" != "$durations" ] || return 1
      value=${value%%,*}
    }

    # work COMMAND…: runs a command that is ended when the call is cancelled.
    work() {
      "$@" &
      worker=$!
      wait "$worker"
    }

    # answer OUTPUTS: answers the call with the members of an object.
    answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"outputs\":{$1}}}"; }

    # fail CODE MESSAGE [true|false]: answers the call with an error; the last word says whether another try may succeed.
    fail() {
      data=${3:+",\"data\":{\"retryable\":$3}"}
      printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":\"$1\",\"message\":\"$2\"$data}}"
      return 1
    }

    # log MESSAGE: writes a line to the run's log.
    log() {
      printf '%s\n' "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"id\":$id,\"level\":\"info\",\"message\":\"$1\"}}"
    }

    # beside ACTION: runs an action beside the loop that reads, so that the call can be cancelled and calls may overlap. An
    # action that takes next to no time may be called without it.
    beside() {
      forget
      (
        worker=
        trap '[ -z "$worker" ] || kill "$worker"; exit' TERM
        "$@"
      ) &
      calls="$calls $id:$! "
    }

    # cancel: gives up the call whose id stands in the message.
    cancel() {
      id=${params%%\}*}
      forget
      process=${calls#*" $id:"}
      [ "$process" != "$calls" ] || return
      process=${process%% *}
      calls="${calls%%" $id:"*} ${calls#*" $id:$process "}"
      kill "$process" 2>/dev/null && fail cancelled "the call was cancelled"
    }

    # forget: forgets the calls that have ended, and with that been answered.
    forget() {
      jobs >/dev/null
      rest=
      for call in $calls; do
        kill -0 "${call#*:}" 2>/dev/null && rest="$rest $call "
      done
      calls=$rest
    }

    calls=
    # flowrun writes the members of a call in this order; what stands in a string has its quotes escaped and cannot match.
    while IFS= read -r line; do
      params=${line#*'"id":'}
      id=${params%%,*}
      case $line in
        *'"method":"run","params":{"action":"NAME.text"'*) beside text ;;
        *'"method":"run"'*) fail unknown-action "there is no such action" ;;
        *'"method":"initialize"'*)
          printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"name\":\"NAME\",\"version\":\"1.0.0\",\"actions\":[\"NAME.text\"]}}"
          ;;
        *'"method":"cancel"'*) cancel ;;
        *'"method":"shutdown"'*) exit 0 ;;
      esac
    done

    """#
}
