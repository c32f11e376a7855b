#include "oracle/plugin/plugin_wire.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

namespace plumbline {
namespace {

class Writer {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> Writer& operator<<(const T& value) {
    return raw(&value, sizeof value);
  }
  Writer& operator<<(const std::string& text) {
    *this << static_cast<std::uint64_t>(text.size());
    return raw(text.data(), text.size());
  }
  template <typename T>
  Writer& operator<<(const std::vector<T>& values) {
    *this << static_cast<std::uint64_t>(values.size());
    if constexpr (std::is_trivially_copyable_v<T>) return raw(values.data(), values.size() * sizeof(T));
    for (const T& value : values) *this << value;
    return *this;
  }
  Writer& operator<<(const PluginInput& input) {
    return *this << input.name << input.dtype << input.shape << input.strides << input.first
                 << input.misaligned << input.storage;
  }
  Writer& operator<<(const PluginOutput& output) {
    return *this << output.name << output.dtype << output.shape;
  }
  Writer& operator<<(const Tensor& tensor) { return *this << tensor.dtype << tensor.shape << tensor.bytes; }

  std::vector<std::byte> bytes;

 private:
  Writer& raw(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + size);
    return *this;
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> Reader& operator>>(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return *this;
  }
  Reader& operator>>(std::string& text) {
    const auto from = take(count(1));
    text.assign(reinterpret_cast<const char*>(from.data()), from.size());
    return *this;
  }
  template <typename T>
  Reader& operator>>(std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      values.resize(count(sizeof(T)));
      const auto from = take(values.size() * sizeof(T));
      if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
    } else {
      values.resize(count(1));
      for (T& value : values) *this >> value;
    }
    return *this;
  }
  Reader& operator>>(PluginInput& input) {
    return *this >> input.name >> input.dtype >> input.shape >> input.strides >> input.first >>
           input.misaligned >> input.storage;
  }
  Reader& operator>>(PluginOutput& output) { return *this >> output.name >> output.dtype >> output.shape; }
  Reader& operator>>(Tensor& tensor) { return *this >> tensor.dtype >> tensor.shape >> tensor.bytes; }

  void end() const {
    if (!bytes_.empty()) throw WireError("a message is longer than what it says");
  }

 private:
  std::size_t count(std::size_t least_size) {
    std::uint64_t number = 0;
    *this >> number;
    if (number > bytes_.size() / least_size) throw WireError("a message is cut off");
    return static_cast<std::size_t>(number);
  }
  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) throw WireError("a message is cut off");
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> to_wire(const PluginCall& call) {
  Writer out;
  out << call.operation << call.geometry << call.scale << call.arrangement << call.rubbish << call.inputs
      << call.outputs;
  return std::move(out.bytes);
}

PluginCall call_from_wire(std::span<const std::byte> bytes) {
  PluginCall call;
  Reader in(bytes);
  in >> call.operation >> call.geometry >> call.scale >> call.arrangement >> call.rubbish >> call.inputs >>
      call.outputs;
  in.end();
  return call;
}

std::vector<std::byte> to_wire(const PluginAnswer& answer) {
  Writer out;
  out << answer.kind << answer.message << answer.stray << answer.outputs;
  return std::move(out.bytes);
}

PluginAnswer answer_from_wire(std::span<const std::byte> bytes) {
  PluginAnswer answer;
  Reader in(bytes);
  in >> answer.kind >> answer.message >> answer.stray >> answer.outputs;
  in.end();
  return answer;
}

std::vector<std::byte> to_wire(const PluginFacts& facts) {
  Writer out;
  out << facts.name << facts.contract << facts.on_device << facts.offers;
  return std::move(out.bytes);
}

PluginFacts facts_from_wire(std::span<const std::byte> bytes) {
  PluginFacts facts;
  Reader in(bytes);
  in >> facts.name >> facts.contract >> facts.on_device >> facts.offers;
  in.end();
  return facts;
}

}  // namespace plumbline
