// Linux for Swift: typed wrappers for the variadic system calls that Operations needs.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
#include <sys/ioctl.h>
#include <sys/prctl.h>

// Names the calling thread; the kernel keeps the first 15 bytes.
static inline void clinux_name_this_thread(const char *name) {
  prctl(PR_SET_NAME, (unsigned long)name, 0UL, 0UL, 0UL);
}

// Columns of the terminal behind `descriptor`; 0: no terminal, or it does not say.
static inline int clinux_terminal_columns(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

#endif
