# Shared by fuzz/CMakeLists.txt (libFuzzer) and tests/CMakeLists.txt (replay). README.md says what is in each.

# Over files. Every other *.cpp here is a family of properties of the domain.
set(loaders files set_keeps_the_rest)
file(GLOB families CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/fuzz ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
list(TRANSFORM families REPLACE "\\.cpp$" "")
list(REMOVE_ITEM families replay ${loaders})

# The properties without their test cases.
if(NOT TARGET properties)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/props/*.cpp)
  add_library(properties STATIC ${sources})
  target_compile_definitions(properties PRIVATE DOCTEST_CONFIG_DISABLE)
  target_include_directories(properties PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(properties PUBLIC domain PRIVATE doctest::doctest pmg_flags)
endif()
