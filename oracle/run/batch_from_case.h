#pragma once

#include "fixtures/attention_subject.h"
#include "fixtures/cases/case_spec.h"
#include "fixtures/subject.h"
#include "gpu/dispatch/batch.h"

namespace plumbline {

/// What the dispatch sees of a paged call: its shapes, types and strides, the host's lengths and query
/// starts, and each request's largest visible block count. Throws InputError for a type the dispatch does not
/// know.
dispatch::Batch batch_of(const PagedSelectInputs& inputs);

/// The same of sparse attention; an e4m3fn cache arrives as bytes.
dispatch::AttentionBatch batch_of(const AttentionInputs& inputs);

/// A paged case as it is generated. A case on logical blocks counts as one request on a single page of all
/// its blocks, every one of them visible to some row.
dispatch::Batch batch_of(const CaseSpec& spec);

/// A call on logical blocks: one request on a single page of all its blocks. Where only scores are given, its
/// query is the model's in shape and type.
dispatch::Batch batch_of(const SelectInputs& inputs);

}  // namespace plumbline
