#include "oracle/run/routes.h"

#include "fixtures/cases/case_spec.h"
#include "fixtures/error.h"
#include "gpu/dispatch/explain.h"
#include "gpu/dispatch/plan.h"
#include "gpu/dispatch/snapshot_diff.h"
#include "oracle/run/batch_from_case.h"
#include "oracle/run/forced_routes.h"

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// The dispatch knows std::invalid_argument alone.
template <class Function>
auto as_input_error(Function function) {
  try {
    return function();
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) throw InputError(path, "", "a readable file", "none");
  return text.str();
}

/// The whole text as a number.
bool parse_number(std::string_view text, std::int64_t& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

dispatch::TypedPolicy typed_policy(const std::vector<std::string>& assignments) {
  dispatch::TypedPolicy typed;
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    bool known = false;
    if (equals != std::string::npos && parse_number(std::string_view(text).substr(equals + 1), value)) {
      for (const dispatch::PolicyFieldInfo& info : dispatch::policy_fields()) {
        if (info.name != std::string_view(text).substr(0, equals)) continue;
        typed[info.field] = value;
        known = true;
      }
    }
    if (!known)
      throw InputError(
          fmt::format("policy '{}': expected FIELD=INTEGER, such as qsa_cublas_min_rows=64", text));
  }
  return typed;
}

void add_attention(dispatch::Batch& batch, const std::string& heads) {
  const std::size_t cross = heads.find('x');
  std::int64_t query = 0, kv = 0;
  if (cross == std::string::npos || !parse_number(std::string_view(heads).substr(0, cross), query) ||
      !parse_number(std::string_view(heads).substr(cross + 1), kv) || query < 1 || kv < 1) {
    throw InputError(fmt::format("attention '{}': expected QUERY_HEADSxKV_HEADS, such as 24x2", heads));
  }
  batch.attention = dispatch::make_attention(batch.rows(), query, kv, batch.requests());
}

}  // namespace

std::string explain_routes(const RoutesQuestion& question) {
  return as_input_error([&] {
    dispatch::PlanInput input;
    input.capability = dispatch::parse_capability(question.capability);
    input.gates = dispatch::gate_set(question.gates);
    input.policy = dispatch::Policy(typed_policy(question.policy), {}, true);
    input.forced = forced_routes(question.forced);
    input.batch = batch_of(parse_case(question.case_text));
    if (!question.attention.empty()) add_attention(input.batch, question.attention);
    return dispatch::explain(dispatch::make_plan(input));
  });
}

std::string snapshot_routes(const std::string& gates) {
  return as_input_error(
      [&] { return dispatch::to_json(dispatch::take_snapshot(dispatch::gate_set(gates))); });
}

dispatch::Snapshot read_snapshot(const std::string& path) {
  return as_input_error([&] { return dispatch::snapshot_from_json(read_file(path), path); });
}

RoutesDiff diff_routes(const std::string& before_path, const std::string& after_path,
                       const std::string& expected_path) {
  return as_input_error([&] {
    std::set<std::string> expected;
    if (!expected_path.empty())
      expected = dispatch::expected_from_json(read_file(expected_path), expected_path);
    const dispatch::SnapshotDiff result =
        dispatch::diff(dispatch::snapshot_from_json(read_file(before_path), before_path),
                       dispatch::snapshot_from_json(read_file(after_path), after_path), expected);
    return RoutesDiff{dispatch::to_text(result), result.clean()};
  });
}

}  // namespace plumbline
