// swift-format-ignore-file
// Background tasks, as far as BGTask.follow uses them.
@_exported import Foundation

open class BGTask: NSObject {
  open var expirationHandler: (() -> Void)?
  open func setTaskCompleted(success: Bool) {}
}
