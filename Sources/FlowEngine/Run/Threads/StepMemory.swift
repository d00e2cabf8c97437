#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Calls the body of a step. On Apple's systems, objects that it autoreleases are released when it returns: a thread
/// runs many steps, and has no autorelease pool of its own that ends before the thread does.
@inline(__always)
func releasingObjects<Result>(_ body: () throws -> Result) rethrows -> Result {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
