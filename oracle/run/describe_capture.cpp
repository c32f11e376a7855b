#include "oracle/run/describe_capture.h"

#include "fixtures/capture/capture_file.h"
#include "fixtures/capture/root_attributes.h"
#include "fixtures/capture/storage_type.h"
#include "fixtures/capture/utf8.h"
#include "fixtures/tensor.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string attributes(const CaptureFile& file) {
  const CaptureInfo info = read_root_attributes(file);
  std::string out = fmt::format("{}: {} bytes\n", info.path.empty() ? file.path() : info.path, file.bytes());
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<22} {}\n", name, printable(value));
  };
  line("version", std::to_string(info.version));
  line("model_type", std::string(model_type_of(info.kind)));
  line("case", info.case_name);
  line("producer", info.producer);
  line("experts_implementation", info.experts_implementation);
  line("capability", info.capability.value_or(""));
  line("contract", info.contract.value_or(""));
  line("route_scorer", info.route_scorer);
  line("route_topk", info.route_topk);
  if (info.kind == CaptureKind::model || info.kind == CaptureKind::attention_paged) return out;
  const SelectGeometry geometry = read_geometry(file);
  line("index_heads", std::to_string(geometry.index_heads));
  line("index_head_dim", std::to_string(geometry.index_head_dim));
  line("compress_ratio", std::to_string(geometry.compress_ratio));
  line("block_topk", std::to_string(geometry.block_topk));
  return out;
}

struct DatasetLine {
  std::string path, type, shape;
  hsize_t stored = 0;
};

DatasetLine describe(const CaptureFile& file, const std::string& path) {
  const QuietHdf5 quiet;
  const Hdf5Handle dataset(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) file.refuse(path, "a readable dataset", "a damaged one");
  const Hdf5Handle type(H5Dget_type(dataset)), space(H5Dget_space(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  const Shape shape(extents.begin(), extents.end());
  return {printable(path, std::string::npos), describe_type(type), to_string(shape),
          H5Dget_storage_size(dataset)};
}

// A group may be linked into itself, so a walk ends only by force.
constexpr std::size_t kMaxNodes = 100000;
constexpr int kMaxDepth = 32;

void collect(const CaptureFile& file, const std::string& group, int depth, std::size_t& nodes,
             std::vector<DatasetLine>& lines) {
  for (const std::string& name : file.children(group)) {
    const std::string path = join_path(group, name);
    if (++nodes > kMaxNodes || depth > kMaxDepth) file.refuse("/", "a tree of groups", "one without end");
    const CaptureFile::Node node = file.node(path);
    if (node == CaptureFile::Node::group) {
      collect(file, path, depth + 1, nodes, lines);
    } else if (node == CaptureFile::Node::dataset) {
      lines.push_back(describe(file, path));
    }
  }
}

}  // namespace

std::string describe_capture(const std::string& path) {
  const auto file = CaptureFile::open(path);
  std::string out = attributes(*file);
  std::vector<DatasetLine> lines;
  std::size_t nodes = 0;
  collect(*file, "/", 1, nodes, lines);
  std::size_t widest_path = 0, widest_type = 0, widest_shape = 0;
  for (const DatasetLine& line : lines) {
    widest_path = std::max(widest_path, line.path.size());
    widest_type = std::max(widest_type, line.type.size());
    widest_shape = std::max(widest_shape, line.shape.size());
  }
  for (const DatasetLine& line : lines)
    out += fmt::format("{:<{}}  {:<{}}  {:<{}}  {} bytes stored\n", line.path, widest_path, line.type,
                       widest_type, line.shape, widest_shape, line.stored);
  return out;
}

}  // namespace plumbline
