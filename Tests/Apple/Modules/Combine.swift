// swift-format-ignore-file
// The public names of Combine that an app's packages may also declare.
public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
}
public struct Record<Output, Failure: Error>: Publisher {
  public init(output: [Output]) {}
}
public protocol Cancellable { func cancel() }
public protocol Subscription: Cancellable {}
public protocol Subject<Output, Failure>: AnyObject, Publisher {}
public struct Just<Output>: Publisher {
  public typealias Failure = Never
  public init(_ output: Output) {}
}
