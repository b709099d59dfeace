# embed_filter(<outvar>)
#
# Stores in <outvar> the path of a source file with the static seccomp filter. It is written while
# building, by a program that asks libseccomp: pmg itself is not linked with it, and starts faster.
function(embed_filter outvar)
  # What the program and pmg share.
  add_library(call_names OBJECT src/call_names.cpp)
  target_include_directories(call_names PUBLIC include)
  target_link_libraries(call_names PRIVATE pmg_flags)

  add_executable(embed_filter embed/main.cpp embed/filter_rules.cpp)
  target_link_libraries(embed_filter PRIVATE call_names domain PkgConfig::SECCOMP pmg_flags)

  set(source ${CMAKE_CURRENT_BINARY_DIR}/generated_filter.cpp)
  add_custom_command(
    OUTPUT ${source}
    COMMAND embed_filter ${source}
    DEPENDS embed_filter
    COMMENT "Embedding the seccomp filter"
    VERBATIM)
  set(${outvar} ${source} PARENT_SCOPE)
endfunction()
