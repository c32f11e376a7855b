#include "reference/model/mrope.h"

namespace plumbline {

std::int64_t coordinate_of_pair(const Coordinates& coordinates, std::int64_t pair,
                                const MropeSections& sections) {
  if (pair % 3 == 1 && pair < 3 * sections[1]) return coordinates.height;
  if (pair % 3 == 2 && pair < 3 * sections[2]) return coordinates.width;
  return coordinates.temporal;
}

}  // namespace plumbline
