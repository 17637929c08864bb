# Where `cmake --install` puts things; the units under systemd/ are written with the same paths.
if(TARGET benchctl AND TARGET benchd)
  install(TARGETS benchctl benchd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Programs nobody calls by hand: benchd finds its runner there, and the runner its helper.
if(TARGET benchd-runner AND TARGET benchd-helper)
  install(TARGETS benchd-runner benchd-helper
          RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/benchd)
endif()
