#include "tests/reference/model/tiny_sequence.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kVocabulary = 151, kLongest = 100;

/// A cache that requests come and go in, with what it was given and gave since it was last empty.
struct Slot {
  ModelCache cache;
  Sequence accepted;
  std::vector<double> logits;  ///< of every accepted token, as it was given out
};

/// Uses four slots as a server does. Raw draws alone, so that every machine sees the same requests.
class Server {
 public:
  explicit Server(const Qwen4Exp& model) : model_(model) {
    for (Slot& slot : slots) slot.cache = model.new_cache();
  }

  std::array<Slot, 4> slots;

  void cycle() {
    Slot& slot = slots[draw(slots.size())];
    if (slot.cache.tokens > kLongest || draw(16) == 0) {
      // Freed and taken again: the next request starts in what the last one left, rolled back to nothing.
      if (draw(2) == 0) {
        model_.roll_back(slot.cache, 0);
        slot.accepted = {};
        slot.logits.clear();
      } else {
        slot = slots[draw(slots.size())];  // or goes on from a copy of another request, or of itself
      }
    }
    if (draw(4) == 0) advance(slot, arbitrary(1 + draw(6), slot.cache.tokens));
    speculate(slot, draw(6));
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  Sequence arbitrary(std::uint64_t count, std::int64_t first) {
    Sequence sequence;
    for (std::int64_t t = first; t < first + static_cast<std::int64_t>(count); ++t) {
      // Ends of sequence are common, so that n-grams are cut often.
      sequence.ids.push_back(draw(6) == 0 ? 2 : static_cast<std::int64_t>(draw(kVocabulary)));
      sequence.places.push_back({t, t + static_cast<std::int64_t>(draw(3)), t / 2});
    }
    return sequence;
  }

  void keep(Slot& slot, const Sequence& tokens, const std::vector<double>& logits, std::size_t count) {
    const auto copy = [count](const auto& from, auto& to, std::size_t each) {
      to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count * each));
    };
    copy(tokens.ids, slot.accepted.ids, 1);
    copy(tokens.places, slot.accepted.places, 1);
    copy(logits, slot.logits, kVocabulary);
  }

  void advance(Slot& slot, const Sequence& tokens) {
    keep(slot, tokens, feed(model_, slot.cache, tokens), tokens.ids.size());
  }

  /// One token and `drafts` drafts in one call, of which any number is accepted.
  void speculate(Slot& slot, std::uint64_t drafts) {
    const std::int64_t before = slot.cache.tokens;
    const Sequence tokens = arbitrary(1 + drafts, before);
    const std::vector<double> logits = feed(model_, slot.cache, tokens);
    const std::uint64_t accepted = 1 + draw(drafts + 1);
    model_.roll_back(slot.cache, before + static_cast<std::int64_t>(accepted));
    keep(slot, tokens, logits, accepted);
  }

  const Qwen4Exp& model_;
  std::mt19937_64 random_{12};
};

// CASES.md C12: what a slot did before leaves nothing behind. C7: all its caches hold the same tokens after
// every step.
TEST(SlotReuse, AThousandRequestsLeaveTheStateOfTheirAcceptedTokensAlone) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  Server server(model);
  for (int i = 0; i < 1000; ++i) {
    server.cycle();
    for (const Slot& slot : server.slots) {
      const auto tokens = static_cast<std::int64_t>(slot.accepted.ids.size());
      const QsaState<double>& attention = *slot.cache.layers[3].attention;
      ASSERT_EQ(slot.cache.tokens, tokens) << i;
      ASSERT_EQ(attention.keys.rows, tokens) << i;
      ASSERT_EQ(attention.values.rows, tokens) << i;
      ASSERT_EQ(attention.index->tokens(), tokens) << i;
      ASSERT_EQ(attention.index->blocks(), tokens / 4) << i;
    }
  }
  for (const Slot& slot : server.slots) {
    ASSERT_GT(slot.cache.tokens, 12) << "too short to select";
    ModelCache fresh = model.new_cache();
    const std::vector<double> logits = feed(model, fresh, slot.accepted);
    EXPECT_EQ(difference(slot.cache, fresh), "");
    EXPECT_TRUE(same_bits(slot.logits, logits)) << "what was given out on the way";
  }
}

}  // namespace
}  // namespace plumbline
