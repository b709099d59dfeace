# Links the C++ run-time, yaml-cpp, libseccomp and libnettle statically where their archives exist.
#
# Why: `pmg` is started once per command, and each shared C++ library costs about half a
# millisecond of relocations before main(). libc stays shared (the password database needs NSS).
# Not under sanitizers, whose run-times want to be the only ones.
function(prefer_static_libraries)
  if(PMG_SANITIZE)
    return()
  endif()
  add_link_options(-static-libstdc++ -static-libgcc)

  find_library(PMG_YAML_ARCHIVE libyaml-cpp.a)
  find_library(PMG_SECCOMP_ARCHIVE libseccomp.a)
  find_library(PMG_NETTLE_ARCHIVE libnettle.a)
  mark_as_advanced(PMG_YAML_ARCHIVE PMG_SECCOMP_ARCHIVE PMG_NETTLE_ARCHIVE)

  # Debian's package only describes the shared object; the archive beside it is the same build.
  get_target_property(configurations yaml-cpp IMPORTED_CONFIGURATIONS)
  if(PMG_YAML_ARCHIVE)
    foreach(configuration IN LISTS configurations)
      set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_${configuration} ${PMG_YAML_ARCHIVE})
    endforeach()
  endif()
  if(PMG_SECCOMP_ARCHIVE)
    set_target_properties(PkgConfig::SECCOMP PROPERTIES INTERFACE_LINK_LIBRARIES ${PMG_SECCOMP_ARCHIVE})
  endif()
  if(PMG_NETTLE_ARCHIVE)
    set_target_properties(PkgConfig::NETTLE PROPERTIES INTERFACE_LINK_LIBRARIES ${PMG_NETTLE_ARCHIVE})
  endif()
endfunction()
