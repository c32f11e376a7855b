#include "fixtures/error.h"
#include "tests/reference/model/tiny_sequence.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

constexpr std::int64_t kPrompt = 40;

TEST(ModelCache, ASplitAtEveryOffsetGivesTheBitsOfOneCall) {
  for (const char* name : {"exact", "hf_cuda", "llamacpp"}) {
    const RoundingProfile& profile = *find_rounding_profile(name);
    const Qwen4Exp& model = model_of(profile);
    ModelCache whole = model.new_cache();
    const std::vector<double> logits = feed(model, whole, Sequence::tokens(0, kPrompt));
    for (std::int64_t split = 0; split <= kPrompt; ++split) {
      ModelCache cache = model.new_cache();
      std::vector<double> parts = feed(model, cache, Sequence::tokens(0, split));
      const std::vector<double> rest = feed(model, cache, Sequence::tokens(split, kPrompt - split));
      parts.insert(parts.end(), rest.begin(), rest.end());
      ASSERT_TRUE(same_bits(parts, logits)) << profile.name << " " << split;
      ASSERT_EQ(difference(cache, whole), "") << profile.name << " " << split;
    }
  }
}

// Longer than two chunks of the delta rule, so that chunk boundaries fall inside calls, at their ends and
// between single tokens.
RC_GTEST_PROP(ModelCache, AnyCallsGiveTheBitsOfOneCall, ()) {
  const Qwen4Exp& model = model_of(hf_cuda_profile(), "float32");
  constexpr std::int64_t tokens = 2 * kDeltaRuleChunk + 9;
  static ModelCache whole = model.new_cache();
  static const std::vector<double> logits = feed(model, whole, Sequence::tokens(0, tokens));
  ModelCache cache = model.new_cache();
  std::vector<double> parts;
  for (std::int64_t done = 0; done < tokens;) {
    const auto most = *rc::gen::element<std::int64_t>(1, 5, 64, tokens);
    const auto count = std::min(tokens - done, *rc::gen::inRange<std::int64_t>(1, most + 1));
    const std::vector<double> some = feed(model, cache, Sequence::tokens(done, count));
    parts.insert(parts.end(), some.begin(), some.end());
    done += count;
  }
  RC_ASSERT(same_bits(parts, logits));
  RC_ASSERT(difference(cache, whole) == "");
}

TEST(ModelCache, TheRecurrentFormGivesTheSameBitsForAnyCallsAndNearlyTheChunkedOnes) {
  const Qwen4Exp& model = model_of(exact_profile());
  const ForwardOptions recurrent{.delta_rule = DeltaRuleForm::recurrent};
  const ModelCache once = fresh(model, kPrompt, recurrent);
  ModelCache stepwise = model.new_cache();
  for (std::int64_t t = 0; t < kPrompt; ++t) feed(model, stepwise, Sequence::tokens(t, 1), recurrent);
  stepwise.calls = once.calls;  // where calls end is no state of this form, but is saved for the one with it
  EXPECT_EQ(difference(stepwise, once), "");
  const ModelCache chunked = fresh(model, kPrompt);
  const Rows<double>&a = once.layers[0].delta_net->heads[1], &b = chunked.layers[0].delta_net->heads[1];
  for (std::size_t i = 0; i < a.numbers.size(); ++i) EXPECT_NEAR(a.numbers[i], b.numbers[i], 1e-13);
  EXPECT_FALSE(same_bits(a.numbers, b.numbers));
}

TEST(ModelCache, AGridThatStartsAtEachCallIsNoFunctionOfTheTokensAlone) {
  const Qwen4Exp& model = model_of(hf_cpu_profile(), "float32");
  const ForwardOptions restarted{.delta_rule = DeltaRuleForm::chunked};
  const ModelCache once = fresh(model, kPrompt, restarted);
  ModelCache twice = model.new_cache();
  feed(model, twice, Sequence::tokens(0, 17), restarted);
  feed(model, twice, Sequence::tokens(17, kPrompt - 17), restarted);
  twice.calls = once.calls;
  EXPECT_NE(difference(twice, once), "");
}

// Speculation: k drafts, of which the first a are accepted (CASES.md C2, C4, E7).
TEST(ModelCache, RejectedDraftsLeaveNoTrace) {
  for (const RoundingProfile* profile : {&exact_profile(), &hf_cuda_profile()}) {
    const Qwen4Exp& model = model_of(*profile);
    // Every position modulo the block of four, before and across a chunk boundary.
    for (const std::int64_t start : {0, 1, 2, 3, 12, 13, 38, 60, 61, 62, 63, 64, 127}) {
      const ModelCache prompt = fresh(model, start);
      for (std::int64_t drafts = 0; drafts <= 5; ++drafts) {
        for (std::int64_t accepted = 0; accepted <= drafts; ++accepted) {
          ModelCache cache = prompt;
          feed(model, cache, Sequence::tokens(start, accepted));
          // The same accepted tokens, then drafts of another text.
          ModelCache speculated = prompt;
          Sequence draft = Sequence::tokens(start, accepted);
          const Sequence wrong = Sequence::tokens(start + accepted, drafts - accepted, 1);
          draft.ids.insert(draft.ids.end(), wrong.ids.begin(), wrong.ids.end());
          draft.places.insert(draft.places.end(), wrong.places.begin(), wrong.places.end());
          feed(model, speculated, draft);
          model.roll_back(speculated, start + accepted);
          ASSERT_EQ(difference(speculated, cache), "") << start << " + " << accepted << " of " << drafts;
          // And the next token goes on from there.
          ASSERT_TRUE(same_bits(feed(model, speculated, Sequence::tokens(start + accepted, 6)),
                                feed(model, cache, Sequence::tokens(start + accepted, 6))));
          ASSERT_EQ(difference(speculated, cache), "");
        }
      }
    }
  }
}

TEST(ModelCache, RollsBackToAnyLengthInEveryFormOfTheDeltaRule) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  for (const DeltaRuleForm form :
       {DeltaRuleForm::chunked_on_grid, DeltaRuleForm::chunked, DeltaRuleForm::recurrent}) {
    const ForwardOptions options{.delta_rule = form};
    ModelCache whole = fresh(model, 70, options);
    feed(model, whole, Sequence::tokens(70, 70), options);
    for (const std::int64_t kept : {139, 130, 128, 100, 71, 70, 64, 63, 40, 3, 1, 0}) {
      ModelCache cache = whole, expected = fresh(model, std::min<std::int64_t>(kept, 70), options);
      if (kept > 70) feed(model, expected, Sequence::tokens(70, kept - 70), options);
      model.roll_back(cache, kept, options);
      ASSERT_EQ(difference(cache, expected), "") << kept;
    }
  }
  ModelCache cache = fresh(model, 5);
  EXPECT_THROW(model.roll_back(cache, 6), InputError);
  EXPECT_THROW(model.roll_back(cache, -1), InputError);
  EXPECT_EQ(difference(cache, fresh(model, 5)), "");
}

TEST(ModelCache, RollsBackTwiceAndOverWhatWasRolledBackBefore) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  ModelCache cache = fresh(model, 100);
  for (const std::int64_t kept : {90, 62, 41, 40}) {
    model.roll_back(cache, kept);
    ASSERT_EQ(difference(cache, fresh(model, kept)), "") << kept;
    feed(model, cache, Sequence::tokens(kept, 3));
    ASSERT_EQ(difference(cache, fresh(model, kept + 3)), "") << kept;
    model.roll_back(cache, kept);
  }
}

// CASES.md A4: a fork shares nothing with what it was forked from.
TEST(ModelCache, ForksGoOnLikeIndependentRuns) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  ModelCache first = fresh(model, 21), second = first;
  feed(model, first, Sequence::tokens(21, 9));
  feed(model, second, Sequence::tokens(21, 9, 1));
  EXPECT_EQ(difference(first, fresh(model, 30)), "");
  ModelCache alone = fresh(model, 21);
  feed(model, alone, Sequence::tokens(21, 9, 1));
  EXPECT_EQ(difference(second, alone), "");
  EXPECT_NE(difference(first, second), "");
}

// CASES.md A2: a placeholder is refused, and leaves the cache as it was.
TEST(ModelCache, ARefusedCallChangesNothing) {
  const Qwen4Exp& model = model_of(hf_cuda_profile());
  ModelCache cache = fresh(model, 7);
  const ModelCache before = cache;
  for (const std::int64_t placeholder : {std::int64_t{-1}, std::int64_t{151}, std::int64_t{1} << 40}) {
    Sequence sequence = Sequence::tokens(7, 3);
    sequence.ids[2] = placeholder;
    EXPECT_THROW(feed(model, cache, sequence), InputError);
    EXPECT_EQ(difference(cache, before), "");
  }
  Sequence uneven = Sequence::tokens(7, 3);
  uneven.places.pop_back();
  EXPECT_THROW(feed(model, cache, uneven), InputError);
  EXPECT_THROW(feed(model, cache, Sequence::tokens(7, 1), {.delta_rule = DeltaRuleForm::recurrent}),
               InputError);
  EXPECT_TRUE(feed(model, cache, {}).empty());
  EXPECT_EQ(difference(cache, before), "");
}

}  // namespace
}  // namespace plumbline
