#include "reference/model/block_pool.h"

#include "fixtures/small_float.h"

#include <vector>

namespace plumbline {

void block_pool(const TensorView& raw, const EngineArithmetic& arithmetic, std::span<Bounded> out) {
  std::vector<Bounded> members(static_cast<std::size_t>(raw.extent(0)));
  for (std::size_t d = 0; d < out.size(); ++d) {
    for (std::size_t member = 0; member < members.size(); ++member) {
      members[member] = {decode_element(raw.dtype, raw.at(member, d)), 0};
    }
    out[d] = arithmetic.store_if(arithmetic.profile().store_pooled_key, arithmetic.mean(members));
  }
}

}  // namespace plumbline
