#ifndef PLUMBLINE_PLUGIN_H
#define PLUMBLINE_PLUGIN_H

/* The C interface through which Plumbline puts a foreign kernel on trial (C11 and C++).
 *
 * A shared object exports plumbline_plugin_entry(). It offers any of four operations; those it lacks are
 * null. The program loads it in a process of its own, so that a crash or a hang is a verdict on the plugin.
 *
 * Every operation is called twice: first with context->query set, when it says whether it serves these
 * shapes, types and strides (tensors have no data then) and how much workspace it wants; then to do the work
 * on context->stream. Inputs must not be written, nothing outside the outputs and the workspace may be
 * written, and nothing outside the inputs may be read. Outputs and workspace hold rubbish on entry. The
 * program synchronises the stream.
 *
 * Versions: what is appended to a struct raises no version, `size` tells who knows it; anything else does. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUMBLINE_PLUGIN_VERSION 1

enum { PLUMBLINE_MAX_RANK = 4 };

typedef enum plumbline_status {
  PLUMBLINE_OK = 0,
  PLUMBLINE_UNSUPPORTED =
      1,               /* these shapes, types, strides: an honest answer, no fault; only while querying */
  PLUMBLINE_FAILED = 2 /* a fault; say which in context->message */
} plumbline_status;

typedef enum plumbline_dtype {
  PLUMBLINE_FLOAT32 = 0,
  PLUMBLINE_FLOAT16 = 1,
  PLUMBLINE_BFLOAT16 = 2,
  PLUMBLINE_FLOAT8_E4M3FN = 3,
  PLUMBLINE_FLOAT8_E5M2 = 4,
  PLUMBLINE_INT32 = 5,
  PLUMBLINE_INT64 = 6,
  PLUMBLINE_UINT8 = 7
} plumbline_dtype;

/* Where a plugin wants tensors, workspace and stream to be. */
typedef enum plumbline_memory {
  PLUMBLINE_HOST = 0, /* stream is null */
  PLUMBLINE_CUDA = 1  /* stream is a cudaStream_t of the current device */
} plumbline_memory;

/* Strides count elements. rank 0: the tensor is absent. data is null while querying. */
typedef struct plumbline_tensor {
  void* data;
  int32_t dtype; /* plumbline_dtype */
  int32_t rank;
  int64_t shape[PLUMBLINE_MAX_RANK];
  int64_t strides[PLUMBLINE_MAX_RANK];
} plumbline_tensor;

typedef struct plumbline_geometry {
  int32_t index_heads;
  int32_t index_head_dim;
  int32_t compress_ratio; /* tokens per block */
  int32_t block_topk;     /* blocks selected per row at most */
} plumbline_geometry;

typedef struct plumbline_context {
  size_t size; /* of this struct, as the program knows it */
  int32_t query;
  int32_t reserved;
  void* stream;
  void* workspace;        /* 256-byte aligned */
  size_t workspace_bytes; /* written while querying, given afterwards */
  char* message;          /* room for a line on why, of message_bytes */
  size_t message_bytes;
} plumbline_context;

/* Top-k of given scores. Row r selects among blocks [0, max(0, min(visible_blocks[r], blocks))); what lies
 * beyond must not matter. blocks: the selected ones, -1 padded. */
typedef struct plumbline_selector {
  size_t size;
  plumbline_geometry geometry;
  plumbline_tensor scores;         /* in  [rows, blocks] float32 */
  plumbline_tensor visible_blocks; /* in  [rows] int32, may be negative */
  plumbline_tensor blocks;         /* out [rows, block_topk] int32, contiguous */
} plumbline_selector;

/* scores[r, b] = sum over heads of max(0, query[r, h] . key[b]) / sqrt(index_head_dim) for visible b; what is
 * written beyond does not matter. */
typedef struct plumbline_scorer {
  size_t size;
  plumbline_geometry geometry;
  plumbline_tensor query;          /* in  [rows, heads, dim] float32, float16, bfloat16 or float8 */
  plumbline_tensor key;            /* in  [blocks, dim], of the same type */
  plumbline_tensor visible_blocks; /* in  [rows] int32 */
  plumbline_tensor scores;         /* out [rows, blocks] float32, contiguous */
} plumbline_scorer;

/* A whole selection on a paged key cache. Row r belongs to request token_to_request[r] (out of range: a
 * padded row, which selects nothing) and sees min((query_positions[r] + 1) / ratio, sequence_lengths[request]
 * / ratio) blocks. A block on an unmapped page (-1) scores -infinity. tokens: those of the selected blocks,
 * then of the open group, -1 padded. */
typedef struct plumbline_paged_select {
  size_t size;
  plumbline_geometry geometry;
  plumbline_tensor query;            /* in  [rows, heads, dim] */
  plumbline_tensor key_cache;        /* in  [pages, page_size, 1, dim] */
  plumbline_tensor page_table;       /* in  [requests, width] int32 */
  plumbline_tensor token_to_request; /* in  [rows] int32 */
  plumbline_tensor query_positions;  /* in  [rows] int64 or int32 */
  plumbline_tensor sequence_lengths; /* in  [requests] int32 */
  plumbline_tensor query_start_loc;  /* in  [requests + 1] int32; may be absent */
  plumbline_tensor tokens;           /* out [rows, block_topk * ratio + ratio - 1] int32, contiguous */
  plumbline_tensor blocks;           /* out [rows, block_topk] int32, contiguous */
} plumbline_paged_select;

/* Attention of each row over the listed tokens of its request: softmax(query . key * scale) . value, query
 * head h reading key/value head h / (heads / kv_heads). Entries of -1 are skipped, as are tokens behind the
 * page table or on a page outside [0, pages), and all of a row whose request is out of range; a row without
 * entries gives 0. */
typedef struct plumbline_attention {
  size_t size;
  double scale;
  plumbline_tensor query;            /* in  [rows, heads, dim] */
  plumbline_tensor key_cache;        /* in  [pages, page_size, kv_heads, dim] */
  plumbline_tensor value_cache;      /* in  like key_cache */
  plumbline_tensor page_table;       /* in  [requests, width] int32 */
  plumbline_tensor token_to_request; /* in  [rows] int32 */
  plumbline_tensor tokens;           /* in  [rows, width] int32, request-relative, -1 padded */
  plumbline_tensor out;              /* out [rows, heads, dim], of query's type, contiguous */
} plumbline_attention;

typedef struct plumbline_plugin {
  size_t size;      /* sizeof(plumbline_plugin) */
  uint32_t version; /* PLUMBLINE_PLUGIN_VERSION */
  int32_t memory;   /* plumbline_memory */
  const char* name;
  /* What `select` promises of the scores it is given: set_exact, tie_rule_set or canonical; null: set_exact.
   * A paged selection shows no scores, so it is judged on exact ones: within_error. */
  const char* contract;
  plumbline_status (*select)(plumbline_context*, const plumbline_selector*);
  plumbline_status (*score)(plumbline_context*, const plumbline_scorer*);
  plumbline_status (*select_paged)(plumbline_context*, const plumbline_paged_select*);
  plumbline_status (*attend)(plumbline_context*, const plumbline_attention*);
} plumbline_plugin;

/* What the shared object exports: a struct that lives as long as it is loaded, or null where it cannot work
 * here. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const plumbline_plugin*
plumbline_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif
