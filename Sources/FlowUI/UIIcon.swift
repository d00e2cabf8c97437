#if Network
  import FlowDiagnostics

  /// The icon that a browser shows in the tab of a page. Its color and symbol represent a state.
  enum UIIcon {
    case none, running, asks, success, failure, stopped

    /// Creates the icon for the state of a run or step, given as a CSS class.
    init(_ kind: String) {
      switch kind {
      case "running": self = .running
      case "success": self = .success
      case "failure": self = .failure
      case "partial", "cancelled", "interrupted": self = .stopped
      default: self = .none
      }
    }

    private var look: (color: String, sign: String) {
      switch self {
      case .none: ("5a6270", "f")
      case .running: ("2f6fd0", "●")
      case .asks: ("b36b00", "?")
      case .success: ("0b7a4b", "✓")
      case .failure: ("b3261e", "✗")
      case .stopped: ("8a5a00", "!")
      }
    }

    /// The icon as an SVG image in a data URL.
    var address: String {
      let (color, sign) = look
      return
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='8' "
        + "fill='%23\(color)'/%3E%3Ctext x='8' y='12' font-size='11' font-family='sans-serif' text-anchor='middle' "
        + "fill='white'%3E\(sign)%3C/text%3E%3C/svg%3E"
    }
  }
#endif
