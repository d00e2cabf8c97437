#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Calls the body of a step. On Apple's systems, objects that the body autoreleases are released when it returns,
/// because a thread runs many steps and its own autorelease pool would end only with the thread.
@inline(__always)
func releasingObjects<Result>(_ body: () throws -> Result) rethrows -> Result {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
