import CFlowProcess

extension Descriptor {
  /// A descriptor that becomes readable when a child has ended; its number is negative if the system does not support
  /// this.
  package static func exitWatch(of child: pid_t) -> Descriptor { Descriptor(flow_watch_exit(child)) }

  /// The number of unread bytes in the pipe of this writing end, or 0 if it is unknown.
  package var unreadBytes: Int { max(0, Int(flow_unread_bytes(number))) }
}
