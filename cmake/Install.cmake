# Installs the library so that find_package(fathom CONFIG) gives fathom::fathom, a pkg-config file,
# the public headers, the programs and their man page.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_target_property(library_type fathom TYPE)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
set_target_properties(fathom fathom_options PROPERTIES VERSION ${PROJECT_VERSION}
                                                       SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(fathom_options PROPERTIES EXPORT_NAME options)

install(TARGETS fathom fathom_options EXPORT fathomTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT fathomTargets NAMESPACE fathom:: DESTINATION ${package_dir})

# The public headers are those that the umbrella header reaches.
function(fathom_reachable_headers header found)
  if(header IN_LIST ${found})
    return()
  endif()
  list(APPEND ${found} ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"fathom/")
  foreach(line ${lines})
    string(REGEX REPLACE ".*\"(.*)\".*" "\\1" included "${line}")
    fathom_reachable_headers(${included} ${found})
  endforeach()
  set(${found} ${${found}} PARENT_SCOPE)
endfunction()
fathom_reachable_headers(fathom/fathom.hpp public_headers)
fathom_reachable_headers(fathom/memory/host_heap.hpp public_headers)
foreach(header lists/find_edge.hpp live/live_changes.hpp labels/label_map.hpp follow/incremental.hpp
               views/analysis_queue.hpp updates/update_rounds.hpp log/update_log.hpp)
  fathom_reachable_headers(fathom/dynamic/${header} public_headers)
endforeach()
if(FATHOM_HAS_CUDA)
  fathom_reachable_headers(fathom/ops/cuda/instantiate.cuh public_headers)
  fathom_reachable_headers(fathom/memory/ouroboros.cuh public_headers)
  set_target_properties(fathom_cuda PROPERTIES EXPORT_NAME cuda)
  install(TARGETS fathom_cuda EXPORT fathomTargets)
endif()
foreach(header fathom/core/version.hpp ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fathomConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/fathomConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fathomConfig.cmake
              ${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FathomFindLibrary.cmake DESTINATION ${package_dir})

# What a static libfathom.a needs from the linker; a shared one carries it along.
set(pkgconfig_definitions "")
if(FATHOM_VERTEX_BITS EQUAL 64)
  set(pkgconfig_definitions " -DFATHOM_VERTEX_BITS=64")
endif()
set(pkgconfig_private "-lfmt -lz -lzstd -lxxhash -luring")
if(FATHOM_HAS_CUDA)
  string(APPEND pkgconfig_private " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
if(FATHOM_MPI)
  list(JOIN MPI_CXX_LIBRARIES " " mpi_libraries)
  string(APPEND pkgconfig_private " ${mpi_libraries}")
endif()
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pkgconfig_libs "-lfathom ${pkgconfig_private} -pthread")
  set(pkgconfig_private "")
else()
  set(pkgconfig_libs "-lfathom -pthread")
endif()
# From where the file lies, so that it holds wherever the whole is installed.
set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(pkgconfig_prefix "\${pcfiledir}/${up}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/fathom.pc.in ${PROJECT_BINARY_DIR}/fathom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fathom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET fathom-cli)
  install(TARGETS fathom-cli DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET fathom-bench)
    install(TARGETS fathom-bench DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
  endif()
  # Completions come from the program itself, so they are made when it is built to run here.
  if(NOT CMAKE_CROSSCOMPILING)
    set(completions bash:bash-completion/completions/fathom zsh:zsh/site-functions/_fathom
                    fish:fish/vendor_completions.d/fathom.fish)
    foreach(completion ${completions})
      string(REPLACE ":" ";" completion ${completion})
      list(GET completion 0 shell)
      list(GET completion 1 place)
      set(made ${PROJECT_BINARY_DIR}/completion.${shell})
      get_filename_component(directory ${place} DIRECTORY)
      get_filename_component(name ${place} NAME)
      install(CODE "execute_process(COMMAND $<TARGET_FILE:fathom-cli> completion ${shell}
                                    OUTPUT_FILE ${made} COMMAND_ERROR_IS_FATAL ANY)")
      install(FILES ${made} DESTINATION ${CMAKE_INSTALL_DATADIR}/${directory} RENAME ${name})
    endforeach()
  endif()
endif()
file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
if(man_pages)
  install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
include(Package)
