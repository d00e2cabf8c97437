// swift-format-ignore-file
// The part of BackgroundTasks that BGTask.follow uses.
@_exported import Foundation

open class BGTask: NSObject {
  open var expirationHandler: (() -> Void)?
  open func setTaskCompleted(success: Bool) {}
}
