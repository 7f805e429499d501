#include "fathom/exec/cuda/collectives.hpp"

#include <dlfcn.h>

#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/merge.hpp"

namespace fathom::cuda {
namespace {

// NCCL's C interface as far as it is used here (nccl.h: ncclResult_t, ncclDataType_t and
// ncclRedOp_t are ints, ncclComm_t is a pointer).
constexpr int kSum = 0, kMin = 3;

int type_of(ScalarKind kind) {
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

}  // namespace

struct Collectives::Library {
  Library() : handle(::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) {
    find("ncclCommInitAll", init);
    find("ncclCommDestroy", destroy);
    find("ncclGroupStart", group_start);
    find("ncclGroupEnd", group_end);
    find("ncclAllReduce", all_reduce);
    find("ncclGetErrorString", error);
  }
  ~Library() {
    if (handle) ::dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  void find(const char* name, Function*& function) {
    if (handle) function = reinterpret_cast<Function*>(::dlsym(handle, name));
  }
  bool complete() const {
    return init && destroy && group_start && group_end && all_reduce && error;
  }
  void check(int status, const char* what) const {
    if (status != 0) throw Error(ErrorCode::Device, std::string(what) + ": NCCL: " + error(status));
  }

  void* handle;
  int (*init)(void**, int, const int*) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  const char* (*error)(int) = nullptr;
};

Collectives::Collectives(std::vector<int> ordinals) : ordinals_(std::move(ordinals)) {}

Collectives::~Collectives() {
  for (void* const communicator : communicator_) library_->destroy(communicator);
}

bool Collectives::ready() {
  if (std::exchange(tried_, true)) return !communicator_.empty();
  library_ = std::make_unique<Library>();
  if (!library_->complete()) {
    why_ = "libnccl.so.2 is not there, or lacks a function";
    return false;
  }
  std::vector<void*> made(ordinals_.size(), nullptr);
  const int status =
      library_->init(made.data(), static_cast<int>(ordinals_.size()), ordinals_.data());
  if (status != 0) {
    why_ = library_->error(status);
    return false;
  }
  communicator_ = std::move(made);
  return true;
}

bool Collectives::knows(ScalarKind kind, MergeRule rule) {
  return type_of(kind) >= 0 && (rule == MergeRule::Min || rule == MergeRule::Sum);
}

void Collectives::merge(std::span<const Replica> replicas, std::size_t count, ScalarKind kind,
                        MergeRule rule) {
  const int op = rule == MergeRule::Sum ? kSum : kMin;
  library_->check(library_->group_start(), "merging replicas");
  int status = 0;
  for (std::size_t d = 0; d < replicas.size() && status == 0; ++d)
    status = library_->all_reduce(replicas[d].data, replicas[d].data, count, type_of(kind), op,
                                  communicator_[d], replicas[d].gpu->stream());
  const int ended = library_->group_end();  // also after a failure: a group must not stay open
  library_->check(status != 0 ? status : ended, "merging replicas");
}

}  // namespace fathom::cuda
