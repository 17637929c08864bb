# benchd_module(NAME [SOURCES a.cc ...] [ALONE b.cc ...] [DEPENDS module ...] [LIBRARIES target ...]
#               [TESTS a_test.cc ...] [TEST_DEPENDS module ...] [HEADER_ONLY])
#
# One folder daemon/NAME = one library benchd::NAME = one test binary NAME_test, whose sources lie in
# tests/NAME/. DEPENDS are other modules, LIBRARIES foreign ones; ALONE are sources that share no batch
# with others (unity.cmake), because they have compiler options of their own.
function(benchd_module name)
  cmake_parse_arguments(ARG "HEADER_ONLY" "" "SOURCES;ALONE;DEPENDS;LIBRARIES;TESTS;TEST_DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "benchd_module(${name}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND benchd::)
  list(TRANSFORM ARG_TEST_DEPENDS PREPEND benchd::)
  if(ARG_HEADER_ONLY)
    add_library(benchd_${name} INTERFACE)
    target_link_libraries(benchd_${name} INTERFACE benchd_settings ${ARG_DEPENDS} ${ARG_LIBRARIES})
  else()
    benchd_unity_sources(sources ${ARG_SOURCES})
    add_library(benchd_${name} STATIC ${sources} ${ARG_ALONE})
    target_link_libraries(benchd_${name} PUBLIC benchd_settings ${ARG_DEPENDS} ${ARG_LIBRARIES})
  endif()
  add_library(benchd::${name} ALIAS benchd_${name})
  if(BENCHD_TESTS AND ARG_TESTS)
    list(TRANSFORM ARG_TESTS PREPEND ${PROJECT_SOURCE_DIR}/tests/${name}/)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE benchd::${name} ${ARG_TEST_DEPENDS}
                          GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE
      BENCHD_TEST_DATA="${PROJECT_SOURCE_DIR}/tests" BENCHD_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
    if(BENCHD_SANITIZE)
      # A third less to compile; what is tested keeps its optimisation.
      target_compile_options(${name}_test PRIVATE -O0)
    endif()
    set_property(GLOBAL APPEND PROPERTY BENCHD_UNIT_TESTS ${name}_test)
    set(environment "")
    if(BENCHD_SANITIZE STREQUAL "thread")
      set(environment ENVIRONMENT "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS unit TIMEOUT 120 ${environment})
  endif()
endfunction()
