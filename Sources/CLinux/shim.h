// Linux for Swift: typed wrappers for the variadic system calls that Operations needs.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H
#include <malloc.h>
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

// The allocator keeps up to `kept_bytes` of freed memory at the top of a heap instead of giving it back, and takes blocks of up to
// 32 MiB (its own limit for this) from its heaps instead of mapping each anew.
static inline void clinux_keep_freed_memory(int kept_bytes) {
  mallopt(M_TRIM_THRESHOLD, kept_bytes);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

#endif
