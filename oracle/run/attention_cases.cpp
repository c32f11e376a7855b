#include "oracle/run/attention_cases.h"

#include "fixtures/cases/random.h"
#include "fixtures/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::int32_t kRequests = 3;

std::string_view name_of(AttentionData data) {
  switch (data) {
    case AttentionData::same_sign:
      return "same_sign";
    case AttentionData::wide_scores:
      return "wide_scores";
    case AttentionData::tied_maxima:
      return "tied_maxima";
    case AttentionData::empty_rows:
      return "empty_rows";
    case AttentionData::nothing:
      return "nothing";
    case AttentionData::one_token:
      return "one_token";
    case AttentionData::bad_pages:
      return "bad_pages";
    default:
      return "random";
  }
}

/// Draws the tensors of a family, each from a stream of its own.
class Draw {
 public:
  Draw(const AttentionFamily& family, std::uint64_t seed) : family_(family), random_(seed) {}

  AttentionCase run() {
    AttentionCase made;
    made.name = family_.name;
    made.softmax_scale = 1 / std::sqrt(static_cast<double>(family_.dim));
    if (family_.float8) made.k_scale = 0.5, made.v_scale = 2;
    made.query = numbers(1, family_.storage, {family_.rows, family_.heads, family_.dim},
                         family_.data == AttentionData::wide_scores ? 12 : 1);
    if (family_.gate) made.output_gate = numbers(2, family_.storage, made.query.shape, 2);
    draw_pages(made);
    draw_selection(made);
    if (family_.data == AttentionData::tied_maxima) tie_maxima(made);
    return made;
  }

 private:
  std::int64_t tokens() const { return family_.selected + family_.selected / 4 + 3; }
  std::int64_t pages_each() const { return (tokens() + family_.page_size - 1) / family_.page_size; }
  DType stored() const { return family_.float8 ? DType::float8_e4m3fn : family_.storage; }

  Tensor numbers(std::uint64_t stream, DType type, Shape shape, double scale, bool positive = false) const {
    Tensor tensor(type, std::move(shape));
    Random random = random_.split(stream);
    const std::size_t element = size_of(type);
    for (std::size_t at = 0; at < tensor.bytes.size(); at += element) {
      const double drawn = scale * random.normal();
      encode_element(type, positive ? std::abs(drawn) + scale / 8 : drawn, tensor.bytes.data() + at);
    }
    return tensor;
  }

  void draw_pages(AttentionCase& made) const {
    const std::int64_t each = pages_each(), pages = kRequests * each + 1;
    const Shape shape = {pages, family_.page_size, family_.key_value_heads, family_.dim};
    made.key_cache = numbers(3, stored(), shape, 1);
    made.value_cache = numbers(4, stored(), shape, 1, family_.data == AttentionData::same_sign);
    made.page_table = Tensor(DType::int32, {kRequests, each + 1});
    std::vector<std::int32_t> order(static_cast<std::size_t>(pages));
    std::iota(order.begin(), order.end(), 0);
    Random random = random_.split(5);
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    const auto table = made.page_table.as<std::int32_t>();
    for (std::int64_t at = 0; at < kRequests * (each + 1); ++at) {
      const std::int64_t request = at / (each + 1), page = at % (each + 1);
      std::int32_t& entry = table[static_cast<std::size_t>(at)];
      entry = page == each ? -1 : order[static_cast<std::size_t>(request * each + page)];
      if (family_.data == AttentionData::bad_pages && page % 3 == 1)
        entry = page % 2 == 0 ? -1 : static_cast<std::int32_t>(pages + page);
    }
    poison_page(made, order.back());
  }

  /// No page table holds it.
  void poison_page(AttentionCase& made, std::int32_t page) const {
    for (Tensor* cache : {&made.key_cache, &made.value_cache}) {
      const std::size_t bytes = cache->bytes.size() / static_cast<std::size_t>(cache->extent(0));
      std::fill_n(cache->bytes.begin() + static_cast<std::ptrdiff_t>(bytes) * page, bytes, std::byte{0xFF});
    }
  }

  std::int64_t count_of(std::int64_t row, Random& random) const {
    if (family_.data == AttentionData::nothing && row > 0) return 0;
    if (family_.data == AttentionData::one_token) return 1;
    if (family_.data == AttentionData::empty_rows && row % 2 == 1) return 0;
    if (row == 0) return family_.selected;
    return 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(family_.selected)));
  }

  void draw_selection(AttentionCase& made) const {
    made.selected_tokens = Tensor(DType::int32, {family_.rows, family_.selected});
    made.token_to_request = Tensor(DType::int32, {family_.rows});
    std::ranges::fill(made.selected_tokens.as<std::int32_t>(), -1);
    std::vector<std::int32_t> all(static_cast<std::size_t>(tokens()));
    for (std::int64_t row = 0; row < family_.rows; ++row) {
      Random random = random_.split(6).split(static_cast<std::uint64_t>(row));
      std::iota(all.begin(), all.end(), 0);
      const auto list = made.selected_tokens.as<std::int32_t>().subspan(
          static_cast<std::size_t>(row * family_.selected), static_cast<std::size_t>(family_.selected));
      const std::int64_t count = count_of(row, random);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        std::swap(all[i], all[i + random.below(all.size() - i)]);
        list[i] = all[i];
      }
      if (row % 2 == 0) std::sort(list.begin(), list.begin() + count);
      if (family_.data == AttentionData::nothing && row > 0)
        list[0] = static_cast<std::int32_t>(pages_each() * family_.page_size);
      const bool nobody = row % 7 == 5 || (family_.data == AttentionData::nothing && row % 3 == 2);
      made.token_to_request.as<std::int32_t>()[static_cast<std::size_t>(row)] =
          nobody ? (row % 2 == 0 ? -1 : kRequests) : static_cast<std::int32_t>(row % kRequests);
    }
  }

  /// The keys of every fourth token of a request are one key.
  void tie_maxima(AttentionCase& made) const {
    const std::size_t slot =
        static_cast<std::size_t>(family_.key_value_heads * family_.dim) * size_of(stored());
    const auto table = made.page_table.as<std::int32_t>();
    for (std::int64_t request = 0; request < kRequests; ++request) {
      const auto place = [&](std::int64_t token) {
        const auto at = static_cast<std::size_t>(request * (pages_each() + 1) + token / family_.page_size);
        return (static_cast<std::size_t>(table[at] * family_.page_size + token % family_.page_size)) * slot;
      };
      for (std::int64_t token = 4; token < tokens(); token += 4)
        std::copy_n(made.key_cache.bytes.begin() + static_cast<std::ptrdiff_t>(place(0)), slot,
                    made.key_cache.bytes.begin() + static_cast<std::ptrdiff_t>(place(token)));
    }
    // The first query head of every group is that key, three times over.
    const std::size_t row = static_cast<std::size_t>(family_.heads * family_.dim) * size_of(family_.storage);
    for (std::int64_t r = 0; r < family_.rows; ++r) {
      const std::int64_t request = r % kRequests;
      const std::int32_t page = table[static_cast<std::size_t>(request * (pages_each() + 1))];
      for (std::int64_t d = 0; d < family_.dim; ++d) {
        const double key = decode_element(stored(), made.key_cache.view().at(page, 0, 0, d));
        encode_element(family_.storage, 3 * key,
                       made.query.bytes.data() + static_cast<std::size_t>(r) * row +
                           static_cast<std::size_t>(d) * size_of(family_.storage));
      }
    }
  }

  const AttentionFamily& family_;
  Random random_;
};

}  // namespace

std::vector<AttentionFamily> attention_families() {
  using D = AttentionData;
  constexpr DType kHalf = DType::float16;
  return {
      {.name = "random"},
      {.name = "random-f16", .storage = kHalf, .heads = 8, .key_value_heads = 2},
      {.name = "random-64", .heads = 6, .key_value_heads = 3, .dim = 64, .page_size = 5},
      {.name = "full",
       .rows = 3,
       .heads = 24,
       .key_value_heads = 2,
       .dim = 256,
       .selected = 2051,
       .page_size = 784},
      {.name = "full-f16", .storage = kHalf, .rows = 2, .heads = 12, .dim = 256, .selected = 2051},
      {.name = "same_sign", .data = D::same_sign},
      {.name = "wide_scores", .data = D::wide_scores},
      {.name = "wide_scores-f16", .data = D::wide_scores, .storage = kHalf, .dim = 256},
      {.name = "tied_maxima", .data = D::tied_maxima},
      {.name = "empty_rows", .data = D::empty_rows, .gate = false},
      {.name = "nothing", .data = D::nothing},
      {.name = "one_token", .data = D::one_token, .storage = kHalf},
      {.name = "bad_pages", .data = D::bad_pages, .heads = 4, .dim = 64},
      {.name = "e4m3", .heads = 20, .key_value_heads = 2, .float8 = true},
      {.name = "e4m3-f16-256", .storage = kHalf, .dim = 256, .float8 = true},
  };
}

std::string text_of(const AttentionFamily& family, std::uint64_t seed) {
  return fmt::format(
      "attention:data={},dtype={},rows={},heads={},kv_heads={},dim={},selected={},page={},cache={},gate={},"
      "seed={}",
      name_of(family.data), name_of(family.storage), family.rows, family.heads, family.key_value_heads,
      family.dim, family.selected, family.page_size,
      name_of(family.float8 ? DType::float8_e4m3fn : family.storage), family.gate, seed);
}

AttentionCase make_attention_case(const AttentionFamily& family, std::uint64_t seed) {
  return Draw(family, seed).run();
}

}  // namespace plumbline
