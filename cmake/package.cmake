# The Debian packages, built by CPack: `./dev package`, with the preset of that name.
#
# The component of an installed file selects its package: benchd by default, benchctl below client/
# and proto/ (CMAKE_INSTALL_DEFAULT_COMPONENT_NAME), benchd-push for `push`, and benchd-dbgsym for
# debug information. package/stage.cmake adds the files that only packages have.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL benchd benchctl debug)
if(TARGET benchd-push)
  list(APPEND CPACK_COMPONENTS_ALL push)
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/stage.cmake)
# Not a variable of CPack, but CPack passes on variables with this prefix.
set(CPACK_BENCHD_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(CPACK_PACKAGE_CONTACT "The benchd maintainers <maintainers@benchd.example>")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_BENCHD_PACKAGE_NAME benchd)
set(CPACK_DEBIAN_BENCHD_DESCRIPTION "daemon that compares benchmarks on a quiet machine
benchd queues the comparisons of all users of a benchmark machine, keeps the
machine quiet while one runs, and measures both programs interleaved in random
order until the difference is sure. The answer is pass, regression or
undecided, with an error rate that holds however often somebody looks.

This package has the daemon, the process that starts and measures programs,
their services, and the documentation.")
set(CPACK_DEBIAN_BENCHD_PACKAGE_SHLIBDEPS ON)
# Settings are applied through systemd's slices, and systemd-sysusers creates users.
set(CPACK_DEBIAN_BENCHD_PACKAGE_DEPENDS systemd)
set(CPACK_DEBIAN_BENCHD_PACKAGE_PREDEPENDS "init-system-helpers (>= 1.54~)")
# All versions of client and daemon are compatible, and each is useful without the other.
set(CPACK_DEBIAN_BENCHD_PACKAGE_RECOMMENDS benchctl)
set(CPACK_DEBIAN_BENCHD_PACKAGE_SUGGESTS benchd-push)
set(CPACK_DEBIAN_BENCHD_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/package/conffiles
  ${PROJECT_SOURCE_DIR}/cmake/package/postinst
  ${PROJECT_SOURCE_DIR}/cmake/package/prerm
  ${PROJECT_SOURCE_DIR}/cmake/package/postrm)

set(CPACK_DEBIAN_BENCHCTL_PACKAGE_NAME benchctl)
set(CPACK_DEBIAN_BENCHCTL_DESCRIPTION "compare benchmarks with the daemon benchd
benchctl submits comparisons to benchd, shows them while they run, and prints
the verdict: is the candidate slower than the base, by how much, and how sure
is that? It also analyses what was measured elsewhere, without a daemon.

This package has the client, its man pages and completions, and the proto
files with which other programs talk to benchd.")
set(CPACK_DEBIAN_BENCHCTL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_BENCHCTL_PACKAGE_RECOMMENDS benchd)
# history --database loads libpq5.
set(CPACK_DEBIAN_BENCHCTL_PACKAGE_SUGGESTS "git, hyperfine, libpq5")
set(CPACK_DEBIAN_BENCHCTL_PACKAGE_SOURCE benchd)

set(CPACK_DEBIAN_PUSH_PACKAGE_NAME benchd-push)
set(CPACK_DEBIAN_PUSH_DESCRIPTION "send benchd's summaries to PostgreSQL
benchd itself has no network. benchd-push, a program, a service and a user of
its own, sends summaries of its sessions over TLS to the PostgreSQL that an
administrator names; benchctl history --database reads them there, those of
several machines together.

The service is not enabled by itself: it needs a database first.")
set(CPACK_DEBIAN_PUSH_PACKAGE_SHLIBDEPS ON)
# It reads benchd's configuration, and its service joins benchd's group.
set(CPACK_DEBIAN_PUSH_PACKAGE_DEPENDS "benchd, systemd")
set(CPACK_DEBIAN_PUSH_PACKAGE_PREDEPENDS "init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_PUSH_PACKAGE_SOURCE benchd)
set(CPACK_DEBIAN_PUSH_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/package/push/postinst
  ${PROJECT_SOURCE_DIR}/cmake/package/push/prerm
  ${PROJECT_SOURCE_DIR}/cmake/package/push/postrm)

# Not CPACK_DEBIAN_DEBUGINFO_PACKAGE: it makes a .ddeb for each package instead of one .deb, and takes
# symbols only from programs that are installed with them.
set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME benchd-dbgsym)
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "debug symbols for benchd and benchctl
What gdb and perf need to name functions and lines of benchd, benchctl,
benchd-runner, benchd-helper and benchd-push.")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "benchd (= ${version})")
set(CPACK_DEBIAN_DEBUG_PACKAGE_ENHANCES "benchctl, benchd-push")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SOURCE benchd)

include(CPack)
