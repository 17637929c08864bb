#pragma once

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>

namespace benchd {

/// Makes a system call without touching errno or any other memory of the process. A child that
/// shares the memory of its running parent may make system calls only in this way.
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
#elif defined(__aarch64__)
  register long number_register asm("x8") = number;
  register long result asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  asm volatile("svc #0"
               : "+r"(result)
               : "r"(number_register), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
               : "memory");
  return result;
#else
  // syscall() writes errno, but Spawn() suspends the parent on these machines (CLONE_VFORK).
  const long result = syscall(number, a, b, c, d, e);
  return result < 0 ? -errno : result;
#endif
}

/// Converts a pointer to a system call argument.
inline long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

/// Calls clone3. The child calls `entry`, which must never return, on the stack given in `args`.
///
/// @returns the child's pid, or the negative error number.
inline long RawClone3(const clone_args& args, void (*entry)(void*), void* argument) {
#if defined(__x86_64__)
  long result = SYS_clone3;
  // The child has a new stack without this frame, so it may use registers only and must never
  // return here.
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[argument], %%rdi\n\t"
      "call *%[entry]\n\t"
      "ud2\n"
      "1:"
      : "+a"(result)
      : "D"(&args), "S"(sizeof(args)), [argument] "r"(argument), [entry] "r"(entry)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_clone3;
  register long result asm("x0") = Word(&args);
  register long size asm("x1") = sizeof(args);
  // Not in x29, the frame pointer, which the child clears.
  register auto child_argument asm("x2") = argument;
  register auto child_entry asm("x3") = entry;
  // As above, the child must never return here. The kernel has set the stack pointer, which must be
  // a multiple of 16.
  asm volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x2\n\t"
      "blr x3\n\t"
      "brk #0\n"
      "1:"
      : "+r"(result)
      : "r"(number), "r"(size), "r"(child_argument), "r"(child_entry)
      : "x30", "memory", "cc");
  return result;
#else
  (void)args;
  (void)entry;
  (void)argument;
  return -ENOSYS;
#endif
}

/// Returns the CPU on which an unreaped process last ran (field 39 of /proc/PID/stat, proc(5)); -1
/// if it cannot be read. Does not allocate memory.
inline int RawLastCpuOf(pid_t pid) {
  char text[512] = "/proc/";
  char* end = std::to_chars(text + std::strlen(text), std::end(text), pid).ptr;
  std::strcpy(end, "/stat");
  const long file = RawSyscall(SYS_openat, AT_FDCWD, Word(text), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const long read = RawSyscall(SYS_read, file, Word(text), sizeof(text));
  RawSyscall(SYS_close, file);
  const std::string_view stat(text, static_cast<std::size_t>(std::max(read, 0L)));
  // Field 2 is the program's name, which may contain any character, including `)`.
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 39 && at != stat.npos; ++field) at = stat.find(' ', at + 1);
  int cpu = -1;
  if (at != stat.npos) std::from_chars(text + at + 1, text + stat.size(), cpu);
  return cpu;
}

}  // namespace benchd
