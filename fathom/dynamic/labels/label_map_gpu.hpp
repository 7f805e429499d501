// The steps of a label map, and of columns of labels, as kernels, for builds with CUDA and without.
#pragma once

#include "fathom/dynamic/labels/label_columns.hpp"
#include "fathom/dynamic/labels/label_table.hpp"
#include "fathom/exec/context.hpp"

namespace fathom::dynamic {

/// Item i: slot i becomes empty.
struct ClearLabels {
  LabelSlot* slot;
  FATHOM_HD void operator()(std::size_t i) const { slot[i] = LabelSlot{}; }
};

/// Runs step(i) for i < n on the context's first GPU; waits. @throws Error(Device)
void run_on_gpu(const Context& ctx, const ClearLabels& step, std::size_t n);
void run_on_gpu(const Context& ctx, const InsertLabels& step, std::size_t n);
void run_on_gpu(const Context& ctx, const RemoveLabels& step, std::size_t n);
void run_on_gpu(const Context& ctx, const FindLabels& step, std::size_t n);
void run_on_gpu(const Context& ctx, const TranslateUpdates& step, std::size_t n);
void run_on_gpu(const Context& ctx, const MoveLabels& step, std::size_t n);
void run_on_gpu(const Context& ctx, const ReadUpdates& step, std::size_t n);
void run_on_gpu(const Context& ctx, const ReadQuestions& step, std::size_t n);
void run_on_gpu(const Context& ctx, const ReadVertices& step, std::size_t n);
void run_on_gpu(const Context& ctx, const MaskAnswers& step, std::size_t n);

}  // namespace fathom::dynamic
