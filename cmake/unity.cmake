# benchd_unity_sources(OUT SOURCE...): returns the files that a target compiles for these sources.
#
# With BENCHD_UNITY they are compiled in batches, because most of the compile time is spent on
# shared headers. Names local to a file must therefore differ within a module. The caller lists
# sources that need a compiler run of their own (different options) in addition to the result.
#
# CMake's own UNITY_BUILD writes absolute paths into the batches, so ccache could not reuse the
# results of another clone. Our batches name files relative to the root of the project.
set(BENCHD_UNITY_BATCH 16 CACHE STRING "Source files a batch of a unity build")

function(benchd_unity_sources out)
  if(NOT BENCHD_UNITY)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(includes "")
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND includes "#include \"${source}\"\n")
  endforeach()
  # Batches of equal size: 17 files become 9 and 8, not 16 and 1.
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${BENCHD_UNITY_BATCH} - 1) / ${BENCHD_UNITY_BATCH}")
  set(result "")
  set(begin 0)
  foreach(batch RANGE 1 ${batches})
    math(EXPR size "(${count} - ${begin} + ${batches} - ${batch}) / (${batches} - ${batch} + 1)")
    list(SUBLIST includes ${begin} ${size} lines)
    list(JOIN lines "" text)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${out}_${batch}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND result ${file})
    math(EXPR begin "${begin} + ${size}")
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()
