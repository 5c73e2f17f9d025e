// What becomes of freed memory.

import CLinux

/// Makes the process keep up to 64 MiB of the memory it frees instead of giving it back to the system at once. Kafka's clients take
/// and free blocks of some megabytes all the time; given back, each page of them is cleared by the kernel and faulted in anew. Once, at
/// the start of the process.
package func keepFreedMemory() { clinux_keep_freed_memory(64 << 20) }
