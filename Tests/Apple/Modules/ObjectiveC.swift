// swift-format-ignore-file
// The part of the Objective-C runtime's overlay that the modules for apps use.

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
