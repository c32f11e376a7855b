#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "oracle/judge/verdict.h"

namespace plumbline {

/// What a subject promises (DESIGN.md, Words). Which judgement binds and which verdicts break it:
enum class Contract : std::uint8_t {
  within_error,  ///< end to end (selector where there is no query and key): structural, value_error
  set_exact,     ///< selector: structural, value_error
  tie_rule_set,  ///< selector: those and tie_only
  canonical,     ///< selector: everything but canonical
};
std::string_view name_of(Contract contract);
std::optional<Contract> contract_from(std::string_view name);

/// Which judgement a contract is checked on when both exist.
bool binds_selector(Contract contract);
bool breaks(Contract contract, Verdict verdict);

}  // namespace plumbline
