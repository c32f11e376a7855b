#pragma once

#include "fixtures/capture/capture_writer.h"
#include "fixtures/capture/select_capture.h"

#include <functional>
#include <span>
#include <string>

namespace plumbline {

/// Copies the first case of a kind B capture with blocks_gpu and scores_gpu, after `edit` has changed the
/// claimed blocks [rows, block_topk] in sight of the scores [rows, blocks].
inline void write_planted(
    const std::string& from, const std::string& to,
    const std::function<void(std::span<std::int32_t> blocks, std::span<const float> scores)>& edit) {
  const SelectCapture capture = read_select_capture(from);
  const SelectCase& one = capture.cases.front();
  Tensor blocks, scores;
  for (const RowStream& selection : one.selections)
    if (selection.tag() == "gpu") blocks = selection.read_all();
  for (const RowStream& plane : one.scores)
    if (plane.tag() == "gpu") scores = plane.read_all();
  edit(blocks.as<std::int32_t>(), scores.as<float>());
  CaptureWriter writer(to);
  writer.root_attributes(capture.info);
  write_geometry(writer, capture.geometry);
  write_select_inputs(writer, one.name, one.inputs(capture.geometry));
  writer.tensor(one.name + "/scores_gpu", scores.view());
  writer.tensor(one.name + "/blocks_gpu", blocks.view());
  writer.commit();
}

}  // namespace plumbline
