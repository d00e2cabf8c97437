// swift-format-ignore-file
// The declarations of Darwin's overlay, and of its macros, that the modules for apps use.
@_exported import CDarwin

public var errno: Int32 {
  get { 0 }
  set {}
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
public func fcntl(_ file: Int32, _ command: Int32) -> Int32 { 0 }
public func fcntl(_ file: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public func fcntl(_ file: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { 0 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IRWXU: mode_t { 0o700 }
public var S_IXUSR: mode_t { 0o100 }
public var MAP_FAILED: UnsafeMutableRawPointer! { UnsafeMutableRawPointer(bitPattern: -1) }
public var QOS_CLASS_USER_INTERACTIVE: qos_class_t { qos_class_t(rawValue: 0x21) }
public var QOS_CLASS_USER_INITIATED: qos_class_t { qos_class_t(rawValue: 0x19) }
public var QOS_CLASS_UTILITY: qos_class_t { qos_class_t(rawValue: 0x11) }
public var QOS_CLASS_BACKGROUND: qos_class_t { qos_class_t(rawValue: 0x09) }
public var CLOCK_REALTIME: clockid_t { clockid_t(rawValue: 0) }
public var CLOCK_MONOTONIC: clockid_t { clockid_t(rawValue: 6) }
public var CLOCK_UPTIME_RAW: clockid_t { clockid_t(rawValue: 8) }

public let (O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND): (Int32, Int32, Int32, Int32, Int32, Int32, Int32) =
  (0, 1, 2, 0x200, 0x800, 0x400, 8)
public let (O_NONBLOCK, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW): (Int32, Int32, Int32, Int32) = (4, 0x1000000, 0x100000, 0x100)
public let (F_OK, R_OK, W_OK, X_OK, AT_FDCWD, AT_SYMLINK_NOFOLLOW): (Int32, Int32, Int32, Int32, Int32, Int32) = (0, 4, 2, 1, -2, 0x20)
public let (F_GETFL, F_SETFL, F_GETFD, F_SETFD, FD_CLOEXEC, F_FULLFSYNC): (Int32, Int32, Int32, Int32, Int32, Int32) = (3, 4, 1, 2, 1, 51)
public let (SEEK_SET, SEEK_CUR, SEEK_END): (Int32, Int32, Int32) = (0, 1, 2)
public let (LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN): (Int32, Int32, Int32, Int32) = (1, 2, 4, 8)
public let (PROT_READ, PROT_WRITE, MAP_PRIVATE, MAP_SHARED): (Int32, Int32, Int32, Int32) = (1, 2, 2, 1)
public let (MADV_RANDOM, MADV_WILLNEED, MADV_SEQUENTIAL): (Int32, Int32, Int32) = (1, 3, 2)
public let (DT_UNKNOWN, DT_DIR, DT_REG, DT_LNK): (Int32, Int32, Int32, Int32) = (0, 4, 8, 10)
public let (PATH_MAX, PTHREAD_CREATE_DETACHED): (Int32, Int32) = (1024, 2)
public let (_SC_PAGESIZE, _SC_PHYS_PAGES, _SC_NPROCESSORS_ONLN, _SC_NPROCESSORS_CONF): (Int32, Int32, Int32, Int32) = (29, 200, 58, 57)
public let (RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_FSIZE): (Int32, Int32, Int32) = (7, 8, 1)
public let (EPERM, ENOENT, EINTR, EIO, EBADF, EAGAIN, ENOMEM, EACCES): (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) =
  (1, 2, 4, 5, 9, 35, 12, 13)
public let (EEXIST, EXDEV, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, EFBIG): (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) =
  (17, 18, 20, 21, 22, 23, 24, 27)
public let (ENOSPC, EROFS, EPIPE, EWOULDBLOCK, ENAMETOOLONG, ELOOP, ENOTEMPTY, EDQUOT): (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) =
  (28, 30, 32, 35, 63, 62, 66, 69)
public let (ENOTSUP, ETIMEDOUT, EBUSY): (Int32, Int32, Int32) = (45, 60, 16)
public let DBL_MAX = Double.greatestFiniteMagnitude
