#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace benchd {

/// A system call that touches neither errno nor any other memory of the process: what a child may
/// do that still shares its parent's memory while the parent runs on.
///
/// @returns the result, or the negative error number.
inline long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
#if defined(__x86_64__)
  long result;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
               : "rcx", "r11", "memory");
  return result;
#else
  // errno is shared here, too: Spawn() suspends the parent on these machines (CLONE_VFORK).
  const long result = syscall(number, a, b, c, d, e);
  return result < 0 ? -errno : result;
#endif
}

/// Pointers travel in registers like numbers.
inline long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace benchd
