// Prints one SHA-256 per rounding profile: the reference's logits and states on the golden model captures, as
// `plumbline digest` does. Builds by other compilers, for other instruction sets and with other thread counts
// must print the same lines.

#include "oracle/replay/digest.h"

#include <string>
#include <vector>

#include <fmt/format.h>

int main(int argument_count, char** arguments) {
  using namespace plumbline;
  const std::string folder = argument_count > 1 ? arguments[1] : PLUMBLINE_SOURCE_DIR "/fixtures/golden";
  const std::vector<std::string> captures = model_captures_in(folder);
  for (const RoundingProfile& profile : rounding_profiles())
    fmt::print("{} model/{}\n", outputs_digest(captures, profile), profile.name);
}
