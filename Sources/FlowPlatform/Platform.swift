// The only place that imports the C libraries of the platforms. Modules that import this one get the system's C
// library, too.

#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#endif
