#include "fathom/exec/cuda/collectives.hpp"

#include <utility>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/merge.hpp"
#include "fathom/exec/nccl/cuda/nccl_library.hpp"

namespace fathom::cuda {
Collectives::Collectives(std::vector<int> ordinals) : ordinals_(std::move(ordinals)) {}

Collectives::~Collectives() {
  for (void* const communicator : communicator_) library_->destroy(communicator);
}

bool Collectives::ready() {
  if (std::exchange(tried_, true)) return !communicator_.empty();
  library_ = std::make_unique<NcclLibrary>();
  if (!library_->complete()) {
    why_ = NcclLibrary::kNotThere;
    return false;
  }
  std::vector<void*> made(ordinals_.size(), nullptr);
  const int status =
      library_->init_all(made.data(), static_cast<int>(ordinals_.size()), ordinals_.data());
  if (status != 0) {
    why_ = library_->error(status);
    return false;
  }
  communicator_ = std::move(made);
  return true;
}

void Collectives::merge(std::span<const Replica> replicas, std::size_t count, ScalarKind kind,
                        MergeRule rule) {
  const int op = NcclLibrary::operation_of(rule), type = NcclLibrary::type_of(kind);
  library_->check(library_->group_start(), "merging replicas");
  int status = 0;
  for (std::size_t d = 0; d < replicas.size() && status == 0; ++d)
    status = library_->all_reduce(replicas[d].data, replicas[d].data, count, type, op,
                                  communicator_[d], replicas[d].gpu->stream());
  const int ended = library_->group_end();  // also after a failure: a group must not stay open
  library_->check(status != 0 ? status : ended, "merging replicas");
}

}  // namespace fathom::cuda
