#include "oracle/bench/capture_read.h"

#include "fixtures/capture/capture_file.h"
#include "fixtures/capture/capture_writer.h"
#include "fixtures/capture/hdf5_handle.h"
#include "fixtures/capture/select_capture.h"
#include "fixtures/error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace plumbline {
namespace {

// One case: 128 MiB of scores and keys of the model's real geometry (MODEL.md), in memory only while written.
constexpr std::int64_t kBlocks = 32768;
constexpr std::int64_t kRows = 1024;
constexpr std::int64_t kBatchBytes = std::int64_t{16} << 20;
constexpr int kRuns = 5;

/// Random bits, which deflate cannot shrink, so the writer stores them contiguously.
Tensor noise(DType type, Shape shape, std::uint64_t seed) {
  Tensor tensor(type, std::move(shape));
  std::uint64_t state = seed;
  for (std::size_t at = 0; at + sizeof(state) <= tensor.bytes.size(); at += sizeof(state)) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t mixed = (state ^ (state >> 29)) * 0x9E3779B97F4A7C15u;
    std::memcpy(tensor.bytes.data() + at, &mixed, sizeof(mixed));
  }
  return tensor;
}

class TemporaryCapture {
 public:
  TemporaryCapture(const std::string& directory, std::int64_t bytes)
      : path_((std::filesystem::path(directory) / fmt::format("capture_read_{}.h5", ::getpid())).string()) {
    const SelectGeometry geometry;
    const Tensor query = noise(DType::float16, {kRows, geometry.index_heads, geometry.index_head_dim}, 1);
    const Tensor key = noise(DType::float16, {kBlocks, geometry.index_head_dim}, 2);
    const Tensor scores = noise(DType::float32, {kRows, kBlocks}, 3);
    const Tensor blocks = noise(DType::int32, {kRows, geometry.block_topk}, 4);
    Tensor visible(DType::int32, {kRows});
    std::ranges::fill(visible.as<std::int32_t>(), static_cast<std::int32_t>(kBlocks));
    SelectInputs inputs;
    inputs.rows = kRows;
    inputs.blocks = kBlocks;
    inputs.index_query = query.view();
    inputs.index_key = key.view();
    inputs.visible_blocks = visible.view();
    const auto case_bytes = static_cast<std::int64_t>(query.bytes.size() + key.bytes.size() +
                                                      scores.bytes.size() + blocks.bytes.size());

    CaptureWriter writer(path_);
    CaptureInfo info;
    info.kind = CaptureKind::select;
    writer.root_attributes(info);
    write_geometry(writer, geometry);
    const std::int64_t cases = std::max<std::int64_t>(1, bytes / case_bytes);
    for (std::int64_t index = 0; index < cases; ++index) {
      const std::string group = fmt::format("/select/{:04}", index);
      write_select_inputs(writer, group, inputs);
      writer.tensor(group + "/scores_gpu", scores.view());
      writer.tensor(group + "/blocks_gpu", blocks.view());
    }
    writer.commit();
  }
  ~TemporaryCapture() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryCapture(const TemporaryCapture&) = delete;
  TemporaryCapture& operator=(const TemporaryCapture&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::int64_t rows_a_batch(std::int64_t row_bytes) {
  return std::max<std::int64_t>(1, kBatchBytes / row_bytes);
}

/// Every dataset of the capture with the bare library into one buffer.
std::int64_t read_plainly(const std::string& path) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  H5G_info_t cases = {};
  H5Gget_info_by_name(file, "/select", &cases, H5P_DEFAULT);
  std::vector<std::byte> buffer;
  std::int64_t total = 0;
  for (hsize_t index = 0; index < cases.nlinks; ++index) {
    for (const char* name : {"index_query", "index_key", "visible_blocks", "scores_gpu", "blocks_gpu"}) {
      const Hdf5Handle dataset(
          H5Dopen2(file, fmt::format("/select/{:04}/{}", index, name).c_str(), H5P_DEFAULT));
      const Hdf5Handle type(H5Dget_type(dataset));
      const Hdf5Handle space(H5Dget_space(dataset));
      std::array<hsize_t, 3> extent = {1, 1, 1}, start = {};
      H5Sget_simple_extent_dims(space, extent.data(), nullptr);
      const hsize_t rows = extent[0], row_elements = extent[1] * extent[2];
      const auto batch =
          static_cast<hsize_t>(rows_a_batch(static_cast<std::int64_t>(row_elements * H5Tget_size(type))));
      for (start[0] = 0; start[0] < rows; start[0] += extent[0]) {
        extent[0] = std::min(batch, rows - start[0]);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
        const hsize_t elements = extent[0] * row_elements;
        const std::size_t bytes = elements * H5Tget_size(type);
        const Hdf5Handle memory(H5Screate_simple(1, &elements, nullptr));
        buffer.resize(std::max(buffer.size(), bytes));
        if (H5Dread(dataset, type, memory, space, H5P_DEFAULT, buffer.data()) < 0) {
          throw InputError(path, name, "readable data", "a read error");
        }
        total += static_cast<std::int64_t>(bytes);
      }
    }
  }
  return total;
}

std::int64_t read_stream(const RowStream& stream, std::vector<std::byte>& buffer) {
  const std::int64_t rows = stream.shape()[0];
  const std::int64_t row_bytes =
      element_count(stream.shape()) / rows * static_cast<std::int64_t>(size_of(stream.dtype()));
  const std::int64_t batch = rows_a_batch(row_bytes);
  for (std::int64_t first = 0; first < rows; first += batch) {
    const std::int64_t count = std::min(batch, rows - first);
    const auto bytes = static_cast<std::size_t>(count * row_bytes);
    buffer.resize(std::max(buffer.size(), bytes));
    stream.read(first, count, std::span(buffer).first(bytes));
  }
  return rows * row_bytes;
}

/// The way every command takes: all checks, inputs in memory, recorded outputs streamed.
std::int64_t read_ours(const std::string& path) {
  const SelectCapture capture = read_select_capture(path);
  std::vector<std::byte> buffer;
  std::int64_t total = 0;
  for (const SelectCase& data : capture.cases) {
    total += static_cast<std::int64_t>(data.index_query->bytes.size() + data.index_key->bytes.size() +
                                       data.visible_blocks.bytes.size());
    for (const RowStream& scores : data.scores) total += read_stream(scores, buffer);
    for (const RowStream& blocks : data.selections) total += read_stream(blocks, buffer);
  }
  return total;
}

double seconds_of(const std::function<std::int64_t()>& read, std::int64_t expected_bytes) {
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t bytes = read();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (bytes != expected_bytes) {
    throw InputError("", "", fmt::format("{} bytes from either reader", expected_bytes),
                     fmt::format("{}", bytes));
  }
  return elapsed.count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

CaptureReadTimes measure_capture_read(const std::string& directory, std::int64_t bytes) {
  const TemporaryCapture capture(directory, bytes);
  CaptureReadTimes times;
  times.bytes = read_plainly(capture.path());  // warms the cache
  std::vector<double> plain, ours;
  for (int run = 0; run < kRuns; ++run) {
    plain.push_back(seconds_of([&] { return read_plainly(capture.path()); }, times.bytes));
    ours.push_back(seconds_of([&] { return read_ours(capture.path()); }, times.bytes));
  }
  times.plain_seconds = median(plain);
  times.ours_seconds = median(ours);
  times.ratio = times.plain_seconds / times.ours_seconds;
  return times;
}

}  // namespace plumbline
