# benchd_module(NAME [SOURCES a.cc ...] [ALONE b.cc ...] [DEPENDS module ...] [LIBRARIES target ...]
#               [TESTS a_test.cc ...] [TEST_DEPENDS module ...] [HEADER_ONLY])
#
# One folder core/NAME, daemon/NAME or proto/NAME is one library benchd::NAME with one test binary
# NAME_test from tests/NAME/. DEPENDS are other modules, LIBRARIES external ones. ALONE are sources
# with compiler options of their own, which are not batched with others (unity.cmake).
function(benchd_module name)
  cmake_parse_arguments(ARG "HEADER_ONLY" "" "SOURCES;ALONE;DEPENDS;LIBRARIES;TESTS;TEST_DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "benchd_module(${name}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND benchd::)
  list(TRANSFORM ARG_TEST_DEPENDS PREPEND benchd::)
  if(ARG_HEADER_ONLY)
    add_library(benchd_${name} INTERFACE)
    target_link_libraries(benchd_${name} INTERFACE benchd_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
  else()
    benchd_unity_sources(sources ${ARG_SOURCES})
    add_library(benchd_${name} STATIC ${sources} ${ARG_ALONE})
    target_link_libraries(benchd_${name} PUBLIC benchd_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
  endif()
  add_library(benchd::${name} ALIAS benchd_${name})
  if(ARG_TESTS)
    benchd_unit_tests(${name} SOURCES ${ARG_TESTS} LIBRARIES benchd::${name} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# benchd_unit_tests(NAME SOURCES a_test.cc ... LIBRARIES target ...): builds tests/NAME/ as
# NAME_test, in two halves that ctest may run at once.
function(benchd_unit_tests name)
  if(NOT BENCHD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/tests/${name}/)
  benchd_unity_sources(test_sources ${ARG_SOURCES})
  add_executable(${name}_test ${test_sources})
  target_link_libraries(${name}_test PRIVATE benchd_unit_test ${ARG_LIBRARIES})
  target_precompile_headers(${name}_test REUSE_FROM benchd_unit_test)
  set_property(GLOBAL APPEND PROPERTY BENCHD_UNIT_TESTS ${name}_test)
  # Far more than the tests need: only a test that hangs is ended. An emulator takes ten times as long.
  set(timeout_s 900)
  if(CMAKE_CROSSCOMPILING)
    set(timeout_s 3600)
  endif()
  set(shards 2)
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    set(environment GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${index})
    if(BENCHD_SANITIZE STREQUAL "thread")
      list(APPEND environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
    endif()
    add_test(NAME ${name}.${shard} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name}.${shard} PROPERTIES
      LABELS unit TIMEOUT ${timeout_s} ENVIRONMENT "${environment}")
  endforeach()
endfunction()

# benchd_manual(PAGE ...): docs/man/PAGE.in with the version, installed in its section.
function(benchd_manual)
  foreach(page IN LISTS ARGN)
    set(made ${PROJECT_BINARY_DIR}/daemon/man/${page})
    configure_file(${PROJECT_SOURCE_DIR}/docs/man/${page}.in ${made} @ONLY)
    string(REGEX REPLACE ".*\\." "man" section ${page})
    install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/${section})
  endforeach()
endfunction()

# benchd_program(TARGET DESTINATION): installs it. In optimised presets it is stripped, and a file
# beside it has the debug information (gdb and perf find it by the debug link). With UNREADABLE only
# root may read it, so that the kernel lets no other user trace it, from its first instruction on.
# With SHARED it is not static in the archive, either.
function(benchd_program target destination)
  set(mode OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
  if(NOT "UNREADABLE" IN_LIST ARGN)
    list(APPEND mode GROUP_READ WORLD_READ)
  endif()
  if(BENCHD_STATIC AND NOT "SHARED" IN_LIST ARGN)
    target_link_options(${target} PRIVATE -static-pie -Wl,--gc-sections)
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION ${destination} PERMISSIONS ${mode})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    return()
  endif()
  set(file $<TARGET_FILE:${target}>)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${file} ${file}.debug
    COMMAND ${CMAKE_STRIP} ${file}
    COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=${file}.debug ${file}
    VERBATIM)
  install(FILES ${file}.debug DESTINATION ${destination}/.debug COMPONENT debug EXCLUDE_FROM_ALL)
endfunction()
