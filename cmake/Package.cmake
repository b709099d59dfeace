# What is installed, and the Debian package of it (`./dev package`).
include(GNUInstallDirs)

# The manual page and the completion scripts come from pmg itself, so they tell what this binary knows.
set(shipped ${PROJECT_BINARY_DIR}/shipped)
file(MAKE_DIRECTORY ${shipped})
add_custom_command(
  OUTPUT ${shipped}/pmg.1 ${shipped}/pmg.bash ${shipped}/_pmg ${shipped}/pmg.fish
  COMMAND $<TARGET_FILE:pmg> __manual > ${shipped}/pmg.1
  COMMAND $<TARGET_FILE:pmg> completion bash > ${shipped}/pmg.bash
  COMMAND $<TARGET_FILE:pmg> completion zsh > ${shipped}/_pmg
  COMMAND $<TARGET_FILE:pmg> completion fish > ${shipped}/pmg.fish
  DEPENDS pmg
  COMMENT "Writing the manual page and the completion scripts"
  VERBATIM)
add_custom_target(shipped ALL DEPENDS ${shipped}/pmg.1)

install(TARGETS pmg RUNTIME)
install(FILES ${shipped}/pmg.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${shipped}/pmg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pmg)
install(FILES ${shipped}/_pmg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${shipped}/pmg.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pmg)
set(CPACK_PACKAGE_CONTACT "the authors of pmg <pmg@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run package managers and other programs under one policy")
set(CPACK_PACKAGE_DESCRIPTION
    "pmg runs a package manager, or any program, and every process that it starts, under one policy:
which files may be read, written and executed, and which environment variables are passed on.
It needs no privileges, no daemon and no user namespaces.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # from the binary: what it is linked with
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
