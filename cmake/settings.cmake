# Language, warnings, sanitizers, where things go. One place, all targets.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # Without a type compilers do not optimise.
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(BENCHD_SANITIZE "" CACHE STRING "Sanitizers for every target: address, thread or empty")
option(BENCHD_TESTS "Build the tests" ON)
option(BENCHD_STATIC "Link all programs statically, for any Linux (./dev package --archive)" OFF)
option(BENCHD_UNITY "Compile the product in batches (cmake/unity.cmake)" OFF)
option(BENCHD_COVERAGE "Count which lines are executed" OFF)
option(BENCHD_LIBFUZZER "Build the fuzzers with libFuzzer (needs clang)" OFF)

find_program(BENCHD_CCACHE ccache)
if(BENCHD_CCACHE)
  # Paths below the checkout are hashed relative to it, and the folder is not: what one clone has
  # compiled, another finds. Depend mode: the compiler's own list of headers, no second preprocessor.
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${BENCHD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_library(benchd_settings INTERFACE)
target_include_directories(benchd_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(benchd_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # Designated initialisers leave the other fields at their defaults on purpose.
  -Wno-missing-field-initializers
  # In a batch GCC 12 takes a coroutine's frame for a type of a header when it holds a file's own types.
  $<$<AND:$<BOOL:${BENCHD_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
if(BENCHD_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(BENCHD_SANITIZE STREQUAL "thread")
  # GCC 12 warns that it does not see the fences in Asio; the locks beside them it sees.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-error=tsan)
  add_link_options(-fsanitize=thread)
endif()
if(BENCHD_COVERAGE)
  # Atomic: the daemon counts on several threads, and many processes add to one file.
  # Not --coverage, which GCC puts behind all others: what single targets turn off would stay on.
  add_compile_options(-fprofile-arcs -ftest-coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(BENCHD_COVERAGE)
endif()
if(BENCHD_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BENCHD_LIBFUZZER: ${CMAKE_CXX_COMPILER_ID} has no libFuzzer, clang has")
  endif()
  # Everything is instrumented: only then does libFuzzer see which branches an input takes. Clang 14
  # cannot put the check of function pointers into coroutines. It has the coroutines of C++20, but
  # neither it nor Asio 1.22 says so (.clang-tidy tells it the same).
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_compile_definitions(__cpp_impl_coroutine=201902L ASIO_HAS_CO_AWAIT=1 ASIO_HAS_STD_COROUTINE=1)
  add_link_options(-fsanitize=address,undefined)
endif()
