# debian_suffix(OUT FILE): the end of a package's version for the release of Debian that FILE (such
# as /etc/os-release) describes: ~deb12, ~deb13; empty for another system.
#
# A suffix sorts before that of the next release, so that an upgrade of the system also upgrades the
# package.
function(debian_suffix out file)
  set(${out} "" PARENT_SCOPE)
  # Releases that are or were known by name alone: os-release has no number until a release is
  # stable. unstable has the name of the next release.
  set(number_of_trixie 13)
  set(number_of_forky 14)
  set(os_ID "")
  set(os_VERSION_ID "")
  set(os_VERSION_CODENAME "")
  set(lines "")
  if(EXISTS ${file})
    file(STRINGS ${file} lines REGEX "^(ID|VERSION_ID|VERSION_CODENAME)=")
  endif()
  foreach(line IN LISTS lines)
    if(line MATCHES "^([A-Z_]+)=\"?([a-z0-9.]+)\"?$")
      set(os_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(os_ID STREQUAL "debian")
    if(NOT os_VERSION_ID)
      set(os_VERSION_ID "${number_of_${os_VERSION_CODENAME}}")
    endif()
    if(os_VERSION_ID)
      set(${out} ~deb${os_VERSION_ID} PARENT_SCOPE)
    endif()
  endif()
endfunction()
