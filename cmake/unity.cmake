# benchd_unity_sources(OUT SOURCE...): what a target compiles for these sources.
#
# With BENCHD_UNITY they are compiled in batches: most of a compiler's time here goes into the same
# headers. Names local to a file therefore differ within a module; what must not share a compiler's
# run with others (options of its own) is listed by its caller beside the result.
#
# CMake's own UNITY_BUILD writes absolute paths into the batches, with which ccache finds nothing that
# another clone has compiled: ours name the files from the root of the project.
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
  # Batches of equal size: 17 files are 9 and 8, not 16 and 1.
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
