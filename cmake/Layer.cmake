# layer(<name> [SOURCES …] [USES <targets>…] [PRIVATE_USES <targets>…])
#
# A layer is one library with one include root. What it does not name in USES it cannot include.
function(layer name)
  cmake_parse_arguments(PARSE_ARGV 1 L "" "" "SOURCES;USES;PRIVATE_USES")
  set(root ${PROJECT_SOURCE_DIR}/${name}/include)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${root}/*.hpp)
  add_library(${name} STATIC ${L_SOURCES})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
  target_link_libraries(${name} PUBLIC ${L_USES} PRIVATE ${L_PRIVATE_USES} pmg_flags)
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
