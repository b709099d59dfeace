# The attacks of `pmg sandbox doctor --attack`: programs of the escape suite, built for shipping.
#
# Beside the binary in a build tree (attacks/), and in lib/pmg/attacks where it is installed. What a source
# says about its tries (optional, refused, gap, changes) is compiled into pmg, so it is said once.
set(PMG_ATTACKS
    01_names 02_symlinks 03_proc_links 04_path_descriptors 05_links_and_renames 06_open_family 07_races 08_undumpable
    09_other_abi 17_writing 18_metadata 19_planting 20_parents 21_hooks_absent 24_dotfiles 26_mappings 28_denied_program
    29_nameless_programs 34_kernel 37_filters 39_families 46_environment)

# embed_attack_exceptions(<outvar>): the path of a source file that defines pmg::app::exceptions_of().
function(embed_attack_exceptions outvar)
  set(rows "")
  foreach(name IN LISTS PMG_ATTACKS)
    set(source ${PROJECT_SOURCE_DIR}/tests/escape/${name}.c)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} lines REGEX "^// (optional|refused|gap|changes): ")
    string(JOIN "\n" text ${lines})
    string(APPEND rows "  if (program == \"${name}\") {\n    return R\"_(${text}\n)_\";\n  }\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/attack_exceptions.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
       "#include \"doctor/attack_list.hpp\"\n
std::string_view pmg::app::exceptions_of(std::string_view program) noexcept {\n${rows}  return {};\n}\n")
  set(${outvar} ${generated} PARENT_SCOPE)
endfunction()

# build_attacks(): the programs.
function(build_attacks)
  foreach(name IN LISTS PMG_ATTACKS)
    add_executable(attack_${name} ${PROJECT_SOURCE_DIR}/tests/escape/${name}.c)
    set_target_properties(attack_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/attacks
                                                    C_STANDARD 11)
    target_compile_definitions(attack_${name} PRIVATE _GNU_SOURCE)
    target_link_libraries(attack_${name} PRIVATE Threads::Threads)
    add_dependencies(pmg attack_${name})
    install(TARGETS attack_${name} RUNTIME DESTINATION lib/pmg/attacks)
  endforeach()
endfunction()
