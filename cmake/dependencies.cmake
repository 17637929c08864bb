# All dependencies are packages of Debian 12; `./dev` installs them.
if(BENCHD_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
# The identification of callers depends on when gRPC closes a descriptor (daemon/rpc/connections.h),
# which gRPC does not guarantee. benchd tests this at start-up and refuses other versions.
find_package(gRPC 1.48 CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
# The name since CMake 4.3, which warns about the old one.
if(NOT TARGET SQLite3::SQLite3)
  add_library(SQLite3::SQLite3 ALIAS SQLite::SQLite3)
endif()
# Boost's own file: CMake's module was removed (policy CMP0167).
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
# Optional, for benchd-push and benchctl history --database.
option(BENCHD_DATABASE "benchd-push and benchctl history --database, which need libpq" OFF)
if(BENCHD_DATABASE)
  pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
endif()

# Header-only: the libraries differ between releases of Debian, as with gRPC.
# Debian's spdlog would also require fmt's library.
add_library(benchd_spdlog INTERFACE)
set(spdlog spdlog::spdlog_header_only)
target_include_directories(benchd_spdlog SYSTEM INTERFACE
  $<TARGET_PROPERTY:${spdlog},INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(benchd_spdlog INTERFACE
  $<TARGET_PROPERTY:${spdlog},INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(benchd_spdlog INTERFACE fmt::fmt-header-only Threads::Threads)
add_library(benchd_toml INTERFACE)
target_compile_definitions(benchd_toml INTERFACE TOML_HEADER_ONLY=1)

# Regular expressions of adapters, in time linear in the text. It comes with gRPC. Static, like
# benchd-helper; from Debian 13 on, it needs Abseil.
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_ARCHIVE libre2.a)
add_library(benchd_re2 INTERFACE)
target_include_directories(benchd_re2 SYSTEM INTERFACE ${RE2_INCLUDE_DIR})
if(RE2_ARCHIVE AND NOT BENCHD_SANITIZE)
  cmake_path(GET RE2_ARCHIVE PARENT_PATH folder)
  file(GLOB abseil ${folder}/libabsl_*.a)
  target_link_libraries(benchd_re2 INTERFACE
    -Wl,--start-group ${RE2_ARCHIVE} ${abseil} -Wl,--end-group Threads::Threads)
else()
  find_library(RE2_LIBRARY re2 REQUIRED)
  target_link_libraries(benchd_re2 INTERFACE ${RE2_LIBRARY} Threads::Threads)
endif()

# XML of adapters. Static, like benchd-helper, if libpugixml.a is installed. Debian ships no sources
# for its header-only mode.
find_path(PUGIXML_INCLUDE_DIR pugixml.hpp REQUIRED)
find_library(PUGIXML_ARCHIVE libpugixml.a)
add_library(benchd_pugixml INTERFACE)
target_include_directories(benchd_pugixml SYSTEM INTERFACE ${PUGIXML_INCLUDE_DIR})
if(PUGIXML_ARCHIVE AND NOT BENCHD_SANITIZE)
  target_link_libraries(benchd_pugixml INTERFACE ${PUGIXML_ARCHIVE})
else()
  find_library(PUGIXML_LIBRARY pugixml REQUIRED)
  target_link_libraries(benchd_pugixml INTERFACE ${PUGIXML_LIBRARY})
endif()

# SHA-256. Static, like the programs that hash, if libnettle.a is installed.
find_library(NETTLE_ARCHIVE libnettle.a)
add_library(benchd_nettle INTERFACE)
if(NETTLE_ARCHIVE AND NOT BENCHD_SANITIZE)
  target_link_libraries(benchd_nettle INTERFACE ${NETTLE_ARCHIVE})
else()
  target_link_libraries(benchd_nettle INTERFACE PkgConfig::NETTLE)
endif()

# Symbols, debug information and demangling for profiles (elfutils, libiberty). Static, like
# benchd-helper, if the archives are installed. libelf and libdw decompress sections with several
# libraries; which of these depends on the release of Debian.
option(BENCHD_SYMBOLS "Profiles name functions; needs libdw and libiberty" ON)
if(BENCHD_SYMBOLS)
  find_path(IBERTY_INCLUDE_DIR libiberty/demangle.h REQUIRED)
  find_path(DW_INCLUDE_DIR elfutils/libdw.h REQUIRED)
  # Debian has no shared libiberty.
  find_library(IBERTY_ARCHIVE libiberty.a REQUIRED)
  set(DW_ARCHIVES "")
  foreach(name dw elf z bz2 lzma zstd)
    find_library(${name}_ARCHIVE lib${name}.a)
    if(${name}_ARCHIVE)
      list(APPEND DW_ARCHIVES ${${name}_ARCHIVE})
    endif()
  endforeach()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${DW_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${DW_ARCHIVES})
  set(CMAKE_REQUIRED_LINK_OPTIONS -static)
  check_cxx_source_compiles("
    #include <elfutils/libdw.h>
    int main() { return dwarf_begin_elf(elf_begin(0, ELF_C_READ, nullptr), DWARF_C_READ, nullptr) != nullptr; }
    " BENCHD_STATIC_DW)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  add_library(benchd_symbols INTERFACE)
  # libiberty.h would declare basename() in its own way.
  target_compile_definitions(benchd_symbols INTERFACE BENCHD_SYMBOLS HAVE_DECL_BASENAME=1)
  target_include_directories(benchd_symbols SYSTEM INTERFACE
    ${DW_INCLUDE_DIR} ${IBERTY_INCLUDE_DIR})
  if(BENCHD_STATIC_DW AND NOT BENCHD_SANITIZE)
    target_link_libraries(benchd_symbols INTERFACE ${DW_ARCHIVES} ${IBERTY_ARCHIVE})
  elseif(BENCHD_STATIC)
    message(FATAL_ERROR "BENCHD_STATIC needs the static archives of libdw and of all libraries that it "
      "needs (libdw-dev, libelf-dev, zlib1g-dev, libbz2-dev, liblzma-dev, libzstd-dev); without them, "
      "set BENCHD_SYMBOLS=OFF")
  else()
    find_library(DW_LIBRARY dw REQUIRED)
    find_library(ELF_LIBRARY elf REQUIRED)
    target_link_libraries(benchd_symbols INTERFACE ${DW_LIBRARY} ${ELF_LIBRARY} ${IBERTY_ARCHIVE})
  endif()
endif()

# Asio has no CMake file. SYSTEM disables our warnings for its headers.
find_path(ASIO_INCLUDE_DIR asio.hpp REQUIRED)
add_library(benchd_asio INTERFACE)
add_library(benchd::asio ALIAS benchd_asio)
target_include_directories(benchd_asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
# ASIO_HAS_STD_ALIGNED_ALLOC: otherwise Asio 1.22 decides by whether a standard header was included
# before it, and one source file could allocate with new and another free with free().
target_compile_definitions(benchd_asio INTERFACE
  ASIO_STANDALONE ASIO_NO_DEPRECATED ASIO_HAS_STD_ALIGNED_ALLOC=1)
# Optimising, GCC 12 sees only one half of the pair inside Asio's coroutine frames.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(benchd_asio INTERFACE -Wno-mismatched-new-delete)
endif()
target_link_libraries(benchd_asio INTERFACE Threads::Threads)

if(BENCHD_TESTS)
  find_package(GTest CONFIG REQUIRED)
  include(GoogleTest)
  enable_testing()
endif()
