#if os(Linux)
  import Glibc

  /// A pseudoterminal in which a program can run. The other end reads its output.
  final class PseudoTerminal {
    /// The path of the terminal's end for the program.
    let path: String
    private let master: Int32
    /// The program's end of the terminal. It stays open here, so that the other end can still be read after the program
    /// has ended.
    private let slave: Int32
    private var isOpen = true
    private var bytes: [UInt8] = []
    private var readCount = 0

    init?(rows: Int, columns: Int) {
      // Equivalent to `posix_openpt`, `unlockpt` and `ptsname`, which are not available in Swift.
      let (unlock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      var (isLocked, index) = (Int32(0), UInt32(0))
      guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &index) == 0 else { return nil }
      path = "/dev/pts/\(index)"
      slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
      guard slave >= 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { return nil }
    }

    deinit {
      if isOpen { hangUp() }
    }

    /// Disconnects the terminal from the program.
    func hangUp() {
      close(master)
      close(slave)
      isOpen = false
    }

    /// Sends text to the program as if it were typed.
    func write(_ text: String) {
      _ = Array(text.utf8).withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
    }

    /// True if the terminal echoes input, passes on whole lines, and sends signals for keys such as Ctrl-C.
    var isUsual: Bool {
      var modes = termios()
      let usual = tcflag_t(ECHO | ICANON | ISIG)
      return tcgetattr(slave, &modes) == 0 && modes.c_lflag & usual == usual
    }

    /// Returns the output that the program has written since the last call.
    func read() -> String {
      _ = drawn()
      defer { readCount = bytes.count }
      return String(decoding: bytes[readCount...], as: UTF8.self)
    }

    /// Returns all output that the program has written so far.
    func drawn() -> String {
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = Glibc.read(master, &piece, piece.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece.prefix(count)
      }
    }
  }
#endif
