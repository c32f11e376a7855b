#include "oracle/judge/contract.h"

namespace plumbline {

std::string_view name_of(Contract contract) {
  switch (contract) {
    case Contract::within_error:
      return "within_error";
    case Contract::set_exact:
      return "set_exact";
    case Contract::tie_rule_set:
      return "tie_rule_set";
    case Contract::canonical:
      return "canonical";
  }
  return "?";
}

std::optional<Contract> contract_from(std::string_view name) {
  for (const Contract contract :
       {Contract::within_error, Contract::set_exact, Contract::tie_rule_set, Contract::canonical}) {
    if (name == name_of(contract)) return contract;
  }
  return std::nullopt;
}

bool binds_selector(Contract contract) { return contract != Contract::within_error; }

bool breaks(Contract contract, Verdict verdict) {
  const bool wrong = verdict == Verdict::structural || verdict == Verdict::value_error;
  switch (contract) {
    case Contract::within_error:
    case Contract::set_exact:
      return wrong;
    case Contract::tie_rule_set:
      return wrong || verdict == Verdict::tie_only;
    case Contract::canonical:
      return verdict != Verdict::canonical;
  }
  return true;
}

}  // namespace plumbline
