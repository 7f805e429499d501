#include "fathom/dynamic/follow/local_functors.hpp"
#include "fathom/dynamic/follow/rank_functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_ADVANCE(dynamic::FindSupported);
FATHOM_CUDA_ADVANCE(dynamic::LowerLevel);
FATHOM_CUDA_GATHER(dynamic::FindSupport);
FATHOM_CUDA_GATHER(dynamic::TakeNearest);
FATHOM_CUDA_COMPUTE(dynamic::MarkSuspects);
FATHOM_CUDA_COMPUTE(dynamic::MarkLost);
FATHOM_CUDA_COMPUTE(dynamic::MarkUnreached);
FATHOM_CUDA_COMPUTE(dynamic::OfferAdded);
FATHOM_CUDA_FILTER(dynamic::IsUnreached);

FATHOM_CUDA_COMPUTE(dynamic::FoundAlone);
FATHOM_CUDA_COMPUTE(dynamic::LeaveComponent);
FATHOM_CUDA_ADVANCE(dynamic::LinkUnreached);
FATHOM_CUDA_COMPUTE(dynamic::JoinPiece);
FATHOM_CUDA_REDUCE(VertexId, MergeSum, dynamic::IsJoin);
FATHOM_CUDA_COMPUTE(dynamic::BeginSets);
FATHOM_CUDA_COMPUTE(dynamic::LinkSets);
FATHOM_CUDA_COMPUTE(dynamic::FindLargest);
FATHOM_CUDA_COMPUTE(dynamic::ChooseRoot);
FATHOM_CUDA_COMPUTE(dynamic::AbsorbRoots);
FATHOM_CUDA_COMPUTE(dynamic::FollowRoot);
FATHOM_CUDA_COMPUTE(dynamic::ForgetSmallest);
FATHOM_CUDA_COMPUTE(dynamic::FindSmallest);

FATHOM_CUDA_REDUCE(VertexId, MergeSum, dynamic::IsGone);
FATHOM_CUDA_COMPUTE(dynamic::BeginSearch);
FATHOM_CUDA_COMPUTE(dynamic::SearchNear);
FATHOM_CUDA_REDUCE(VertexId, MergeSum, dynamic::IsUnknown);
FATHOM_CUDA_COMPUTE(dynamic::BeginPieces);
FATHOM_CUDA_COMPUTE(dynamic::TieAround);
FATHOM_CUDA_FILTER(dynamic::IsToDo);
FATHOM_CUDA_FILTER(dynamic::IsApart);
FATHOM_CUDA_COMPUTE(dynamic::PutAside);
FATHOM_CUDA_COMPUTE(dynamic::FindLeast);
FATHOM_CUDA_COMPUTE(dynamic::TakeLeast);
FATHOM_CUDA_COMPUTE(dynamic::LabelPiece);
FATHOM_CUDA_REDUCE(VertexId, MergeSum, dynamic::Ties);
FATHOM_CUDA_COMPUTE(dynamic::TieEnds);
FATHOM_CUDA_COMPUTE(dynamic::LabelAlone);

FATHOM_CUDA_ADVANCE(dynamic::GiveShare);
FATHOM_CUDA_COMPUTE(dynamic::TakeResidual);
FATHOM_CUDA_COMPUTE(dynamic::ShareOfList);
FATHOM_CUDA_COMPUTE(dynamic::MoveShare);
FATHOM_CUDA_COMPUTE(dynamic::BeginResiduals);
FATHOM_CUDA_REDUCE(RankTally, MergeSum, dynamic::BeginSweep);
FATHOM_CUDA_GATHER(dynamic::SweepRank);
FATHOM_CUDA_COMPUTE(dynamic::ScaleRank);
FATHOM_CUDA_FILTER(dynamic::IsLacking);
FATHOM_CUDA_REDUCE(EdgeId, MergeSum, dynamic::FrontierEdges);
FATHOM_CUDA_REDUCE(double, MergeSum, dynamic::DanglingRank);
FATHOM_CUDA_REDUCE(double, MergeSum, dynamic::ValueOf);

}  // namespace fathom
