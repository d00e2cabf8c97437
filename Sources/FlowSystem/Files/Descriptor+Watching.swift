import CFlowProcess

extension Descriptor {
  /// Returns a descriptor that becomes readable when a child has ended. Its number is negative if the system has no
  /// such descriptors.
  package static func exitWatch(of child: pid_t) -> Descriptor { Descriptor(flow_watch_exit(child)) }

  /// The number of bytes in the pipe that have not been read, or 0 if it is unknown. This descriptor must be the
  /// writing end.
  package var unreadBytes: Int { max(0, Int(flow_unread_bytes(number))) }
}
