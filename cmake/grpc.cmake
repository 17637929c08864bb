# gRPC from its static archives. With some sixty shared libraries, benchctl, which is started for
# every comparison, needs 14 ms to start instead of 3. The libraries also differ between releases of
# Debian, so a benchd linked with them would block the upgrade of the system.
#
# benchd::grpc is for the daemon: the archives lack sanitizers, so its sanitized tests use the
# shared libraries. benchd::grpc_static is for benchctl.

# A Unix socket needs no encryption, so the unsecure variant is enough. zlib stays shared: every
# machine has it, and Debian fixes it in one place.
set(BENCHD_STATIC_GRPC "")
foreach(name protobuf grpc++_reflection grpc++_unsecure grpc_unsecure gpr address_sorting upb cares re2)
  find_library(BENCHD_STATIC_${name} lib${name}.a)
  mark_as_advanced(BENCHD_STATIC_${name})
  if(NOT BENCHD_STATIC_${name})
    message(STATUS "lib${name}.a not found: linking all programs with gRPC's shared libraries")
    set(BENCHD_STATIC_GRPC "")
    break()
  endif()
  list(APPEND BENCHD_STATIC_GRPC ${BENCHD_STATIC_${name}})
endforeach()

add_library(benchd_grpc_static INTERFACE)
add_library(benchd::grpc_static ALIAS benchd_grpc_static)
if(BENCHD_STATIC_GRPC)
  cmake_path(GET BENCHD_STATIC_gpr PARENT_PATH folder)
  file(GLOB abseil ${folder}/libabsl_*.a)
  target_link_libraries(benchd_grpc_static INTERFACE
    -Wl,--gc-sections -Wl,--start-group ${BENCHD_STATIC_GRPC} ${abseil} -Wl,--end-group
    z Threads::Threads)
else()
  target_link_libraries(benchd_grpc_static INTERFACE
    protobuf::libprotobuf gRPC::grpc++ gRPC::grpc++_reflection)
endif()

add_library(benchd_grpc INTERFACE)
add_library(benchd::grpc ALIAS benchd_grpc)
if(BENCHD_SANITIZE)
  target_link_libraries(benchd_grpc INTERFACE
    protobuf::libprotobuf gRPC::grpc++ gRPC::grpc++_reflection)
else()
  target_link_libraries(benchd_grpc INTERFACE benchd::grpc_static)
endif()
