#pragma once

#include "fixtures/indexer_subject.h"
#include "reference/model/indexer_config.h"
#include "reference/model/qsa_indexer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// One layer's indexer: the subject's form of it and the reference's, which rounds as `profile` says.
class TrialIndexer {
 public:
  TrialIndexer(const IndexerConfig& config, const IndexerWeights& weights, const RoundingProfile& profile);
  TrialIndexer(const TrialIndexer&) = delete;
  TrialIndexer& operator=(const TrialIndexer&) = delete;

  const IndexerModel& model() const { return model_; }
  const QsaIndexer& reference() const { return reference_; }
  std::int64_t heads() const { return model_.geometry.index_heads; }
  std::int64_t dim() const { return model_.geometry.index_head_dim; }
  std::int64_t width() const { return (heads() + 1) * dim(); }

 private:
  QsaIndexer reference_;
  Tensor query_norm_, key_norm_, frequencies_;
  IndexerModel model_;
};

/// A request's tokens: what its projection gave, and where they stand.
struct TrialRequest {
  Tensor projected;  ///< [tokens, width]
  std::vector<Coordinates> coordinates;
  std::int64_t tokens() const { return projected.extent(0); }
};

/// Adjacent tokens of one request in one step. Drafts carry NaN and are to leave no trace.
struct TrialPart {
  std::int64_t request = 0, first = 0, count = 0;
  std::int64_t drafts = 0;  ///< rows behind `count`, at the next places
};
using TrialStep = std::vector<TrialPart>;

/// Where compressed keys lie: pages of `page_size` in a permuted order, `width` table entries a request.
struct TrialPages {
  Tensor table;  ///< [requests, width] int32
  std::int64_t pages = 0, page_size = 0;
};
/// Room for every request's blocks and none more; with `unmapped`, every third page of a request is -1.
TrialPages lay_out(const std::vector<TrialRequest>& requests, std::int64_t ratio, std::int64_t page_size,
                   bool unmapped);

/// What a subject left behind after some steps.
struct TrialOutcome {
  std::vector<Tensor> queries;  ///< per request [tokens, heads, dim]
  Tensor keys, ring;
};
/// Puts the steps to a subject, behind each of them `padded_rows` rows of padding full of NaN. Throws
/// InputError where a padded row's queries were written.
TrialOutcome drive(IndexerSubject& subject, const TrialIndexer& indexer,
                   const std::vector<TrialRequest>& requests, const TrialPages& pages, std::int64_t ring_rows,
                   const std::vector<TrialStep>& steps, std::int64_t padded_rows);

/// How an outcome compares with the reference.
struct TrialTally {
  std::int64_t elements = 0, bit_equal = 0, beyond = 0;  ///< of queries and complete blocks' keys
  double largest_share = 0;                              ///< largest |found − ours| / bound
  std::int64_t stray = 0;       ///< slots of the store that were written and belong to nothing
  std::int64_t ring_wrong = 0;  ///< ring slots that do not hold their last token's raw key
  std::string first;            ///< where the first fault is

  void merge(const TrialTally& other);
  bool right() const { return beyond == 0 && stray == 0 && ring_wrong == 0; }
  std::string words() const;
};
/// Adds elements of a storage type, found where `ours` expects them.
void compare_elements(const BoundedTensor& ours, const std::byte* found, const std::string& what,
                      TrialTally& tally);
/// Every token of every request has been taken in.
TrialTally compare(const TrialIndexer& indexer, const std::vector<TrialRequest>& requests,
                   const TrialPages& pages, std::int64_t ring_rows, const TrialOutcome& outcome);

}  // namespace plumbline
