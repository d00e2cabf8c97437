/// The executable file of this process.
package enum OwnProgram {
  /// The path of the executable, or the name that was used to start the process if the system does not provide the
  /// path.
  package static var path: String {
    #if !canImport(Darwin)
      let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer -> String? in
        let count = readlink("/proc/self/exe", buffer.baseAddress!, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
      }
      if let path { return path }
    #endif
    return ProcessArguments.all.first.map(FilePath.absolute) ?? "flowrun"
  }
}
