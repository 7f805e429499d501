// NCCL's C interface as far as it is used here, loaded when it is asked for (nccl.h: ncclResult_t,
// ncclDataType_t and ncclRedOp_t are ints, ncclComm_t is a pointer, ncclUniqueId 128 bytes).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "fathom/exec/merge_rules.hpp"

namespace fathom::cuda {

struct NcclLibrary {
  struct Id {
    char bytes[128];
  };
  static constexpr int kByte = 1;  // ncclUint8

  NcclLibrary();
  ~NcclLibrary();
  NcclLibrary(const NcclLibrary&) = delete;
  NcclLibrary& operator=(const NcclLibrary&) = delete;

  /// Whether it is there with all that is below; why not.
  bool complete() const;
  static constexpr const char* kNotThere = "libnccl.so.2 is not there, or lacks a function";

  /// @throws Error(Device) for what is not success
  void check(int status, const char* what) const;

  /// Whether scalars are combined so; Or is none of NCCL's rules.
  static bool knows(ScalarKind kind, MergeRule rule);
  static int type_of(ScalarKind kind);
  static int operation_of(MergeRule rule);

  void* handle;
  int (*init_all)(void**, int, const int*) = nullptr;
  int (*unique_id)(Id*) = nullptr;
  int (*init_rank)(void**, int, Id, int) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int, void*, cudaStream_t) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*send)(const void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*receive)(void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  const char* (*error)(int) = nullptr;
};

}  // namespace fathom::cuda
