# fathom_find_library(NAME HEADER LIBRARY): imported target fathom_NAME, for libraries that ship no
# CMake package on every distribution. Installed too: a static libfathom.a needs the same targets.
function(fathom_find_library name header library)
  if(TARGET fathom_${name})
    return()
  endif()
  find_path(${name}_INCLUDE ${header} REQUIRED)
  find_library(${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(${name}_INCLUDE ${name}_LIBRARY)
  add_library(fathom_${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(fathom_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(fathom_${name} INTERFACE ${${name}_LIBRARY})
endfunction()
