#include "reference/model/ngram_hash.h"

#include "fixtures/error.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

using Rows = std::vector<std::int64_t>;

/// The released checkpoint.
NgramShape real_shape() { return {248320, 3, 8, 20000000, 128, 1234, 0}; }
constexpr std::int64_t kEos = 248044;

TEST(NgramHash, ReproducesTheReleasedCheckpointsConstantsWithoutAllocatingItsTable) {
  const NgramTables tables = ngram_tables(real_shape());
  EXPECT_EQ(tables.multipliers, (Rows{23703573157769, 20109073645365, 8052911324071}));
  EXPECT_EQ(tables.head_sizes,
            (Rows{20000003, 20000023, 20000033, 20000047, 20000059, 20000063, 20000069, 20000077, 20000081,
                  20000093, 20000107, 20000147, 20000153, 20000159, 20000161, 20000171}));
  EXPECT_EQ(tables.head_offsets,
            (Rows{0, 20000003, 40000026, 60000059, 80000106, 100000165, 120000228, 140000297, 160000374,
                  180000455, 200000548, 220000655, 240000802, 260000955, 280001114, 300001275}));
  EXPECT_EQ(tables.rows, 320001446);
  EXPECT_EQ(tables.padded_rows, 320001536);
}

TEST(NgramHash, ReproducesTheLiteralRowsOfASequenceWithAnEndInside) {
  const NgramShape shape = real_shape();
  const Rows context{kEos, kEos}, tokens{248044, 0, 248319, 151, 248044, 77, 78};
  const std::vector<Rows> expected{
      {9663979, 26558231, 56120240, 74755659, 80459717, 109265651, 132697467, 151022725, 170054832, 192967038,
       200687722, 225763581, 259275737, 272983544, 297596484, 300986548},
      {768795, 32189829, 51641306, 71063218, 85886852, 104959504, 134316676, 154856127, 173280301, 194832882,
       202840854, 222492280, 256138797, 271010889, 296240796, 304432235},
      {17035305, 37104214, 41553187, 64726037, 94893895, 112558302, 129937787, 148091832, 170263291,
       191853921, 208567818, 236579041, 257464514, 279310953, 293473367, 305886554},
      {5050400, 22227019, 44558030, 64013229, 90295805, 106521790, 121609272, 156456566, 174479045, 190941628,
       211355722, 239485622, 247148339, 275709445, 298762863, 315526208},
      {18408052, 23509837, 40469161, 65149644, 82317651, 108980843, 129857256, 146004902, 170373741,
       191769724, 204938500, 225768844, 256588882, 268372763, 299181824, 314832662},
      {16611476, 29512305, 49704971, 66165983, 89881645, 105251896, 139055756, 152191225, 178497739,
       192880870, 205859405, 228292887, 258357841, 269648670, 287018169, 315908561},
      {16365729, 32386041, 40396847, 75612757, 97227070, 104431981, 125239511, 159649830, 179560519,
       186917404, 207318929, 227828072, 245283357, 263098336, 295783475, 319807543}};
  const Rows rows = ngram_rows(shape, ngram_tables(shape), kEos, context, tokens);
  ASSERT_EQ(rows.size(), expected.size() * 16);
  for (std::size_t t = 0; t < expected.size(); ++t) {
    EXPECT_EQ(Rows(rows.begin() + static_cast<long>(t * 16), rows.begin() + static_cast<long>(t * 16 + 16)),
              expected[t])
        << "token " << t;
  }
}

// b12x#332, checked by hand.
TEST(NgramHash, ReproducesAnIndependentLiteral) {
  const NgramShape shape{100, 3, 1, 101, 1, 0, 0};
  const NgramTables tables{{3, 5, 7}, {101, 103}, {0, 101}, 204, 204};
  EXPECT_EQ(ngram_rows(shape, tables, 99, Rows{99, 99}, Rows{7, 9, 11}), (Rows{1, 124, 56, 136, 12, 162}));
}

TEST(NgramHash, ATokensRowsDependOnItsContextNotOnTheCallItCameIn) {
  const NgramShape shape{1000, 4, 2, 97, 8, 7, 1};
  const NgramTables tables = ngram_tables(shape);
  const Rows tokens{5, 17, 2, 900, 2, 2, 31, 44, 7};
  const Rows context{2, 2, 2};
  const Rows whole = ngram_rows(shape, tables, 2, context, tokens);
  for (std::size_t split = 1; split < tokens.size(); ++split) {
    Rows history = context;
    history.insert(history.end(), tokens.begin(), tokens.begin() + static_cast<long>(split));
    Rows rows = ngram_rows(shape, tables, 2, context, std::span(tokens).first(split));
    const Rows rest =
        ngram_rows(shape, tables, 2, std::span(history).last(3), std::span(tokens).subspan(split));
    rows.insert(rows.end(), rest.begin(), rest.end());
    EXPECT_EQ(rows, whole) << split;
  }
}

TEST(NgramHash, LayersTakeDifferentPrimesAndMultipliers) {
  NgramShape shape = real_shape();
  const NgramTables first = ngram_tables(shape);
  shape.layer_ordinal = 1;
  const NgramTables second = ngram_tables(shape);
  EXPECT_NE(first.multipliers, second.multipliers);
  EXPECT_GT(second.head_sizes.front(), first.head_sizes.back());
}

TEST(NgramHash, RefusesAPlaceholderInsteadOfHashingIt) {
  const NgramShape shape = real_shape();
  const NgramTables tables = ngram_tables(shape);
  // CASES.md A2: -1 and 2^31 - 1 stand in slots whose token is not settled yet.
  for (const std::int64_t token :
       {std::int64_t{-1}, shape.vocab_size, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 40}) {
    EXPECT_THROW(ngram_rows(shape, tables, kEos, Rows{kEos, kEos}, Rows{token}), InputError);
    EXPECT_THROW(ngram_rows(shape, tables, kEos, Rows{kEos, token}, Rows{1}), InputError);
  }
}

TEST(NgramHash, TheLargestProductsStayBelowTwoToThe63) {
  const NgramTables tables = ngram_tables(real_shape());
  for (const std::int64_t multiplier : tables.multipliers) {
    EXPECT_LT(static_cast<__int128>(multiplier) * 248319, static_cast<__int128>(1) << 63);
  }
}

TEST(NgramHash, NoTokensGiveNoRows) {
  const NgramShape shape = real_shape();
  EXPECT_TRUE(ngram_rows(shape, ngram_tables(shape), kEos, Rows{kEos, kEos}, {}).empty());
}

}  // namespace
}  // namespace plumbline
