# fathom_options: flags that every target, also a user's, must share. fathom_warnings: ours alone.
add_library(fathom_options INTERFACE)
target_link_libraries(fathom_options INTERFACE Threads::Threads)
if(FATHOM_SANITIZE)
  target_compile_options(fathom_options INTERFACE -fsanitize=${FATHOM_SANITIZE}
                                                  -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Checks at every access, most of which the address sanitizer traps too: a quarter of the compile time.
  if(FATHOM_SANITIZE MATCHES "undefined")
    target_compile_options(fathom_options INTERFACE -fno-sanitize=null,object-size,vptr)
  endif()
  # g++ says so itself.
  string(REGEX MATCH "address|thread" kind "${FATHOM_SANITIZE}")
  if(kind AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    string(TOUPPER ${kind} kind)
    target_compile_definitions(fathom_options INTERFACE __SANITIZE_${kind}__=1)
  endif()
  target_link_options(fathom_options INTERFACE -fsanitize=${FATHOM_SANITIZE})
endif()
# Not in a Python module: exceptions come into it from nanobind's backend, which has the shared one.
if(FATHOM_STATIC_DEPENDENCIES AND NOT FATHOM_BUILD_PYTHON)
  target_link_options(fathom_options INTERFACE -static-libstdc++ -static-libgcc)
endif()

add_library(fathom_warnings INTERFACE)
target_compile_options(
  fathom_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Werror>
            # clang counts sign conversions among -Wconversion, g++ does not, and as shadows the
            # names that each of several joined files declares.
            $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion;-Wno-shadow>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror;--Werror=all-warnings>)
