import CFlowProcess

extension Descriptor {
  /// One that becomes readable when a child has ended; its number is negative where the system has no such thing.
  package static func exitWatch(of child: pid_t) -> Descriptor { Descriptor(flow_watch_exit(child)) }

  /// The number of bytes that are unread in the pipe that this is the writing end of; 0 where that cannot be known.
  package var unreadBytes: Int { max(0, Int(flow_unread_bytes(number))) }
}
