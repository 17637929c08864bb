# benchd_table(OUT TYPE type TEMPLATE file.cc.in FILES ENTRY ...): generates the source file that puts
# the rows of a table in order, and returns its path. Each row is defined in a file of its own.
#
# An ENTRY is the name of a file, without folder and ending, with a function that returns a row: for
# the TYPE Command, `pool_task` has PoolTaskCommand(). FILE:PART,PART is a file with several rows:
# `arm:list,remove` has ArmListCommand() and ArmRemoveCommand(). The template uses @declarations@
# and @rows@.
function(benchd_table out)
  cmake_parse_arguments(ARG "" "TYPE;TEMPLATE" "FILES" ${ARGN})
  set(declarations "")
  set(rows "")
  foreach(entry IN LISTS ARG_FILES)
    string(REGEX MATCH "^([a-z0-9_]+)(:([a-z0-9_,]+))?$" valid "${entry}")
    if(NOT valid)
      message(FATAL_ERROR "benchd_table(${out}): '${entry}' is neither FILE nor FILE:PART,PART")
    endif()
    set(file ${CMAKE_MATCH_1})
    string(REPLACE "," ";" names "${CMAKE_MATCH_3}")
    list(TRANSFORM names PREPEND ${file}_)
    if(NOT names)
      set(names ${file})
    endif()
    foreach(name IN LISTS names)
      benchd_camel_case(function ${name})
      string(APPEND declarations "${ARG_TYPE} ${function}${ARG_TYPE}();\n")
      string(APPEND rows "      ${function}${ARG_TYPE}(),\n")
    endforeach()
  endforeach()
  cmake_path(GET ARG_TEMPLATE STEM LAST_ONLY file)
  configure_file(${ARG_TEMPLATE} ${CMAKE_CURRENT_BINARY_DIR}/${file} @ONLY)
  set(${out} ${CMAKE_CURRENT_BINARY_DIR}/${file} PARENT_SCOPE)
endfunction()

# benchd_table_sources(OUT FOLDER ENTRY ...): returns the files of the entries, sorted by name.
function(benchd_table_sources out folder)
  list(TRANSFORM ARGN REPLACE ":.*" "" OUTPUT_VARIABLE files)
  list(TRANSFORM files PREPEND ${folder}/)
  list(TRANSFORM files APPEND .cc)
  list(SORT files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# benchd_camel_case(OUT NAME): pool_task becomes PoolTask.
function(benchd_camel_case out name)
  string(REPLACE "_" ";" words "${name}")
  set(result "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND result ${first}${rest})
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()
