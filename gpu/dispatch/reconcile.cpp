#include "gpu/dispatch/reconcile.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace plumbline::dispatch {
namespace {

std::string count_text(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class Reconciler {
 public:
  Reconciler(const PlannedCall& planned, const CallTrace& seen) : planned_(planned), seen_(seen) {}

  Reconciliation run() {
    if (!seen_.tags && !seen_.records)
      miss("no witness: device tags are compiled out and no profiler watches");
    count_tags();
    count_records();
    for (const PlannedLaunch& launch : planned_.launches) check(launch);
    compare_witnesses();
    return std::move(result_);
  }

 private:
  void miss(std::string line) {
    if (std::find(result_.misses.begin(), result_.misses.end(), line) == result_.misses.end())
      result_.misses.push_back(std::move(line));
  }

  const PlannedLaunch* planned(Kernel kernel, const Route* route) const {
    for (const PlannedLaunch& launch : planned_.launches) {
      if (launch.kernel == kernel && (route == nullptr || launch.route == *route)) return &launch;
    }
    return nullptr;
  }

  RouteHit& hit(Route route) {
    for (RouteHit& one : result_.hits) {
      if (one.route == route) return one;
    }
    return result_.hits.emplace_back(RouteHit{route, 0, 0, {}});
  }

  void count_tags() {
    if (!seen_.tags) return;
    for (const TagHit& tag : *seen_.tags) {
      const Route route = operation_of(tag.route);
      if (tag.nonce != planned_.nonce) {
        miss(fmt::format("wrong nonce: {} of {} ran for plan {:016x}, not for {:016x}", name_of(tag.kernel),
                         name_of(tag.route), tag.nonce, planned_.nonce));
      } else if (planned(tag.kernel, &route) == nullptr) {
        miss(fmt::format("hit without a plan: {} of {} tagged itself", name_of(tag.kernel),
                         name_of(tag.route)));
      } else {
        ++tags_[{route, tag.kernel}];
        ++hit(route).tags;
      }
    }
  }

  void count_records() {
    if (!seen_.records) return;
    if (seen_.records_lost > 0) miss(count_text(seen_.records_lost, "kernel record") + " lost");
    for (const KernelRecord& record : *seen_.records) {
      const Kernel kernel = kernel_of_symbol(record.symbol);
      const PlannedLaunch* launch = planned(kernel, nullptr);
      if (record.nonce != planned_.nonce) {
        miss(fmt::format("wrong nonce: {} was launched in a call of plan {:016x}, not of {:016x}",
                         record.symbol, record.nonce, planned_.nonce));
      } else if (kernel == Kernel::none) {
        miss(fmt::format("symbol of another family: {} was launched", record.symbol));
      } else if (launch == nullptr) {
        miss(fmt::format("launch without a plan: {} ({}) was launched", record.symbol, name_of(kernel)));
      } else {
        ++records_[kernel];
        RouteHit& of_route = hit(launch->route);
        ++of_route.records;
        add_symbol(of_route.symbols, record);
      }
    }
  }

  static void add_symbol(std::vector<SymbolHit>& symbols, const KernelRecord& record) {
    auto at =
        std::lower_bound(symbols.begin(), symbols.end(), record.symbol,
                         [](const SymbolHit& one, const std::string& symbol) { return one.symbol < symbol; });
    if (at == symbols.end() || at->symbol != record.symbol)
      at = symbols.insert(at, {record.symbol, 0, record.grid, 0});
    ++at->launches;
    at->microseconds += record.end_us - record.start_us;
  }

  void check_count(const PlannedLaunch& launch, std::string_view witness, std::int64_t count) {
    const bool few = count < launch.least;
    if (!few && (launch.most == PlannedLaunch::kAny || count <= launch.most)) return;
    const std::string required = launch.least == launch.most ? fmt::format("{}", launch.least)
                                 : few                       ? fmt::format("at least {}", launch.least)
                                                             : fmt::format("at most {}", launch.most);
    miss(fmt::format("{}: {} of {}: {}, planned {}",
                     count == 0 ? "planned launch without a hit" : "launches not as planned",
                     name_of(launch.kernel), name_of(launch.route), count_text(count, witness), required));
  }

  void check(const PlannedLaunch& launch) {
    if (seen_.tags && launch.kernel != Kernel::library_product) {
      const auto found = tags_.find({launch.route, launch.kernel});
      check_count(launch, "device tag", found == tags_.end() ? 0 : found->second);
    }
    if (seen_.records) {
      const auto found = records_.find(launch.kernel);
      check_count(launch, "kernel record", found == records_.end() ? 0 : found->second);
    }
  }

  void compare_witnesses() {
    if (!seen_.tags || !seen_.records) return;
    std::map<Kernel, std::int64_t> tagged;
    for (const auto& [key, count] : tags_) tagged[key.second] += count;
    for (const PlannedLaunch& launch : planned_.launches) {
      if (launch.kernel == Kernel::library_product) continue;
      const std::int64_t tags = tagged[launch.kernel], records = records_[launch.kernel];
      if (tags != records)
        miss(fmt::format("witnesses disagree on {}: {}, {}", name_of(launch.kernel),
                         count_text(tags, "device tag"), count_text(records, "kernel record")));
    }
  }

  const PlannedCall& planned_;
  const CallTrace& seen_;
  std::map<std::pair<Route, Kernel>, std::int64_t> tags_;
  std::map<Kernel, std::int64_t> records_;
  Reconciliation result_;
};

}  // namespace

Reconciliation reconcile(const PlannedCall& planned, const CallTrace& seen) {
  return Reconciler(planned, seen).run();
}

}  // namespace plumbline::dispatch
