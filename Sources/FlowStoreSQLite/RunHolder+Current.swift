import FlowPlatform
import FlowStore

extension RunHolder {
  /// This process, with the name of its machine.
  package static var current: RunHolder {
    var name = [CChar](repeating: 0, count: 256)
    _ = gethostname(&name, name.count - 1)
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return RunHolder(process: Int(getpid()), host: String(decoding: bytes, as: UTF8.self))
  }
}
