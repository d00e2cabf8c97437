#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "flow_process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { MOST_READY = 64 };

#ifdef __linux__

#include <sys/epoll.h>

int flow_ready_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int flow_ready_add(int list, int file, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data = {.u64 = token}};
  return epoll_ctl(list, EPOLL_CTL_ADD, file, &event) == 0 ? 0 : errno;
}

void flow_ready_remove(int list, int file) {
  struct epoll_event event = {0};
  epoll_ctl(list, EPOLL_CTL_DEL, file, &event);
}

int flow_ready_wait(int list, uint64_t *tokens, int count, int milliseconds) {
  struct epoll_event events[MOST_READY];
  int found = epoll_wait(list, events, count < MOST_READY ? count : MOST_READY, milliseconds);
  for (int index = 0; index < found; index++) tokens[index] = events[index].data.u64;
  return found;
}

#else

#include <sys/event.h>
#include <sys/time.h>

int flow_ready_open(void) {
  int list = kqueue();
  if (list >= 0) fcntl(list, F_SETFD, FD_CLOEXEC);
  return list;
}

int flow_ready_add(int list, int file, uint64_t token) {
  struct kevent change;
  EV_SET(&change, file, EVFILT_READ, EV_ADD | EV_ONESHOT, 0, 0, (void *)(uintptr_t)token);
  return kevent(list, &change, 1, NULL, 0, NULL) == 0 ? 0 : errno;
}

void flow_ready_remove(int list, int file) {
  struct kevent change;
  EV_SET(&change, file, EVFILT_READ, EV_DELETE, 0, 0, NULL);
  kevent(list, &change, 1, NULL, 0, NULL);
}

int flow_ready_wait(int list, uint64_t *tokens, int count, int milliseconds) {
  struct kevent events[MOST_READY];
  struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  int found =
      kevent(list, NULL, 0, events, count < MOST_READY ? count : MOST_READY, milliseconds < 0 ? NULL : &time);
  for (int index = 0; index < found; index++) tokens[index] = (uint64_t)(uintptr_t)events[index].udata;
  return found;
}

#endif
