// What the process of a plugin says, whose memory the plugin can spoil. The first byte chooses the message.

#include "oracle/plugin/plugin_wire.h"
#include "tests/fuzz/fuzz.h"

#include <cstring>
#include <span>

using namespace plumbline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto body = std::as_bytes(std::span(data, size)).subspan(1);
  fuzz::refuses<WireError>([&] {
    std::vector<std::byte> again;
    switch (data[0] % 3) {
      case 0:
        again = to_wire(call_from_wire(body));
        break;
      case 1:
        again = to_wire(answer_from_wire(body));
        break;
      default:
        again = to_wire(facts_from_wire(body));
    }
    fuzz::require(again.size() == body.size() && std::memcmp(again.data(), body.data(), again.size()) == 0,
                  "sent again, it is another message");
  });
  return 0;
}
