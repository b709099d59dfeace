# Shared by fuzz/CMakeLists.txt (libFuzzer) and tests/CMakeLists.txt (replay).

# The targets over a property of tests/props, by name; every other *.cpp here stands for itself.
file(GLOB property_targets CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/fuzz ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
set(loaders load_profile load_preset load_overlay set_keeps_the_rest)  # over files: each is its own property
list(TRANSFORM loaders APPEND .cpp OUTPUT_VARIABLE loader_sources)
list(REMOVE_ITEM property_targets replay.cpp replay_inputs.cpp ${loader_sources})
list(TRANSFORM property_targets REPLACE "\\.cpp$" "")

# The properties without their test cases.
if(NOT TARGET properties)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/props/*.cpp)
  add_library(properties STATIC ${sources})
  target_compile_definitions(properties PRIVATE DOCTEST_CONFIG_DISABLE)
  target_include_directories(properties PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(properties PUBLIC domain PRIVATE doctest::doctest pmg_flags)
endif()
