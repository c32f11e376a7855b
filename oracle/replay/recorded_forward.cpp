#include "oracle/replay/recorded_forward.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/bounded.h"

#include <algorithm>

#include <fmt/format.h>

namespace plumbline {
namespace {

double number_at(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype == DType::int64)
    return static_cast<double>(tensor.as<std::int64_t>()[static_cast<std::size_t>(index)]);
  if (tensor.dtype == DType::int32) return tensor.as<std::int32_t>()[static_cast<std::size_t>(index)];
  if (tensor.dtype == DType::uint8) return tensor.as<std::uint8_t>()[static_cast<std::size_t>(index)];
  return decode_element(tensor.dtype,
                        tensor.bytes.data() + index * static_cast<std::int64_t>(size_of(tensor.dtype)));
}

}  // namespace

RecordedForward::RecordedForward(const ModelCapture& capture, const ModelCapture::Forward& forward)
    : capture_(&capture), forward_(&forward) {
  const Tensor* mask = has("attention_mask") ? &tensor("attention_mask") : nullptr;
  const std::int64_t all = forward.position + forward.tokens;
  for (std::int64_t batch = 0; batch < forward.batch; ++batch) {
    std::int64_t padded = 0;
    if (mask != nullptr) {
      while (padded < all && mask->as<std::int64_t>()[static_cast<std::size_t>(batch * all + padded)] == 0)
        ++padded;
    }
    const std::int64_t first = std::max<std::int64_t>(0, padded - forward.position);
    sequences_.push_back({batch, std::min(first, forward.tokens),
                          std::max<std::int64_t>(0, forward.tokens - first),
                          std::max<std::int64_t>(0, forward.position - padded), padded});
  }
}

Rows<double> RecordedForward::live_rows(const std::string& dataset, const LiveTokens& live,
                                        std::int64_t split) const {
  const Tensor& source = tensor(dataset);
  const std::int64_t all_tokens = forward_->batch * forward_->tokens;
  const std::int64_t total = element_count(source.shape);
  if (all_tokens == 0 || total % (all_tokens * split) != 0) {
    throw InputError(capture_->info().path, "/forward/" + name() + "/" + dataset, "one row a token",
                     to_string(source.shape));
  }
  const std::int64_t per_token = total / all_tokens;
  Rows<double> rows(live.count * split, per_token / split);
  const std::int64_t start = (live.batch * forward_->tokens + live.first) * per_token;
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    rows.numbers[i] = number_at(source, start + static_cast<std::int64_t>(i));
  }
  return rows;
}

Rows<double> RecordedForward::whole(const std::string& dataset, std::int64_t batch,
                                    std::int64_t row_count) const {
  const Tensor& source = tensor(dataset);
  const std::int64_t total = element_count(source.shape), pieces = forward_->batch * row_count;
  if (pieces == 0 || total % pieces != 0 || batch >= forward_->batch) {
    throw InputError(capture_->info().path, "/forward/" + name() + "/" + dataset,
                     fmt::format("{} rows of batch row {}", row_count, batch), to_string(source.shape));
  }
  const std::int64_t per_batch = total / forward_->batch;
  Rows<double> rows(row_count, per_batch / row_count);
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    rows.numbers[i] = number_at(source, batch * per_batch + static_cast<std::int64_t>(i));
  }
  return rows;
}

const Tensor& RecordedForward::tensor(const std::string& dataset) const {
  auto found = tensors_.find(dataset);
  if (found == tensors_.end()) {
    if (!has(dataset))
      throw MissingDataset(capture_->info().path, "/forward/" + name() + "/" + dataset, "a dataset", "none");
    found = tensors_.emplace(dataset, capture_->read(*forward_, dataset)).first;
  }
  return found->second;
}

std::vector<std::int64_t> RecordedForward::tokens(const LiveTokens& live) const {
  const Tensor& ids = tensor("input_ids");
  const auto row =
      ids.as<std::int64_t>().subspan(static_cast<std::size_t>(live.batch * forward_->tokens + live.first),
                                     static_cast<std::size_t>(live.count));
  return {row.begin(), row.end()};
}

std::vector<Coordinates> RecordedForward::coordinates(const LiveTokens& live) const {
  std::vector<Coordinates> all;
  const Tensor* ids = has("position_ids") ? &tensor("position_ids") : nullptr;
  for (std::int64_t t = 0; t < live.count; ++t) {
    const std::int64_t token = live.first + t;
    if (ids == nullptr) {
      all.push_back(Coordinates::text(forward_->position + token));
      continue;
    }
    const auto axis = [&](std::int64_t index) {
      return ids->as<std::int64_t>()[static_cast<std::size_t>(
          (index * forward_->batch + live.batch) * forward_->tokens + token)];
    };
    all.push_back({axis(1), axis(2), axis(3)});
  }
  return all;
}

Rows<Bounded> exact_rows(const Rows<double>& values) {
  Rows<Bounded> rows(values.rows, values.width);
  for (std::size_t i = 0; i < values.numbers.size(); ++i) rows.numbers[i] = {values.numbers[i], 0};
  return rows;
}

}  // namespace plumbline
