# embed_profiles(<outvar> <dir>)
#
# Stores in <outvar> the path of a source file that defines pmg::adapters::embedded_profiles() with
# the text and the parsed tree of every <dir>/*.yaml, and embedded_presets() with those of
# <dir>/presets/*.yaml. It is written while building, by a program
# that reads the profiles as strictly as pmg itself: editing, adding or removing one builds again,
# and a malformed one fails the build with its file:line:column.
function(embed_profiles outvar dir)
  add_executable(embed_profiles embed/main.cpp $<TARGET_OBJECTS:profile_reader>)
  target_include_directories(embed_profiles PRIVATE include)
  target_link_libraries(embed_profiles PRIVATE domain yaml-cpp pmg_flags)

  file(GLOB files CONFIGURE_DEPENDS ${dir}/*.yaml ${dir}/presets/*.yaml)
  # Named as from the root of the sources, where people and editors look for them.
  list(TRANSFORM files REPLACE "^${PROJECT_SOURCE_DIR}/" "" OUTPUT_VARIABLE names)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_profiles.cpp)
  add_custom_command(
    OUTPUT ${source}
    COMMAND embed_profiles ${source} ${names}
    DEPENDS embed_profiles ${files}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Embedding the built-in profiles"
    VERBATIM)
  set(${outvar} ${source} PARENT_SCOPE)
endfunction()
