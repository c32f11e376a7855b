#pragma once

#include "fixtures/subject.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumbline {

/// Throws InputError unless the shapes and types of a scored selection fit together (see CertifiedSelector).
void require_scored_selection(const SelectInputs& inputs, std::span<const std::uint8_t> key_valid);

/// clamp(visible_blocks[row], 0, blocks).
std::int64_t visible_of(const SelectInputs& inputs, std::int64_t row);
std::int64_t largest_visible(const SelectInputs& inputs);

TensorView query_of(const SelectInputs& inputs, std::int64_t row);  ///< [heads, dim]
TensorView key_of(const SelectInputs& inputs, std::int64_t block);  ///< [dim]

/// The query of a row as float32 [heads, dim] (exact); nullopt when an element is not finite.
std::optional<std::vector<float>> finite_query(const SelectInputs& inputs, std::int64_t row);

}  // namespace plumbline
