# Language, warnings, sanitizers and output folders for all targets.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # Without a build type, compilers do not optimise.
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(BENCHD_SANITIZE "" CACHE STRING "Sanitizers for every target: address, thread or empty")
option(BENCHD_TESTS "Build the tests" ON)
option(BENCHD_STATIC "Link all programs statically, for any Linux (./dev package --archive and --rpm)" OFF)
option(BENCHD_UNITY "Compile the product in batches (cmake/unity.cmake)" OFF)
option(BENCHD_COVERAGE "Count which lines are executed" OFF)
option(BENCHD_LIBFUZZER "Build the fuzzers with libFuzzer (needs clang)" OFF)

find_program(BENCHD_CCACHE ccache)
if(BENCHD_CCACHE)
  # Hash paths relative to the checkout and not its folder, so that clones share results. Depend
  # mode uses the compiler's own list of headers, without a second preprocessor run.
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${BENCHD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_library(benchd_flags INTERFACE)
target_include_directories(benchd_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(benchd_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # Designated initialisers intentionally leave the other fields at their defaults.
  -Wno-missing-field-initializers
  # In a batch, GCC 12 confuses the frame of a coroutine that holds a file's own types with a type
  # of a header.
  $<$<AND:$<BOOL:${BENCHD_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # GCC fuses a*b+c into one instruction where every processor has it, as on arm64. The results then
  # differ in the last bits from those on x86-64, whose baseline lacks it.
  add_compile_options(-ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-psabi) # notes about GCC 9, with which nothing here is linked
  endif()
endif()
if(BENCHD_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(BENCHD_SANITIZE STREQUAL "thread")
  # GCC 12 warns that its sanitizer ignores the fences in Asio; it does see the locks beside them.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-error=tsan)
  add_link_options(-fsanitize=thread)
endif()
if(BENCHD_COVERAGE)
  # Atomic, because the daemon counts in several threads and many processes add to one file.
  # Not --coverage, which GCC puts last: single targets could not turn it off.
  add_compile_options(-fprofile-arcs -ftest-coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(BENCHD_COVERAGE)
endif()
if(BENCHD_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BENCHD_LIBFUZZER: ${CMAKE_CXX_COMPILER_ID} has no libFuzzer; use clang")
  endif()
  # All code is instrumented, so that libFuzzer sees which branches an input takes. Clang 14 cannot
  # add the check of function pointers to coroutines. It supports the coroutines of C++20, but
  # neither it nor Asio 1.22 announces that (.clang-tidy defines the same macros).
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_compile_definitions(__cpp_impl_coroutine=201902L ASIO_HAS_CO_AWAIT=1 ASIO_HAS_STD_COROUTINE=1)
  add_link_options(-fsanitize=address,undefined)
endif()
