# CPack runs this after it has installed each component into a folder, and before it packs them. It
# adds the files that only packages have and applies the rules of Debian's policy or Fedora's.
cmake_minimum_required(VERSION 3.25)
set(source ${CPACK_BENCHD_SOURCE_DIR})
set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
find_program(READELF readelf REQUIRED)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# put(FILE FOLDER [PATTERN ...]): copies into a folder of a package. file(INSTALL) would obey
# CPack's DESTDIR, which is for another folder.
function(put file folder)
  file(COPY ${file} DESTINATION ${stage}/${folder} ${ARGN})
endfunction()

# changelog(OUT REVISION r HEADING h DATE d BULLET b TRAILER t): docs/changelog.md in the form of
# packages. HEADING and TRAILER enclose each version and may contain @version@ and @date@; DATE is
# the format of the date, for date(1).
function(changelog out)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "REVISION;HEADING;DATE;BULLET;TRAILER" "")
  string(REGEX REPLACE "." " " indent "${ARG_BULLET}")
  file(STRINGS ${source}/docs/changelog.md lines)
  set(text "")
  set(trailer "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^## ([0-9.]+) \\(([0-9-]+)\\)$")
      string(APPEND text "${trailer}")
      set(version ${CMAKE_MATCH_1}-${ARG_REVISION})
      execute_process(COMMAND env LC_ALL=C date --utc --date=${CMAKE_MATCH_2} "${ARG_DATE}"
        OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      string(CONFIGURE "${ARG_HEADING}" heading @ONLY)
      string(CONFIGURE "${ARG_TRAILER}" trailer @ONLY)
      string(APPEND text "${heading}")
    elseif(line MATCHES "^- (.*)$" AND trailer)
      string(APPEND text "${ARG_BULLET}${CMAKE_MATCH_1}\n")
    elseif(line MATCHES "^  (.*)$" AND trailer)
      string(APPEND text "${indent}${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
  string(STRIP "${text}${trailer}" text)
  set(${out} "${text}\n" PARENT_SCOPE)
endfunction()

# The pages for users, in the folders that their links expect.
function(add_pages)
  set(pages benchd/usr/share/doc/benchd)
  foreach(page README.md SECURITY.md CONTRIBUTING.md)
    put(${source}/${page} ${pages})
  endforeach()
  put(${source}/docs ${pages} PATTERN man EXCLUDE PATTERN *.py EXCLUDE)
  put(${source}/daemon/README.md ${pages}/daemon)
  put(${source}/daemon/settings/README.md ${pages}/daemon/settings)
endfunction()

# gdb and perf look for stripped debug information below /usr/lib/debug/.build-id.
function(file_debug_symbols)
  file(GLOB_RECURSE files ${stage}/debug/*.debug)
  foreach(file IN LISTS files)
    execute_process(COMMAND ${READELF} --notes ${file} OUTPUT_VARIABLE notes ERROR_QUIET)
    if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
      message(FATAL_ERROR "${file} has no build ID")
    endif()
    set(folder ${stage}/debug/usr/lib/debug/.build-id/${CMAKE_MATCH_1})
    file(MAKE_DIRECTORY ${folder})
    file(RENAME ${file} ${folder}/${CMAKE_MATCH_2}.debug)
  endforeach()
  file(REMOVE_RECURSE ${stage}/debug/usr/bin ${stage}/debug/usr/libexec)
endfunction()

# ---- Debian ----

# add_documentation(PACKAGE COMPONENT): adds the files that every package must have.
function(add_documentation package component)
  set(folder ${stage}/${component}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${folder})
  configure_file(${source}/cmake/package/copyright.in ${folder}/copyright @ONLY)
  changelog(text REVISION ${CPACK_DEBIAN_PACKAGE_RELEASE}
    HEADING "benchd (@version@) unstable; urgency=medium\n\n" DATE "+%a, %d %b %Y %T %z" BULLET "  * "
    TRAILER "\n -- ${CPACK_PACKAGE_CONTACT}  @date@\n\n")
  file(WRITE ${folder}/changelog.Debian "${text}")
  run(gzip -9nf ${folder}/changelog.Debian)
endfunction()

function(add_debian_files)
  # dpkg-shlibdeps, which CPack calls next, looks for libraries of this machine otherwise.
  if(CPACK_DEBIAN_PACKAGE_ARCHITECTURE)
    set(ENV{DEB_HOST_ARCH} ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})
  endif()
  add_documentation(benchd benchd)
  add_documentation(benchctl benchctl)
  if(EXISTS ${stage}/push)
    add_documentation(benchd-push push)
  endif()
  # Depends on exactly this version, so that the documentation is also that of this package.
  file(MAKE_DIRECTORY ${stage}/debug/usr/share/doc)
  file(CREATE_LINK benchd ${stage}/debug/usr/share/doc/benchd-dbgsym SYMBOLIC)
  foreach(package benchd benchctl)
    file(MAKE_DIRECTORY ${stage}/${package}/usr/share/lintian/overrides)
    file(COPY_FILE ${source}/cmake/package/lintian-overrides.${package}
      ${stage}/${package}/usr/share/lintian/overrides/${package})
  endforeach()
endfunction()

# ---- Fedora ----

# add_licences(PACKAGE): adds those of benchd and of the libraries that are part of its programs.
function(add_licences package)
  set(folder ${package}/usr/share/licenses/${package})
  put(${source}/LICENSE ${folder})
  foreach(library IN LISTS CPACK_BENCHD_STATIC_LIBRARIES)
    file(COPY_FILE /usr/share/doc/${library}/copyright ${stage}/${folder}/${library})
  endforeach()
endfunction()

function(add_rpm_files)
  add_licences(benchd)
  add_licences(benchctl)
  set(zsh ${stage}/benchctl/usr/share/zsh)
  file(RENAME ${zsh}/vendor-completions ${zsh}/site-functions)
  changelog(text REVISION ${CPACK_RPM_PACKAGE_RELEASE}
    HEADING "* @date@ ${CPACK_PACKAGE_CONTACT} - @version@\n" DATE "+%a %b %d %Y" BULLET "- "
    TRAILER "\n")
  # It becomes part of a spec file, in which % begins a macro.
  string(REPLACE "%" "%%" text "${text}")
  file(WRITE ${CPACK_RPM_CHANGELOG_FILE} "${text}")
endfunction()

# ---- all packages ----

add_pages()
put(${source}/systemd/benchd.toml benchd/etc/benchd)
file_debug_symbols()
if(CPACK_GENERATOR STREQUAL "RPM")
  add_rpm_files()
else()
  add_debian_files()
endif()

file(GLOB_RECURSE manuals ${stage}/*/usr/share/man/*.[1-8])
if(manuals)
  run(gzip -9nf ${manuals})
endif()
# Independent of the umask of the checkout and of the build.
run(find ${stage} -type d -exec chmod 755 {} +)
run(find ${stage} -type f -not -path "*/usr/bin/*" -not -path "*/usr/libexec/*" -exec
    chmod u=rwX,go=rX {} +)
