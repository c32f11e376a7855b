#include "fixtures/cases/generate.h"
#include "oracle/run/judge_case.h"
#include "oracle/selftest/accusations.h"
#include "oracle/selftest/mutant.h"
#include "reference/select/reference_subject.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

// Paged selections that are right for inputs a little different from the given ones, or written out wrongly.
namespace plumbline::selftest {
namespace {

struct PagedFault {
  std::string id, hazard, about, check;
  std::function<void(GeneratedPaged&)> mistake;                               ///< in what is read
  std::function<void(const GeneratedPaged&, PagedSelectOutputs&)> slip = {};  ///< in what is written
};

std::span<std::int32_t> table_row(GeneratedPaged& data, std::int64_t request) {
  const std::int64_t width = data.page_table.extent(1);
  return data.page_table.as<std::int32_t>().subspan(static_cast<std::size_t>(request * width),
                                                    static_cast<std::size_t>(width));
}

void move_positions(GeneratedPaged& data, std::int64_t by) {
  const auto moved = [&]<typename T>(std::span<T> positions) {
    for (T& position : positions)
      if (position >= 0) position = static_cast<T>(std::max<std::int64_t>(0, position + by));
  };
  if (data.query_positions.dtype == DType::int64) {
    moved(data.query_positions.as<std::int64_t>());
  } else {
    moved(data.query_positions.as<std::int32_t>());
  }
}

void table_of_the_first_request(GeneratedPaged& data) {
  for (std::int64_t request = 1; request < data.page_table.extent(0); ++request)
    std::ranges::copy(table_row(data, 0), table_row(data, request).begin());
}

void next_page(GeneratedPaged& data) {
  const auto pages = static_cast<std::int32_t>(data.index_key_cache.extent(0));
  for (std::int32_t& page : data.page_table.as<std::int32_t>())
    if (page >= 0) page = (page + 1) % pages;
}

void pages_of_half_the_size(GeneratedPaged& data) {
  for (std::int64_t request = 0; request < data.page_table.extent(0); ++request) {
    const std::span<std::int32_t> row = table_row(data, request);
    for (std::size_t entry = row.size(); entry-- > 1;)
      if (row[entry] >= 0) row[entry] = row[entry / 2];
  }
}

void unmapped_is_page_0(GeneratedPaged& data) {
  for (std::int32_t& page : data.page_table.as<std::int32_t>()) page = std::max(page, 0);
}

void padded_row_of_request_0(GeneratedPaged& data) {
  for (std::int32_t& request : data.token_to_request.as<std::int32_t>()) request = std::max(request, 0);
  const auto made_live = []<typename T>(std::span<T> positions) {
    for (T& position : positions) position = std::max<T>(position, 0);
  };
  if (data.query_positions.dtype == DType::int64) {
    made_live(data.query_positions.as<std::int64_t>());
  } else {
    made_live(data.query_positions.as<std::int32_t>());
  }
}

std::span<std::int32_t> token_row(PagedSelectOutputs& outputs, std::int64_t row) {
  const std::int64_t width = outputs.selected_tokens.extent(1);
  return outputs.selected_tokens.as<std::int32_t>().subspan(static_cast<std::size_t>(row * width),
                                                            static_cast<std::size_t>(width));
}

/// The tokens a row has, without the -1 behind them.
std::span<std::int32_t> tokens_of(PagedSelectOutputs& outputs, std::int64_t row) {
  const std::span<std::int32_t> all = token_row(outputs, row);
  return all.first(static_cast<std::size_t>(std::ranges::find(all, -1) - all.begin()));
}

void each_row(const GeneratedPaged& data, PagedSelectOutputs& outputs,
              const std::function<void(std::span<std::int32_t> tokens, std::int64_t ratio)>& change) {
  for (std::int64_t row = 0; row < outputs.selected_tokens.extent(0); ++row)
    change(tokens_of(outputs, row), data.geometry.compress_ratio);
}

void tail_left_out(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  each_row(data, outputs, [](std::span<std::int32_t> tokens, std::int64_t ratio) {
    for (std::size_t i = tokens.size() / static_cast<std::size_t>(ratio) * static_cast<std::size_t>(ratio);
         i < tokens.size(); ++i)
      tokens[i] = -1;
  });
}

void newest_block_forced(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  each_row(data, outputs, [](std::span<std::int32_t> tokens, std::int64_t ratio) {
    const auto step = static_cast<std::size_t>(ratio);
    const std::size_t open = tokens.size() % step, whole = tokens.size() - open;
    if (whole < step || open == 0) return;
    const std::int32_t newest = tokens[whole] - static_cast<std::int32_t>(ratio);
    for (std::size_t i = 0; i < step; ++i) tokens[whole - step + i] = newest + static_cast<std::int32_t>(i);
  });
}

void descending_within_a_block(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  each_row(data, outputs, [](std::span<std::int32_t> tokens, std::int64_t ratio) {
    const auto step = static_cast<std::size_t>(ratio);
    for (std::size_t i = 0; i + step <= tokens.size(); i += step)
      std::ranges::reverse(tokens.subspan(i, step));
  });
}

void block_cut_at_the_budget(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  each_row(data, outputs, [](std::span<std::int32_t> tokens, std::int64_t ratio) {
    const auto step = static_cast<std::size_t>(ratio);
    if (tokens.size() >= 2 * step) tokens[step - 1] = tokens[2 * step - 1];
  });
}

void physical_tokens(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  for (std::int64_t row = 0; row < outputs.selected_tokens.extent(0); ++row) {
    const std::int32_t request = data.token_to_request.as<std::int32_t>()[static_cast<std::size_t>(row)];
    if (request <= 0) continue;
    for (std::int32_t& token : tokens_of(outputs, row)) token += request * 16;
  }
}

void padding_of_zeros(const GeneratedPaged&, PagedSelectOutputs& outputs) {
  for (std::int32_t& token : outputs.selected_tokens.as<std::int32_t>()) token = std::max(token, 0);
}

void padded_rows_unwritten(const GeneratedPaged& data, PagedSelectOutputs& outputs) {
  const std::int64_t requests = data.page_table.extent(0);
  for (std::int64_t row = 0; row < outputs.selected_tokens.extent(0); ++row) {
    const std::int32_t request = data.token_to_request.as<std::int32_t>()[static_cast<std::size_t>(row)];
    if (request < 0 || request >= requests) std::ranges::fill(token_row(outputs, row), 0);
  }
}

void selection_shifted_by_a_row(const GeneratedPaged&, PagedSelectOutputs& outputs) {
  std::ranges::rotate(outputs.selected_tokens.as<std::int32_t>(),
                      outputs.selected_tokens.as<std::int32_t>().begin() + outputs.selected_tokens.extent(1));
}

std::vector<PagedFault> paged_faults() {
  return {
      {"table_of_the_first_request", "CASES C8", "every request reads the first one's pages", "value",
       table_of_the_first_request},
      {"next_page", "ROUTES §5.1", "the page after the mapped one", "value", next_page},
      {"pages_of_half_the_size", "ROUTES §5.1", "page numbers in units of half a page", "value",
       pages_of_half_the_size},
      {"unmapped_is_page_0", "CASES C5", "an unmapped page is read as page 0", "value", unmapped_is_page_0},
      {"padded_row_of_request_0", "CASES D14", "a padded row counts as one of request 0", "structure",
       padded_row_of_request_0},
      {"sees_the_next_block", "MODEL §2", "positions are a block too high", "structure",
       [](GeneratedPaged& data) { move_positions(data, data.geometry.compress_ratio); }},
      {"sees_a_block_less", "MODEL §2", "positions are a block too low", "structure",
       [](GeneratedPaged& data) { move_positions(data, -data.geometry.compress_ratio); }},
      {"position_counts_from_1", "ROUTES §5.3", "positions are one too high", "structure",
       [](GeneratedPaged& data) { move_positions(data, 1); }},
      {"tail_left_out",
       "ROUTES §5.3",
       "the open group's tokens are left out",
       "structure",
       {},
       tail_left_out},
      {"newest_block_forced",
       "ROUTES §5.3",
       "the newest complete block takes the last slot",
       "value",
       {},
       newest_block_forced},
      {"descending_within_a_block",
       "ROUTES §5.2",
       "a block's tokens in descending order",
       "structure",
       {},
       descending_within_a_block},
      {"block_cut_at_the_budget",
       "CASES B5, B6",
       "part of a block is taken",
       "structure",
       {},
       block_cut_at_the_budget},
      {"tokens_of_the_batch",
       "TOPK T21",
       "tokens count from the batch's start, not the request's",
       "structure",
       {},
       physical_tokens},
      {"padding_of_zeros", "CASES D6", "-1 is written as token 0", "structure", {}, padding_of_zeros},
      {"padded_rows_unwritten",
       "CASES D14",
       "a padded row keeps what was there",
       "structure",
       {},
       padded_rows_unwritten},
      {"shifted_by_a_row",
       "CASES F2",
       "a row's tokens are the next row's",
       "structure",
       {},
       selection_shifted_by_a_row},
  };
}

struct PagedCase {
  std::string name;
  GeneratedPaged data;
};

/// Pages, requests and lengths in every form, with and without ties.
constexpr const char* kFamilies[] = {"relu",           "ties",        "garbage_tail", "length_edges",
                                     "short_contexts", "paged_holes", "padded_rows",  "nan_keys"};

std::vector<PagedCase> paged_cases(std::uint64_t seed_shift) {
  std::vector<PagedCase> cases;
  for (const DataFamily& family : data_families()) {
    const CaseSpec first = parse_case(family.default_case);
    if (first.kind != CaseSpec::Kind::paged && family.paged_case.empty()) continue;
    CaseSpec spec = first.kind == CaseSpec::Kind::paged ? first : parse_case(family.paged_case);
    if (std::ranges::find(kFamilies, family.name) == std::end(kFamilies)) continue;
    if (family.name != "padded_rows") spec.rows = std::min<std::int64_t>(spec.rows, 24);
    spec.seed += seed_shift;
    cases.push_back({family.name, generate_paged(spec)});
  }
  return cases;
}

Trial try_paged(const PagedFault& fault, const std::vector<PagedCase>& cases) {
  Trial trial;
  for (const PagedCase& one : cases) {
    GeneratedPaged read = one.data;
    if (fault.mistake) fault.mistake(read);
    ReferenceSubject reference;
    PagedSelectOutputs outputs = reference.select_paged(read.inputs());
    if (fault.slip) fault.slip(one.data, outputs);
    outputs.selected_blocks.reset();
    outputs.block_scores.reset();
    JudgeOptions options;
    options.contract = Contract::canonical;
    options.max_witnesses = 1;
    const JudgedSelection judged = judge_outputs(one.data.inputs(), outputs, options).tokens;
    trial.cases += judged.rows;
    const std::string what = fmt::format("{}: {}", one.name, judged.reason);
    accuse_by_verdict(trial, judged.end_to_end ? judged.end_to_end : judged.selector, what);
    if (judged.token_faults && judged.token_faults->total() > 0) accuse(trial, "structure", what);
  }
  return trial;
}

}  // namespace

Suite paged_suite() {
  Suite suite;
  suite.name = "paged";
  suite.checks = {"structure", "value", "ties", "order"};
  const auto faults = std::make_shared<const std::vector<PagedFault>>(paged_faults());
  for (const PagedFault& fault : *faults)
    suite.mutants.push_back({"paged." + fault.id, fault.hazard, fault.about, fault.check});
  const auto cases = std::make_shared<std::map<std::uint64_t, std::vector<PagedCase>>>();
  suite.run = [faults, cases](std::string_view id, std::uint64_t seed_shift) {
    if (!cases->contains(seed_shift)) {
      cases->clear();
      (*cases)[seed_shift] = paged_cases(seed_shift);
    }
    const auto found =
        std::ranges::find_if(*faults, [&](const PagedFault& fault) { return "paged." + fault.id == id; });
    return try_paged(found == faults->end() ? PagedFault{} : *found, cases->at(seed_shift));
  };
  return suite;
}

}  // namespace plumbline::selftest
