# The Debian packages.
set(CPACK_DEB_COMPONENT_INSTALL ON)
include(cmake/package/debian_suffix.cmake)
debian_suffix(suffix /etc/os-release)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1${suffix})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_BENCHD_PACKAGE_NAME benchd)
set(CPACK_DEBIAN_BENCHD_DESCRIPTION "${benchd_summary}\n${benchd_description}")
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
set(CPACK_DEBIAN_BENCHCTL_DESCRIPTION "${benchctl_summary}\n${benchctl_description}")
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
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "${debug_summary}
What gdb and perf need to name functions and lines of benchd, benchctl,
benchd-runner, benchd-helper and benchd-push.")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "benchd (= ${version})")
set(CPACK_DEBIAN_DEBUG_PACKAGE_ENHANCES "benchctl, benchd-push")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SOURCE benchd)
