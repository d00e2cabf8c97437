#if Network
  import FlowPlatform

  /// The process's limit on open files. Each connection needs a file descriptor.
  package enum DescriptorLimit {
    /// Sets the limit to the maximum that needs no special rights, but at most 65,536, and returns it.
    package static func raise() -> Int {
      var limit = rlimit()
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let resource = RLIMIT_NOFILE
      #endif
      guard getrlimit(resource, &limit) == 0 else { return 1024 }
      limit.rlim_cur = min(limit.rlim_max, 65_536)
      _ = setrlimit(resource, &limit)
      return getrlimit(resource, &limit) == 0 ? Int(limit.rlim_cur) : 1024
    }
  }
#endif
