# The wire contract as C++ (benchd::proto), built from its import root.
add_subdirectory(${PROJECT_SOURCE_DIR}/proto)
