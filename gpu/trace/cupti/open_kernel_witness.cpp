#include "gpu/trace/kernel_witness.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>

#include <cupti.h>

namespace plumbline::gpu {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr auto kCalls = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

/// What CUPTI's threads hand over; its callbacks carry no context, so there is one for the process.
struct Collected {
  struct Launch {
    std::uint32_t correlation;
    dispatch::KernelRecord record;
  };
  std::mutex mutex;
  std::vector<Launch> launches;
  std::map<std::uint32_t, std::uint64_t> nonces;  ///< by correlation
  std::int64_t lost = 0;
};
Collected& collected() {
  static Collected all;
  return all;
}

std::string reason_of(CUptiResult result) {
  const char* text = nullptr;
  return cuptiGetResultString(result, &text) == CUPTI_SUCCESS && text != nullptr ? text : "unknown error";
}

void check_cupti(CUptiResult result, const char* call) {
  if (result != CUPTI_SUCCESS) throw std::runtime_error(std::string(call) + " failed: " + reason_of(result));
}

void CUPTIAPI offer_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;  // as many as fit
}

// Later layouts only add fields behind these.
using KernelActivity = CUpti_ActivityKernel9;

void take(const CUpti_Activity* activity, Collected& all) {
  if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
      activity->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
    const auto* kernel = reinterpret_cast<const KernelActivity*>(activity);
    dispatch::KernelRecord record;
    record.symbol = readable_symbol(kernel->name);
    record.grid = {kernel->gridX, kernel->gridY, kernel->gridZ};
    record.start_us = static_cast<double>(kernel->start) / 1000;
    record.end_us = static_cast<double>(kernel->end) / 1000;
    all.launches.push_back({kernel->correlationId, std::move(record)});
  } else if (activity->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
    const auto* external = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(activity);
    if (external->externalKind == kCalls) all.nonces[external->correlationId] = external->externalId;
  }
}

void CUPTIAPI accept_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                            std::size_t valid) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* activity = nullptr;
  while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS)
    take(activity, all);
  std::size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
    all.lost += static_cast<std::int64_t>(dropped);
  std::free(buffer);
}

class CuptiWitness final : public KernelWitness {
 public:
  // The correlation with a call hangs on the records of the API call that launches.
  static constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                  CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                                                  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

  CuptiWitness() {
    check_cupti(cuptiActivityRegisterCallbacks(offer_buffer, accept_buffer),
                "cuptiActivityRegisterCallbacks");
    for (const CUpti_ActivityKind kind : kKinds)
      check_cupti(cuptiActivityEnable(kind), "cuptiActivityEnable");
  }
  CuptiWitness(const CuptiWitness&) = delete;
  CuptiWitness& operator=(const CuptiWitness&) = delete;
  ~CuptiWitness() override {
    for (const CUpti_ActivityKind kind : kKinds) (void)cuptiActivityDisable(kind);
    (void)cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }

  std::string name() const override {
    std::uint32_t version = 0;
    check_cupti(cuptiGetVersion(&version), "cuptiGetVersion");
    // 130000 is 13.0; the interface counted by ones before CUDA 12.
    return version >= 120000
               ? "CUPTI " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100)
               : "CUPTI interface " + std::to_string(version);
  }

  void begin(std::uint64_t nonce) override {
    (void)drained();
    check_cupti(cuptiActivityPushExternalCorrelationId(kCalls, nonce),
                "cuptiActivityPushExternalCorrelationId");
  }

  Contents end() override {
    std::uint64_t nonce = 0;
    check_cupti(cuptiActivityPopExternalCorrelationId(kCalls, &nonce),
                "cuptiActivityPopExternalCorrelationId");
    return drained();
  }

 private:
  static Contents drained() {
    check_cupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    Collected& all = collected();
    const std::lock_guard lock(all.mutex);
    Contents contents;
    contents.lost = all.lost;
    for (Collected::Launch& launch : all.launches) {
      const auto found = all.nonces.find(launch.correlation);
      launch.record.nonce = found == all.nonces.end() ? 0 : found->second;
      contents.records.push_back(std::move(launch.record));
    }
    all.launches.clear();
    all.nonces.clear();
    all.lost = 0;
    return contents;
  }
};

}  // namespace

KernelWitnessProbe open_kernel_witness() {
  try {
    auto witness = std::make_unique<CuptiWitness>();
    (void)witness->name();
    return {std::move(witness), {}};
  } catch (const std::runtime_error& error) {
    return {nullptr, error.what()};
  }
}

}  // namespace plumbline::gpu
