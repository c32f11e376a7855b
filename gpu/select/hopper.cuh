#pragma once

#include "gpu/select/paged_inputs.cuh"

#include <cstdint>

#include <cuda_fp16.h>

// Instructions of capability 9.0a behind names: warpgroup products from swizzled shared memory, barriers with
// a phase, asynchronous copies.

namespace plumbline::gpu::hopper {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// A barrier of some of the block's warps; id 0 is __syncthreads.
template <int kThreads>
__device__ __forceinline__ void barrier_of(int id) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(kThreads) : "memory");
}

/// For launches that may begin before the one before them ends: its writes are visible from here on.
__device__ __forceinline__ void wait_for_launch_before() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
/// Lets such a launch behind this one begin as soon as every block has come here.
__device__ __forceinline__ void let_next_launch_start() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Registers of a thread of this warpgroup from here on; all its warps must call it.
template <int kRegisters>
__device__ __forceinline__ void give_registers_up() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Waits for the phase of the given parity to end.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "wait_loop_%=:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@done bra wait_done_%=;\n"
      "bra wait_loop_%=;\n"
      "wait_done_%=:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// 16 bytes to shared memory.
__device__ __forceinline__ void copy_async_16(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
/// The same, or 16 zero bytes.
__device__ __forceinline__ void copy_async_16(std::uint32_t to, const void* from, bool zero) {
  const int bytes = zero ? 0 : 16;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to the tensor cores.
__device__ __forceinline__ void fence_to_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// A row of 128 16-bit values lies as two halves of 128 bytes, in two planes `plane_bytes` apart; the 16-byte
/// pieces of a half are permuted by the row's low three bits (the 128-byte swizzle).
__device__ __forceinline__ std::uint32_t swizzled_offset(int row, int piece, std::uint32_t plane_bytes) {
  return static_cast<std::uint32_t>(piece >> 3) * plane_bytes + static_cast<std::uint32_t>(row) * 128u +
         static_cast<std::uint32_t>(((piece & 7) ^ (row & 7)) << 4);
}

/// Describes a swizzled plane at a 1,024-byte boundary: the low word of a descriptor, in units of 16 bytes
/// (add 2 per step of 16 values). Its high word is the same for all.
__device__ __forceinline__ std::uint32_t operand(std::uint32_t address) {
  return (1u << 16) | ((address & 0x3FFFFu) >> 4);
}

__device__ __forceinline__ void product_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void product_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void product_wait() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// sum[64 keys × 128 columns] = keys · columnsᵀ (+ sum, if keep) over 16 values. Thread t of the warpgroup
/// holds, for each 8 columns j, sum[4j], sum[4j+1] of key 16·(t/32) + t%32/4, columns 8j + 2·(t%4) + {0, 1},
/// and sum[4j+2], sum[4j+3] of the key eight further on.
// The high word: 128-byte swizzle, 1,024 bytes from eight rows to the next eight.
// clang-format off
template <KeyType kType>
__device__ __forceinline__ void product_step(float (&sum)[64], std::uint32_t keys, std::uint32_t columns, int keep) {
  if constexpr (kType == KeyType::kFloat16) {
    asm volatile(
        "{\n.reg .pred keep;\n.reg .b64 a, b;\nsetp.ne.b32 keep, %66, 0;\n"
        "mov.b64 a, {%64, 0x40000040};\nmov.b64 b, {%65, 0x40000040};\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "a, b, keep, 1, 1, 0, 0;\n}\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
          "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]),
          "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]),
          "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]),
          "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
          "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
        : "r"(keys), "r"(columns), "r"(keep));
  } else {
    asm volatile(
        "{\n.reg .pred keep;\n.reg .b64 a, b;\nsetp.ne.b32 keep, %66, 0;\n"
        "mov.b64 a, {%64, 0x40000040};\nmov.b64 b, {%65, 0x40000040};\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "a, b, keep, 1, 1, 0, 0;\n}\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
          "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]),
          "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]),
          "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]),
          "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
          "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
        : "r"(keys), "r"(columns), "r"(keep));
  }
}
// clang-format on

/// Twice the head sum of paged_inputs.cuh, from finite products: s + |s| is 2·max(0, s) exactly, at twice the
/// rate of a maximum, and doubling changes no rounding. NaN where a product is not finite.
__device__ __forceinline__ float doubled_head_sum(float h0, float h1, float h2, float h3) {
  return (((h0 + fabsf(h0)) + (h1 + fabsf(h1))) + (h2 + fabsf(h2))) + (h3 + fabsf(h3));
}

}  // namespace plumbline::gpu::hopper
