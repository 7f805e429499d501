#include "fathom/residency/packed/packed_way.hpp"

namespace fathom::detail {

using Kind = ResidencyOptions::Kind;

PackedWay choose_packed_way(Kind asked, PackedReads reads, const Resolved& unpacked,
                            const Resolved& packed) {
  if (asked == Kind::Auto) {
    const bool fits_unpacked = unpacked.kind == Kind::Resident;
    if (reads == PackedReads::Unpacked || (reads == PackedReads::Auto && fits_unpacked))
      return {unpacked, false};
    const bool in_place = packed.kind == Kind::Resident || packed.kind == Kind::ZeroCopy;
    return {{packed.kind, (in_place ? "packed lists are read in place: " : "") + packed.reason},
            in_place};
  }
  const bool may = asked == Kind::Resident || asked == Kind::ZeroCopy;
  const bool in_place = may && (reads == PackedReads::InPlace ||
                                (reads == PackedReads::Auto &&
                                 (asked == Kind::ZeroCopy || unpacked.kind != Kind::Resident)));
  return {{asked, in_place ? "asked for; packed lists are read in place" : "asked for"}, in_place};
}

}  // namespace fathom::detail
