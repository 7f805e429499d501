# Files that are compiled together: most of a file's compile time is what it includes. Local names of
# such files have to differ.

# C++ files of each folder of `target`, at most `batch` at a time.
function(fathom_join_by_folder target batch)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" folder "${folder}")
    if(NOT DEFINED files_${folder})
      set(files_${folder} 0)
    endif()
    math(EXPR part "${files_${folder}} / ${batch}")
    math(EXPR files_${folder} "${files_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}_${part}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Kernels that take nvcc longer than the headers they need: not joined, so that no file takes it more
# than 20 seconds. Those of residency/ have local names alike.
set(fathom_long_kernels
    exec/cuda/array_ops
    algorithms/betweenness/hops_few
    algorithms/betweenness/hops_four
    algorithms/betweenness/hops_eight
    algorithms/betweenness/weighted
    algorithms/edge_betweenness/edge_betweenness
    algorithms/kcore/kcore
    algorithms/ktruss/ktruss
    algorithms/louvain/louvain
    algorithms/pagerank/pagerank_float
    algorithms/pagerank/pagerank_double
    algorithms/pagerank/walks_eight
    algorithms/pagerank/walks_four
    algorithms/scc/scc
    algorithms/sssp/sssp_double
    algorithms/sssp/sssp_float
    algorithms/subgraph/edge_collector
    dynamic/batches/cuda/commit_contiguous
    dynamic/batches/cuda/commit_contiguous_fields
    dynamic/batches/cuda/commit_linked
    dynamic/batches/cuda/commit_linked_fields
    dynamic/batches/cuda/commit_sorted
    dynamic/batches/cuda/commit_sorted_fields
    dynamic/follow/incremental
    dynamic/pages/cuda/pages_of_standard
    dynamic/pages/cuda/pages_of_virtual_arrays
    dynamic/pages/cuda/pages_of_virtual_lists
    residency/cuda/device_orient
    residency/cuda/hints
    residency/cuda/list_copies
    residency/cuda/page_table
    residency/cuda/unpack_pages
    residency/packed/cuda/copy_groups)

# Sets `result` to .cu files that include those of `sources`, at most `batch` of the same folder of
# fathom/ (CMake joins .cu files itself from 3.31 on).
function(fathom_join_kernels result batch sources)
  foreach(name ${fathom_long_kernels})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/fathom/${name}.cu)
      message(FATAL_ERROR "cmake/Unity.cmake names fathom/${name}.cu, which is not there")
    endif()
  endforeach()
  set(joined "")
  set(folders "")
  foreach(source ${sources})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/fathom ${source})
    string(REGEX REPLACE "\\.cu$" "" name ${name})
    if(name IN_LIST fathom_long_kernels)
      list(APPEND joined ${source})
      continue()
    endif()
    string(REGEX REPLACE "/.*" "" folder ${name})
    list(APPEND folders ${folder})
    list(APPEND of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    set(part 0)
    while(of_${folder})
      list(SUBLIST of_${folder} 0 ${batch} together)
      list(REMOVE_ITEM of_${folder} ${together})
      list(TRANSFORM together REPLACE "${PROJECT_SOURCE_DIR}/(.+)" "#include \"\\1\"\n")
      list(JOIN together "" includes)
      set(file ${PROJECT_BINARY_DIR}/kernels/${folder}_${part}.cu)
      file(CONFIGURE OUTPUT ${file} CONTENT "${includes}" @ONLY)
      list(APPEND joined ${file})
      math(EXPR part "${part} + 1")
    endwhile()
  endforeach()
  set(${result} ${joined} PARENT_SCOPE)
endfunction()
