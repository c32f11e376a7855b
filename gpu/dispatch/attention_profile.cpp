#include "gpu/dispatch/attention_profile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace plumbline::dispatch {
namespace {

struct Profile {
  std::int64_t max_programs;  // rows × kv heads up to which it holds; 0 stands for the small limit
  AttentionLaunch ampere;     // 8.0 and later
  AttentionLaunch earlier;
};

constexpr std::array kProfiles = {
    Profile{0, {16, 64, 4}, {16, 64, 4}},
    Profile{31, {16, 32, 4}, {16, 32, 4}},
    Profile{256, {64, 8, 2}, {16, 8, 4}},
    Profile{512, {64, 4, 2}, {16, 4, 4}},
    Profile{std::numeric_limits<std::int64_t>::max(), {64, 1, 2}, {16, 1, 4}},
};

bool takes_two_warps(const AttentionGeometry& g, Capability capability) {
  return capability.is_exactly(70) && g.rows >= 1 && g.rows <= 16 && g.query_heads == 6 * g.kv_heads &&
         g.head_dim == 256;
}

/// Splits of a row by the width of its selection.
struct RowProfile {
  std::int64_t max_selected;
  std::int64_t splits;
};
constexpr std::array kRowProfiles = {
    RowProfile{127, 1},
    RowProfile{511, 4},
    RowProfile{std::numeric_limits<std::int64_t>::max(), 8},
};
constexpr std::int64_t kRowTile = 16, kRowWarps = 4;

}  // namespace

AttentionLaunch row_launch(std::int64_t selected, std::int64_t splits) {
  const auto profile = std::find_if(kRowProfiles.begin(), kRowProfiles.end(),
                                    [&](const RowProfile& p) { return selected <= p.max_selected; });
  return {kRowTile, splits > 0 ? std::min(splits, kMostSplits) : profile->splits, kRowWarps};
}

AttentionLaunch attention_launch(const AttentionGeometry& g, Capability capability) {
  const std::int64_t group = std::max<std::int64_t>(1, (g.query_heads + g.kv_heads - 1) / g.kv_heads);
  const bool small_group = std::bit_ceil(static_cast<std::uint64_t>(group)) <= 8;
  const std::int64_t small_limit = small_group ? 8 : 4;
  const std::int64_t programs = g.rows * g.kv_heads;
  const auto profile = std::find_if(kProfiles.begin(), kProfiles.end(), [&](const Profile& p) {
    return programs <= std::max(p.max_programs, small_limit);
  });
  AttentionLaunch launch = capability.at_least(80) ? profile->ampere : profile->earlier;
  const std::int64_t tiles = std::max<std::int64_t>(1, (g.selected + launch.block_n - 1) / launch.block_n);
  launch.splits =
      std::min(launch.splits, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(tiles))));
  if (takes_two_warps(g, capability)) launch.warps = 2;
  return launch;
}

}  // namespace plumbline::dispatch
