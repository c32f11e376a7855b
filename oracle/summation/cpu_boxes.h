#pragma once

#include "fixtures/dtype.h"
#include "oracle/summation/sum_box.h"
#include "reference/summation/split_attention.h"
#include "reference/summation/split_plan.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumbline {

/// A box of any function of float32 terms, whose result it gives as it is.
std::unique_ptr<SumBox> function_box(std::string name, std::int64_t terms,
                                     std::function<double(std::span<const float>)> sum);

/// A split plan; its partials are float32.
std::unique_ptr<SumBox> plan_box(std::string name, SplitPlan plan);

/// P·V of an attention whose scores are all equal, over the tokens. A merge by log-sum-exps weighs splits of
/// different lengths by factors that round, so such masks leave a remainder and no tree is found.
std::unique_ptr<SumBox> attention_box(std::string name, SplitAttentionPlan plan);

/// The chain of a capability's tensor-core steps, as the model has it. Throws InputError for a capability or
/// type that is not known.
std::unique_ptr<SumBox> tensor_core_box(const std::string& capability, DType type, std::int64_t terms);

/// A box by name: "cpu:sequential", "cpu:pairwise", "cpu:lanes:8", "cpu:lanes:16" (the reference's loops),
/// "eigen:sum", "eigen:dot", "eigen:product", "reference:linear", "tensor_core:9.0[:bfloat16]",
/// "cpu-split:splits=8,partition=strided,local=lanes:8,merge=pairwise" and
/// "attention:splits=8,merge=sequential,by=running_maximum|log_sum_exp". Throws InputError.
std::unique_ptr<SumBox> cpu_box(const std::string& name, std::int64_t terms);
/// One of each.
std::vector<std::string> cpu_box_names();

}  // namespace plumbline
