# The wire contract in C++ (benchd::proto), built from the import root of the proto files.
add_subdirectory(${PROJECT_SOURCE_DIR}/proto)
