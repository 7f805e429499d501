// Label maps on GPUs of a build without CUDA, which has none.
#include "fathom/core/error.hpp"
#include "fathom/dynamic/labels/label_map_gpu.hpp"

namespace fathom::dynamic {

#ifndef FATHOM_WITH_CUDA

namespace {
[[noreturn]] void refuse_gpu() {
  throw Error(ErrorCode::Internal, "a label map is on a GPU in a build without CUDA");
}
}  // namespace

void run_on_gpu(const Context&, const ClearLabels&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const InsertLabels&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const RemoveLabels&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const FindLabels&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const TranslateUpdates&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const MoveLabels&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const ReadUpdates&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const ReadQuestions&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const ReadVertices&, std::size_t) {
  refuse_gpu();
}
void run_on_gpu(const Context&, const MaskAnswers&, std::size_t) {
  refuse_gpu();
}

#endif

}  // namespace fathom::dynamic
