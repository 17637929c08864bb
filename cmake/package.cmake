# Packages, built by CPack: Debian's by `./dev package` with the preset `package`, and RPM packages
# by `./dev package --rpm` with the preset `rpm`.
#
# The component of an installed file selects its package: benchd by default, benchctl below client/
# and proto/ (CMAKE_INSTALL_DEFAULT_COMPONENT_NAME), benchd-push for `push`, and a package of its own
# for debug information. package/stage.cmake adds the files that only packages have.
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL benchd benchctl debug)
if(TARGET benchd-push)
  list(APPEND CPACK_COMPONENTS_ALL push)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/stage.cmake)
# Not variables of CPack, but CPack passes on variables with this prefix.
set(CPACK_BENCHD_SOURCE_DIR ${PROJECT_SOURCE_DIR})
string(REGEX MATCH "^[0-9]+" CPACK_BENCHD_GCC "${CMAKE_CXX_COMPILER_VERSION}")
set(CPACK_PACKAGE_CONTACT "The benchd maintainers <maintainers@benchd.example>")

set(benchd_summary "daemon that compares benchmarks on a quiet machine")
set(benchd_description
"benchd queues the comparisons of all users of a benchmark machine, keeps the
machine quiet while one runs, and measures both programs interleaved in random
order until the difference is sure. The answer is pass, regression or
undecided, with an error rate that holds however often somebody looks.

This package has the daemon, the process that starts and measures programs,
their services, and the documentation.")
set(benchctl_summary "compare benchmarks with the daemon benchd")
set(benchctl_description
"benchctl submits comparisons to benchd, shows them while they run, and prints
the verdict: is the candidate slower than the base, by how much, and how sure
is that? It also analyses what was measured elsewhere, without a daemon.

This package has the client, its man pages and completions, and the proto
files with which other programs talk to benchd.")
set(debug_summary "debug symbols for benchd and benchctl")

include(cmake/package/debian.cmake)
include(cmake/package/rpm.cmake)
include(CPack)
