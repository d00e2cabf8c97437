// Declarations of the C names of Darwin that the modules for apps use, written by hand from Apple's manual pages. No other
// names exist. In C, each name has a prefix, so that the headers of this machine's system can be loaded, too.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define NAMED(name) __attribute__((swift_name(#name)))
#define FUNCTION(result, name, label, ...) result darwin_##name(__VA_ARGS__) __attribute__((swift_name(#name #label)))

typedef int32_t darwin_pid_t NAMED(pid_t);
typedef uint32_t darwin_uid_t NAMED(uid_t);
typedef uint32_t darwin_gid_t NAMED(gid_t);
typedef uint16_t darwin_mode_t NAMED(mode_t);
typedef int64_t darwin_off_t NAMED(off_t);
typedef int32_t darwin_dev_t NAMED(dev_t);
typedef uint64_t darwin_ino_t NAMED(ino_t);
typedef long darwin_time_t NAMED(time_t);
typedef uint64_t darwin_rlim_t NAMED(rlim_t);

struct darwin_timespec {
  darwin_time_t tv_sec;
  long tv_nsec;
} NAMED(timespec);
struct darwin_stat {
  darwin_dev_t st_dev;
  darwin_mode_t st_mode;
  uint16_t st_nlink;
  darwin_ino_t st_ino;
  darwin_uid_t st_uid;
  darwin_gid_t st_gid;
  darwin_dev_t st_rdev;
  struct darwin_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  darwin_off_t st_size;
  int64_t st_blocks;
  int32_t st_blksize;
} NAMED(stat);
// In Swift, the name is a tuple of 1,024 elements. The compiler needs 20 s for code that uses the tuple, so the name is read
// by its offset.
struct darwin_dirent {
  uint64_t d_ino, d_seekoff;
  uint16_t d_reclen, d_namlen;
  uint8_t d_type;
  char d_name[1024];
} NAMED(dirent);
struct darwin_directory {
  int descriptor;
} NAMED(DIR);
struct darwin_tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  char *tm_zone;
} NAMED(tm);
struct darwin_rlimit {
  darwin_rlim_t rlim_cur, rlim_max;
} NAMED(rlimit);
struct darwin_statvfs {
  unsigned long f_bsize, f_frsize;
  unsigned int f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
  unsigned long f_fsid, f_flag, f_namemax;
} NAMED(statvfs);
struct darwin_opaque_thread {
  long signature;
} NAMED(_opaque_pthread_t);
typedef struct darwin_opaque_thread *darwin_pthread_t NAMED(pthread_t);
typedef struct {
  long signature;
} darwin_pthread_attr_t NAMED(pthread_attr_t);
typedef struct {
  long signature;
} darwin_pthread_mutex_t NAMED(pthread_mutex_t);
typedef struct {
  long signature;
} darwin_pthread_cond_t NAMED(pthread_cond_t);
typedef struct {
  long signature;
} darwin_pthread_mutexattr_t NAMED(pthread_mutexattr_t);
typedef struct {
  long signature;
} darwin_pthread_condattr_t NAMED(pthread_condattr_t);
typedef struct {
  uint32_t rawValue;
} darwin_clockid_t NAMED(clockid_t);
typedef struct {
  uint32_t rawValue;
} darwin_qos_class_t NAMED(qos_class_t);

// Files
FUNCTION(int, stat, (_:_:), const char *_Nonnull path, struct darwin_stat *_Nonnull status);
FUNCTION(int, lstat, (_:_:), const char *_Nonnull path, struct darwin_stat *_Nonnull status);
FUNCTION(int, fstat, (_:_:), int file, struct darwin_stat *_Nonnull status);
FUNCTION(int, fstatat, (_:_:_:_:), int folder, const char *_Nonnull path, struct darwin_stat *_Nonnull status, int flags);
FUNCTION(int, close, (_:), int file);
FUNCTION(long, read, (_:_:_:), int file, void *bytes, size_t count);
FUNCTION(long, write, (_:_:_:), int file, const void *bytes, size_t count);
FUNCTION(long, pread, (_:_:_:_:), int file, void *bytes, size_t count, darwin_off_t offset);
FUNCTION(long, pwrite, (_:_:_:_:), int file, const void *bytes, size_t count, darwin_off_t offset);
FUNCTION(darwin_off_t, lseek, (_:_:_:), int file, darwin_off_t offset, int whence);
FUNCTION(int, access, (_:_:), const char *_Nonnull path, int mode);
FUNCTION(int, fsync, (_:), int file);
FUNCTION(int, ftruncate, (_:_:), int file, darwin_off_t length);
FUNCTION(int, flock, (_:_:), int file, int operation);
FUNCTION(int, mkdir, (_:_:), const char *_Nonnull path, darwin_mode_t mode);
FUNCTION(int, mkfifo, (_:_:), const char *_Nonnull path, darwin_mode_t mode);
FUNCTION(int, rmdir, (_:), const char *_Nonnull path);
FUNCTION(int, unlink, (_:), const char *_Nonnull path);
FUNCTION(int, unlinkat, (_:_:_:), int folder, const char *_Nonnull path, int flags);
FUNCTION(int, rename, (_:_:), const char *_Nonnull from, const char *_Nonnull to);
FUNCTION(int, link, (_:_:), const char *_Nonnull from, const char *_Nonnull to);
FUNCTION(int, symlink, (_:_:), const char *_Nonnull from, const char *_Nonnull to);
FUNCTION(int, chmod, (_:_:), const char *_Nonnull path, darwin_mode_t mode);
FUNCTION(int, fchmod, (_:_:), int file, darwin_mode_t mode);
FUNCTION(long, readlink, (_:_:_:), const char *_Nonnull path, char *_Nonnull bytes, size_t count);
FUNCTION(char *_Nullable, realpath, (_:_:), const char *_Nonnull path, char *_Nullable resolved);
FUNCTION(char *_Nullable, getcwd, (_:_:), char *_Nullable bytes, size_t count);
FUNCTION(struct darwin_directory *_Nullable, opendir, (_:), const char *_Nonnull path);
FUNCTION(struct darwin_directory *_Nullable, fdopendir, (_:), int file);
FUNCTION(struct darwin_dirent *_Nullable, readdir, (_:), struct darwin_directory *_Nonnull folder);
FUNCTION(int, closedir, (_:), struct darwin_directory *_Nonnull folder);
FUNCTION(int, dirfd, (_:), struct darwin_directory *_Nonnull folder);
FUNCTION(int, statvfs, (_:_:), const char *_Nonnull path, struct darwin_statvfs *_Nonnull status);
FUNCTION(void *_Null_unspecified, mmap, (_:_:_:_:_:_:), void *_Nullable address, size_t length, int protection, int flags, int file, darwin_off_t offset);
FUNCTION(int, munmap, (_:_:), void *_Nullable address, size_t length);
FUNCTION(int, madvise, (_:_:_:), void *_Nullable address, size_t length, int advice);

// Memory and text
FUNCTION(void, free, (_:), void *_Nullable memory);
FUNCTION(void *_Null_unspecified, malloc, (_:), size_t size);
FUNCTION(void *_Null_unspecified, memcpy, (_:_:_:), void *_Null_unspecified to, const void *_Null_unspecified from, size_t count);
FUNCTION(int, memcmp, (_:_:_:), const void *_Null_unspecified first, const void *_Null_unspecified second, size_t count);
FUNCTION(void *_Null_unspecified, memchr, (_:_:_:), const void *_Null_unspecified bytes, int byte, size_t count);
FUNCTION(size_t, strlen, (_:), const char *_Null_unspecified text);
FUNCTION(char *_Null_unspecified, strerror, (_:), int number);
FUNCTION(char *_Nullable, getenv, (_:), const char *_Nonnull name);
FUNCTION(int, atoi, (_:), const char *_Null_unspecified text);
FUNCTION(double, strtod, (_:_:), const char *_Nonnull text, char *_Nullable *_Nullable end);
FUNCTION(uint32_t, arc4random, (), void);

// Mathematics
FUNCTION(double, sin, (_:), double x);
FUNCTION(double, cos, (_:), double x);
FUNCTION(double, tan, (_:), double x);
FUNCTION(double, asin, (_:), double x);
FUNCTION(double, acos, (_:), double x);
FUNCTION(double, atan2, (_:_:), double y, double x);
FUNCTION(double, pow, (_:_:), double x, double y);
FUNCTION(double, exp, (_:), double x);
FUNCTION(double, log, (_:), double x);
FUNCTION(double, fmod, (_:_:), double x, double y);

// The process and its threads
FUNCTION(darwin_pid_t, getpid, (), void);
FUNCTION(darwin_uid_t, getuid, (), void);
FUNCTION(darwin_uid_t, geteuid, (), void);
FUNCTION(long, sysconf, (_:), int name);
FUNCTION(int, getrlimit, (_:_:), int resource, struct darwin_rlimit *_Nonnull limit);
FUNCTION(int, gethostname, (_:_:), char *_Nonnull name, size_t count);
FUNCTION(int, clock_gettime, (_:_:), darwin_clockid_t clock, struct darwin_timespec *_Nonnull time);
FUNCTION(struct darwin_tm *_Nullable, localtime_r, (_:_:), const darwin_time_t *_Nonnull time, struct darwin_tm *_Nonnull parts);
FUNCTION(struct darwin_tm *_Nullable, gmtime_r, (_:_:), const darwin_time_t *_Nonnull time, struct darwin_tm *_Nonnull parts);
FUNCTION(int, nanosleep, (_:_:), const struct darwin_timespec *_Nonnull time, struct darwin_timespec *_Nullable rest);
FUNCTION(int, sched_yield, (), void);
FUNCTION(int, usleep, (_:), uint32_t microseconds);
FUNCTION(int, pthread_create, (_:_:_:_:), darwin_pthread_t _Nullable *_Nonnull thread, const darwin_pthread_attr_t *_Nullable attributes, void *_Nullable (*_Nonnull start)(void *_Nonnull), void *_Nullable argument);
FUNCTION(darwin_pthread_t _Nonnull, pthread_self, (), void);
FUNCTION(int, pthread_attr_init, (_:), darwin_pthread_attr_t *_Nonnull attributes);
FUNCTION(int, pthread_attr_destroy, (_:), darwin_pthread_attr_t *_Nonnull attributes);
FUNCTION(int, pthread_attr_setdetachstate, (_:_:), darwin_pthread_attr_t *_Nonnull attributes, int state);
FUNCTION(int, pthread_attr_setstacksize, (_:_:), darwin_pthread_attr_t *_Nonnull attributes, size_t size);
FUNCTION(int, pthread_mutex_init, (_:_:), darwin_pthread_mutex_t *_Nonnull mutex, const darwin_pthread_mutexattr_t *_Nullable attributes);
FUNCTION(int, pthread_mutex_lock, (_:), darwin_pthread_mutex_t *_Nonnull mutex);
FUNCTION(int, pthread_mutex_unlock, (_:), darwin_pthread_mutex_t *_Nonnull mutex);
FUNCTION(int, pthread_mutex_destroy, (_:), darwin_pthread_mutex_t *_Nonnull mutex);
FUNCTION(int, pthread_cond_init, (_:_:), darwin_pthread_cond_t *_Nonnull condition, const darwin_pthread_condattr_t *_Nullable attributes);
FUNCTION(int, pthread_cond_wait, (_:_:), darwin_pthread_cond_t *_Nonnull condition, darwin_pthread_mutex_t *_Nonnull mutex);
FUNCTION(int, pthread_cond_timedwait, (_:_:_:), darwin_pthread_cond_t *_Nonnull condition, darwin_pthread_mutex_t *_Nonnull mutex, const struct darwin_timespec *_Nullable time);
FUNCTION(int, pthread_cond_signal, (_:), darwin_pthread_cond_t *_Nonnull condition);
FUNCTION(int, pthread_cond_broadcast, (_:), darwin_pthread_cond_t *_Nonnull condition);
FUNCTION(int, pthread_cond_destroy, (_:), darwin_pthread_cond_t *_Nonnull condition);
FUNCTION(int, pthread_set_qos_class_self_np, (_:_:), darwin_qos_class_t quality, int priority);
