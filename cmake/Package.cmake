# A .deb of what Install.cmake installs (`make dist`): cpack, in the build directory.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fathom)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Fathom maintainers <maintainers@fathom.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Reads graphs of many formats, keeps them in one checksummed file, and runs graph algorithms on
them within a given amount of memory, on processors and on GPUs. The command, and the C++ library with its headers.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # of the program
# What programs link beside the static library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libzstd-dev, zlib1g-dev, libxxhash-dev, liburing-dev")
include(CPack)
