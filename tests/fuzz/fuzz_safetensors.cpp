// The header of a safetensors file: 8 bytes are the size of the tensors behind it, the rest is its JSON.

#include "fixtures/checkpoint/safetensors_header.h"
#include "tests/fuzz/fuzz.h"

#include <cstring>

using namespace plumbline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t tensors = 0;
  if (size < sizeof tensors) return 0;
  std::memcpy(&tensors, data, sizeof tensors);
  const std::string_view text = fuzz::text_of(data + sizeof tensors, size - sizeof tensors);
  fuzz::refuses<InputError>([&] {
    std::uint64_t bytes = 0;
    for (const auto& [name, entry] : parse_safetensors_header("f", text, tensors)) {
      std::uint64_t elements = 1;
      for (const std::int64_t extent : entry.shape) elements *= static_cast<std::uint64_t>(extent);
      fuzz::require(entry.end - entry.begin == elements * *safetensors_element_size(entry.dtype),
                    "an entry of other bytes than its shape");
      bytes += entry.end - entry.begin;
    }
    fuzz::require(bytes == tensors, "entries do not tile the file");
  });
  return 0;
}
