#pragma once

#include <utility>

#include "core/base/result.h"

// TRY and its variants return an error to the caller, or yield the value:
//
//   TRY(const double root, RobbinsRoot(alpha));   declares `root`, or returns the Error
//   TRY_VOID(CheckLevel(alpha));                  continues, or returns the Error
//   CO_TRY(auto spec, co_await Read(id));         the same in a coroutine, with co_return
//   CO_TRY_VOID(co_await store.Commit(block));
//
// The first line expands to
//
//   auto try_1 = RobbinsRoot(alpha);
//   if (!try_1) return std::move(try_1).error();
//   const double root = std::move(try_1).value();
//
// TRY is more than one statement, so it must not be the body of an `if` without braces. The
// expression may contain commas; the declaration must not. TRY_VOID destroys the value immediately,
// so use TRY and a name for an object that holds a resource, such as a lock. The result of co_await
// is stored in a named local variable, because GCC 12 destroys temporaries of co_await too early.

// The declaration in a macro argument cannot be put in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define BENCHD_TRY_NAME_(number) try_##number
#define BENCHD_TRY_(number, leave, declaration, ...)                                \
  auto BENCHD_TRY_NAME_(number) = __VA_ARGS__;                                      \
  if (!BENCHD_TRY_NAME_(number)) leave std::move(BENCHD_TRY_NAME_(number)).error(); \
  declaration = std::move(BENCHD_TRY_NAME_(number)).value()
#define BENCHD_TRY_VOID_(number, leave, ...)                                      \
  do {                                                                            \
    if (auto BENCHD_TRY_NAME_(number) = __VA_ARGS__; !BENCHD_TRY_NAME_(number)) { \
      leave std::move(BENCHD_TRY_NAME_(number)).error();                          \
    }                                                                             \
  } while (false)
#define BENCHD_TRY_EACH_(number, leave, ...) BENCHD_TRY_(number, leave, __VA_ARGS__)
#define BENCHD_TRY_VOID_EACH_(number, leave, ...) BENCHD_TRY_VOID_(number, leave, __VA_ARGS__)

#define TRY(...) BENCHD_TRY_EACH_(__COUNTER__, return, __VA_ARGS__)
#define TRY_VOID(...) BENCHD_TRY_VOID_EACH_(__COUNTER__, return, __VA_ARGS__)
#define CO_TRY(...) BENCHD_TRY_EACH_(__COUNTER__, co_return, __VA_ARGS__)
#define CO_TRY_VOID(...) BENCHD_TRY_VOID_EACH_(__COUNTER__, co_return, __VA_ARGS__)
// NOLINTEND(bugprone-macro-parentheses)
