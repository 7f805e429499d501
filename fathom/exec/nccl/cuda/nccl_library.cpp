#include "fathom/exec/nccl/cuda/nccl_library.hpp"

#include <dlfcn.h>

#include <string>

#include "fathom/core/error.hpp"

namespace fathom::cuda {

NcclLibrary::NcclLibrary() : handle(::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) {
  const auto find = [&]<class Function>(const char* name, Function*& function) {
    if (handle) function = reinterpret_cast<Function*>(::dlsym(handle, name));
  };
  find("ncclCommInitAll", init_all);
  find("ncclGetUniqueId", unique_id);
  find("ncclCommInitRank", init_rank);
  find("ncclCommDestroy", destroy);
  find("ncclGroupStart", group_start);
  find("ncclGroupEnd", group_end);
  find("ncclAllReduce", all_reduce);
  find("ncclAllGather", all_gather);
  find("ncclBroadcast", broadcast);
  find("ncclSend", send);
  find("ncclRecv", receive);
  find("ncclGetErrorString", error);
}

NcclLibrary::~NcclLibrary() {
  if (handle) ::dlclose(handle);
}

bool NcclLibrary::complete() const {
  return init_all && unique_id && init_rank && destroy && group_start && group_end && all_reduce &&
         all_gather && broadcast && send && receive && error;
}

void NcclLibrary::check(int status, const char* what) const {
  if (status != 0) throw Error(ErrorCode::Device, std::string(what) + ": NCCL: " + error(status));
}

int NcclLibrary::type_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Int32:
      return 2;
    case ScalarKind::Uint32:
      return 3;
    case ScalarKind::Uint64:
      return 5;
    case ScalarKind::Float:
      return 7;
    case ScalarKind::Double:
      return 8;
    case ScalarKind::Other:
      break;
  }
  return -1;
}

int NcclLibrary::operation_of(MergeRule rule) {
  constexpr int kSum = 0, kMin = 3;
  return rule == MergeRule::Sum ? kSum : kMin;
}

bool NcclLibrary::knows(ScalarKind kind, MergeRule rule) {
  return type_of(kind) >= 0 && (rule == MergeRule::Min || rule == MergeRule::Sum);
}

}  // namespace fathom::cuda
