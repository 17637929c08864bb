# The RPM packages, for Fedora and its relatives.
#
# Their programs are static, as in the portable archive, because libraries differ between
# distributions. Therefore there is no benchd-push, which needs libpq.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
set(CPACK_RPM_PACKAGE_VENDOR "the benchd authors")
# benchd's own. The licences of the libraries in the programs are files of the packages.
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_COMPRESSION_TYPE xz)
# The paths of programs in the services are fixed.
set(CPACK_PACKAGE_RELOCATABLE OFF)
# Written by stage.cmake.
set(CPACK_RPM_CHANGELOG_FILE ${PROJECT_BINARY_DIR}/rpm-changelog)
# Not what rpm on Debian would add to the files: its links to debug information would collide with
# our files, and man pages and programs are already compressed and stripped.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none
%define __spec_install_post %{nil}")
# rpm would take static programs for libraries, which they provide. Only benchctl-database needs a
# library that distributions may lack, libpq, and it loads that at run time.
set(CPACK_RPM_PACKAGE_AUTOREQPROV no)
# Folders of other packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/lib/debug /usr/lib/debug/.build-id
  /usr/lib/systemd /usr/lib/systemd/system /usr/lib/sysusers.d /usr/lib/tmpfiles.d /usr/libexec
  /usr/share/bash-completion /usr/share/bash-completion/completions
  /usr/share/fish /usr/share/fish/vendor_completions.d
  /usr/share/licenses
  /usr/share/man /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man8
  /usr/share/zsh /usr/share/zsh/site-functions)

# Debian's packages of the libraries in the programs, whose licences accompany the RPM packages and
# the archive (./dev). Boost and Asio are not among them, because their licence does not have to
# accompany programs.
set(CPACK_BENCHD_STATIC_LIBRARIES
  libabsl-dev libc-ares-dev libc6-dev libcli11-dev libfmt-dev libgrpc++-dev libprotobuf-dev
  libpugixml-dev libre2-dev libspdlog-dev libsqlite3-dev libstdc++-${CPACK_BENCHD_GCC}-dev
  libtomlplusplus-dev nettle-dev nlohmann-json3-dev zlib1g-dev)
if(BENCHD_SYMBOLS)
  list(APPEND CPACK_BENCHD_STATIC_LIBRARIES
    libbz2-dev libdw-dev libelf-dev libiberty-dev liblzma-dev)
  if(zstd_ARCHIVE)
    list(APPEND CPACK_BENCHD_STATIC_LIBRARIES libzstd-dev)
  endif()
endif()
foreach(package BENCHD BENCHCTL)
  string(TOLOWER ${package} name)
  set(CPACK_RPM_${package}_USER_FILELIST "")
  foreach(licence LICENSE ${CPACK_BENCHD_STATIC_LIBRARIES})
    list(APPEND CPACK_RPM_${package}_USER_FILELIST
      "%license /usr/share/licenses/${name}/${licence}")
  endforeach()
endforeach()

set(CPACK_RPM_BENCHD_PACKAGE_NAME benchd)
set(CPACK_RPM_BENCHD_PACKAGE_SUMMARY "${benchd_summary}")
set(CPACK_RPM_BENCHD_PACKAGE_DESCRIPTION "${benchd_description}")
set(CPACK_RPM_BENCHD_PACKAGE_REQUIRES systemd)
list(APPEND CPACK_RPM_BENCHD_USER_FILELIST "%config(noreplace) /etc/benchd/benchd.toml")
set(CPACK_RPM_BENCHD_POST_INSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/cmake/package/rpm/post)
set(CPACK_RPM_BENCHD_PRE_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/cmake/package/rpm/preun)
set(CPACK_RPM_BENCHD_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/cmake/package/rpm/postun)
foreach(script POST PREUN POSTUN)
  set(CPACK_RPM_BENCHD_PACKAGE_REQUIRES_${script} systemd)
endforeach()

set(CPACK_RPM_BENCHCTL_PACKAGE_NAME benchctl)
set(CPACK_RPM_BENCHCTL_PACKAGE_SUMMARY "${benchctl_summary}")
set(CPACK_RPM_BENCHCTL_PACKAGE_DESCRIPTION "${benchctl_description}")

set(CPACK_RPM_DEBUG_PACKAGE_NAME benchd-debuginfo)
set(CPACK_RPM_DEBUG_PACKAGE_SUMMARY "${debug_summary}")
set(CPACK_RPM_DEBUG_PACKAGE_DESCRIPTION
"What gdb and perf need to name functions and lines of benchd, benchctl,
benchd-runner and benchd-helper.")
set(CPACK_RPM_DEBUG_PACKAGE_GROUP Development/Debug)
