# CPack runs this after it has installed each component into a folder, and before it packs them. It
# adds the files that only a Debian package has and applies the rules of Debian's policy.
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

# debian_changelog(OUT): docs/changelog.md in Debian's form.
function(debian_changelog out)
  file(STRINGS ${source}/docs/changelog.md lines)
  set(text "")
  set(trailer "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^## ([0-9.]+) \\(([0-9-]+)\\)$")
      string(APPEND text "${trailer}")
      string(APPEND text
        "benchd (${CMAKE_MATCH_1}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n")
      execute_process(COMMAND date --utc --rfc-email --date=${CMAKE_MATCH_2}
        OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      set(trailer "\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n\n")
    elseif(line MATCHES "^- (.*)$" AND trailer)
      string(APPEND text "  * ${CMAKE_MATCH_1}\n")
    elseif(line MATCHES "^  (.*)$" AND trailer)
      string(APPEND text "    ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
  string(STRIP "${trailer}" trailer)
  set(${out} "${text}\n ${trailer}\n" PARENT_SCOPE)
endfunction()

# add_documentation(PACKAGE COMPONENT): adds the files that every package must have.
function(add_documentation package component)
  set(folder ${stage}/${component}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${folder})
  put(${source}/cmake/package/copyright ${component}/usr/share/doc/${package})
  debian_changelog(changelog)
  file(WRITE ${folder}/changelog.Debian "${changelog}")
  run(gzip -9nf ${folder}/changelog.Debian)
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
  # Depends on exactly this version, so that the documentation is also that of this package.
  file(MAKE_DIRECTORY ${stage}/debug/usr/share/doc)
  file(CREATE_LINK benchd ${stage}/debug/usr/share/doc/benchd-dbgsym SYMBOLIC)
endfunction()

add_documentation(benchd benchd)
add_documentation(benchctl benchctl)
if(EXISTS ${stage}/push)
  add_documentation(benchd-push push)
endif()
add_pages()
put(${source}/systemd/benchd.toml benchd/etc/benchd)
foreach(package benchd benchctl)
  file(MAKE_DIRECTORY ${stage}/${package}/usr/share/lintian/overrides)
  file(COPY_FILE ${source}/cmake/package/lintian-overrides.${package}
    ${stage}/${package}/usr/share/lintian/overrides/${package})
endforeach()
file_debug_symbols()

file(GLOB_RECURSE manuals ${stage}/*/usr/share/man/*.[1-8])
if(manuals)
  run(gzip -9nf ${manuals})
endif()
# Independent of the umask of the checkout and of the build.
run(find ${stage} -type d -exec chmod 755 {} +)
run(find ${stage} -type f -not -path "*/usr/bin/*" -not -path "*/usr/libexec/*" -exec
    chmod u=rwX,go=rX {} +)
