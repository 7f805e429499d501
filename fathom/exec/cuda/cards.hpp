// Which cards a context uses, and with how many others it shares each.
#pragma once

#include <vector>

#include "fathom/exec/context.hpp"

namespace fathom::cuda {

/// The cards of this machine. @throws Error(Device) for none
int card_count();

struct Card {
  int ordinal = 0;
  int sharers = 1;  // devices, of this process and of other ranks, that divide its memory
};

/// A card per device that the options name. Where they name none, the ranks of a machine deal its
/// cards out, one to each; with more ranks than cards some share one.
std::vector<Card> cards_of(const CudaOptions& options);

}  // namespace fathom::cuda
