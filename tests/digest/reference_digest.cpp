// Prints one SHA-256 per part of the reference, over inputs from written seeds. Builds by other compilers,
// for other instruction sets and with other thread counts must print the same lines.

#include "fixtures/cases/case_spec.h"
#include "fixtures/cases/generate.h"
#include "fixtures/cases/random.h"
#include "fixtures/sha256.h"
#include "fixtures/small_float.h"
#include "reference/model/index_key_cache.h"
#include "reference/model/qsa_indexer.h"
#include "reference/numeric/exact_dot.h"
#include "reference/select/certified_select.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

template <typename T>
void feed(Sha256& sum, const std::vector<T>& values) {
  sum.update(std::as_bytes(std::span(values)));
}

void feed(Sha256& sum, const BoundedTensor& tensor) {
  sum.update(tensor.tensor.bytes);
  feed(sum, tensor.error);
}

void feed(Sha256& sum, const ExactScore& score) {
  const std::string text = score.to_string();
  sum.update(std::as_bytes(std::span(text)));
}

void feed(Sha256& sum, const CertifiedRow& row) {
  feed(sum, row.blocks);
  feed(sum, std::vector<std::int64_t>{row.visible, row.selects, row.tied_at_cutoff, row.tie_class_size,
                                      row.tie_class_selected, row.zero_plateau});
  feed(sum, row.cutoff);
  feed(sum, row.runner_up);
}

Tensor normal_tensor(DType type, const Shape& shape, Random random) {
  Tensor tensor(type, shape);
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size_of(type))
    encode_element(type, random.normal(), tensor.bytes.data() + at);
  return tensor;
}

// Norm, RoPE, pooling, exact scores and the selection, rounded as one engine rounds.
std::string indexer_digest(const RoundingProfile& profile, DType storage) {
  constexpr std::int64_t kTokens = 600;
  IndexerConfig config;
  config.geometry = {4, 64, 4, 32};
  config.storage = storage;
  config.rotary_dim = 32;
  config.sections = {8, 4, 4};
  const Random random(20260729);
  const auto norm_weights = [&](std::uint64_t stream) {
    Random weights = random.split(stream);
    std::vector<double> norm(static_cast<std::size_t>(config.geometry.index_head_dim));
    for (double& weight : norm) weight = round_to(storage, 0.1 * weights.normal());
    return norm;
  };
  const QsaIndexer indexer(
      config,
      {norm_weights(1), norm_weights(2),
       default_frequencies(1e7, config.rotary_dim, config.sections, EngineArithmetic(profile, storage))},
      profile);

  std::vector<Coordinates> coordinates;
  Random image = random.split(3);
  for (std::int64_t token = 0; token < kTokens; ++token)
    coordinates.push_back({token, token + static_cast<std::int64_t>(image.below(9)), 3 * token});
  const Tensor projected = normal_tensor(storage, {kTokens, 4, 64}, random.split(4));
  const Tensor raw_keys = normal_tensor(storage, {kTokens, 64}, random.split(5));
  const BoundedTensor queries = indexer.queries(projected.view(), coordinates);
  IndexKeyCache cache(indexer);
  cache.append(raw_keys.view(), coordinates);
  const BoundedTensor keys = cache.keys();

  Tensor visible(DType::int32, {kTokens});
  for (std::int64_t token = 0; token < kTokens; ++token)
    visible.as<std::int32_t>()[static_cast<std::size_t>(token)] = static_cast<std::int32_t>((token + 1) / 4);
  SelectInputs inputs;
  inputs.geometry = config.geometry;
  inputs.rows = kTokens;
  inputs.blocks = cache.blocks();
  inputs.index_query = queries.tensor.view();
  inputs.index_key = keys.tensor.view();
  inputs.visible_blocks = visible.view();

  Sha256 sum;
  feed(sum, queries);
  feed(sum, keys);
  const CertifiedSelector selector(inputs);
  selector.rows([&](std::int64_t row, const std::optional<CertifiedRow>& certified) {
    if (certified) feed(sum, *certified);
    feed(sum, selector.score(row, row % inputs.blocks));
    feed(sum, std::vector<double>{selector.magnitude(row, row % inputs.blocks)});
  });
  return sum.finish();
}

std::string family_digest(const DataFamily& family) {
  const CaseSpec spec = parse_case(family.default_case);
  ReferenceSubject reference;
  Sha256 sum;
  if (spec.kind == CaseSpec::Kind::paged) {
    const GeneratedPaged generated = generate_paged(spec);
    sum.update(generated.index_key_cache.bytes);
    sum.update(reference.select_paged(generated.inputs()).selected_tokens.bytes);
  } else {
    const GeneratedSelect generated = generate_select(spec);
    for (const auto& tensor : {generated.index_query, generated.index_key, generated.scores})
      if (tensor) sum.update(tensor->bytes);
    sum.update(reference.select(generated.inputs()).blocks.bytes);
  }
  return sum.finish();
}

void print_all() {
  for (const RoundingProfile& profile : rounding_profiles())
    for (const DType storage : {DType::float32, DType::float16, DType::bfloat16})
      fmt::print("{} indexer/{}/{}\n", indexer_digest(profile, storage), profile.name, name_of(storage));
  for (const DataFamily& family : data_families())
    fmt::print("{} selection/{}\n", family_digest(family), family.name);
}

}  // namespace
}  // namespace plumbline

int main() { plumbline::print_all(); }
