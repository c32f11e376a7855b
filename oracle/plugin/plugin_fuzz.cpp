#include "oracle/plugin/plugin_fuzz.h"

#include "fixtures/cases/random.h"
#include "fixtures/error.h"
#include "oracle/plugin/draw_case.h"
#include "oracle/plugin/plugin_case.h"
#include "oracle/plugin/score_bound.h"
#include "oracle/plugin/shrink.h"
#include "oracle/plugin/tally.h"
#include "oracle/run/family_cases.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

using Clock = std::chrono::steady_clock;

struct FamilyRun {
  FamilyCase family;
  PluginTally tally;
  std::optional<CaseSpec> failing;  ///< shrunk by its sizes
};

class Fuzzing {
 public:
  Fuzzing(std::shared_ptr<PluginProcess> process, const PluginFuzzOptions& options)
      : subject_(std::move(process)), options_(options), trial_(subject_, options.trial) {
    const PluginFacts& facts = subject_.process().facts();
    const bool on_blocks =
        facts.offers_operation(PluginOperation::select) || facts.offers_operation(PluginOperation::score);
    for (FamilyCase& one : family_cases(options.seed)) {
      const bool paged = one.spec.kind == CaseSpec::Kind::paged;
      if (paged ? !facts.offers_operation(PluginOperation::select_paged) : !on_blocks) continue;
      // "generated/ties" is a name of `verify`.
      one.name = (paged ? "paged/" : "select/") + one.spec.family;
      if (options.wanted && !options.wanted(one.name)) continue;
      CheckResult check;
      check.name = one.name;
      check.kind = CheckKind::generated;
      check.subject = subject_.name();
      check.source = format_case(one.spec);
      families_.push_back({std::move(one), PluginTally(std::move(check)), std::nullopt});
    }
  }

  PluginFuzzResult run() {
    draw_all();
    PluginFuzzResult result;
    result.failing_case = write_smallest();
    result.cases = cases_;
    result.run.machine = this_machine();
    for (FamilyRun& one : families_) result.run.checks.push_back(one.tally.finish());
    return result;
  }

 private:
  MoreTime until(std::chrono::duration<double> length) const {
    return [end = Clock::now() + std::chrono::duration_cast<Clock::duration>(length)] {
      return Clock::now() < end;
    };
  }

  void draw_all() {
    const MoreTime more_time = until(options_.budget);
    for (std::int64_t round = 0; options_.rounds < 0 || round < options_.rounds; ++round) {
      bool any = false;
      for (std::size_t i = 0; i < families_.size(); ++i) {
        if (families_[i].failing) continue;
        if (!more_time()) return;
        any = true;
        const Random random = Random(options_.seed).split(i).split(static_cast<std::uint64_t>(round));
        const CaseSpec& base = families_[i].family.spec;
        put(families_[i], round == 0 ? base : draw_case(base, round % 4 == 1, random));
      }
      if (!any) return;
    }
  }

  void put(FamilyRun& one, const CaseSpec& spec) {
    if (options_.before) options_.before(one.family.name);
    const auto start = Clock::now();
    PluginOutcome outcome;
    try {
      outcome = judge_spec(trial_, spec);
    } catch (const InputError&) {
      return;  // the draw does not suit the family
    }
    ++cases_;
    one.tally.add(outcome, std::chrono::duration<double>(Clock::now() - start).count());
    if (!outcome.finding) return;
    const PluginProperty property = outcome.finding->property;
    one.failing = shrink_spec(
        spec, [&](const CaseSpec& smaller) { return same_fault(judge_spec(trial_, smaller), property); },
        until(options_.budget / 6));
    const PluginOutcome smallest = judge_spec(trial_, *one.failing);
    one.tally.fail(same_fault(smallest, property) ? smallest : outcome, format_case(*one.failing));
    one.tally.repro(options_.repro(format_case(*one.failing)));
  }

  static std::int64_t size_of_case(const FamilyRun& one) {
    return one.failing->rows * one.failing->blocks * (one.failing->kind == CaseSpec::Kind::paged ? 4 : 1);
  }

  std::string write_smallest() {
    FamilyRun* smallest = nullptr;
    for (FamilyRun& one : families_)
      if (one.failing && (smallest == nullptr || size_of_case(one) < size_of_case(*smallest)))
        smallest = &one;
    if (smallest == nullptr) return {};
    const CaseSpec& spec = *smallest->failing;
    const std::string name = format_case(spec);
    if (spec.kind == CaseSpec::Kind::paged) {
      const GeneratedPaged generated = generate_paged(spec);
      write_failing_case(generated.inputs(), subject_, contract(false), name, options_.failing_file);
      smallest->tally.repro(options_.repro(options_.failing_file));
      return fmt::format("{} rows, {} blocks, k = {}", spec.rows, spec.blocks, spec.geometry.block_topk);
    }
    return write_shrunk(*smallest, name);
  }

  std::string write_shrunk(FamilyRun& one, const std::string& name) {
    const PluginProperty property = one.tally.property();
    GeneratedSelect data = generate_select(*one.failing);
    const bool scorer =
        subject_.process().facts().offers_operation(PluginOperation::score) && data.index_query;
    if (!scorer) {
      if (!data.scores) data.scores = plain_scores(data.inputs());
      data.index_query.reset();
      data.index_key.reset();
      data.padded_query.reset();
      data.padded_key.reset();
    }
    const auto still_fails = [&](const GeneratedSelect& smaller) {
      return same_fault(trial_.judge(smaller.inputs()), property);
    };
    // What fails by its layout alone keeps it.
    GeneratedSelect shrunk = shrink_data(std::move(data), still_fails, until(options_.budget / 3));
    const PluginOutcome outcome = trial_.judge(shrunk.inputs());
    if (same_fault(outcome, property)) one.tally.fail(outcome, name);
    write_failing_case(shrunk.inputs(), subject_, contract(true), name, options_.failing_file);
    one.tally.repro(options_.repro(options_.failing_file));
    return fmt::format("{} rows, {} blocks, k = {}", shrunk.rows, shrunk.blocks, shrunk.geometry.block_topk);
  }

  Contract contract(bool on_scores) { return trial_.contract(on_scores); }

  PluginSubject subject_;
  const PluginFuzzOptions& options_;
  PluginTrial trial_;
  std::vector<FamilyRun> families_;
  std::int64_t cases_ = 0;
};

}  // namespace

PluginFuzzResult fuzz_plugin(std::shared_ptr<PluginProcess> process, const PluginFuzzOptions& options) {
  return Fuzzing(std::move(process), options).run();
}

}  // namespace plumbline
