#pragma once

#include "fixtures/sha256.h"
#include "reference/model/qwen4_exp.h"
#include "reference/model/rounding_profile.h"

#include <string>
#include <vector>

namespace plumbline {

/// Feeds every state of a sequence, layer by layer, each number as its 64 bits, least significant byte first.
void hash_state(const ModelCache& cache, Sha256& hash);

/// One SHA-256 over the logits of every call and the states after the last one, of every live sequence of
/// every capture, free-running under `profile` with the canonical selection. A function of the captures'
/// weights and tokens alone: the same on every machine, for any number of threads.
std::string outputs_digest(const std::vector<std::string>& captures, const RoundingProfile& profile);

/// The model captures of a folder, by name. Throws InputError when there is none.
std::vector<std::string> model_captures_in(const std::string& folder);

}  // namespace plumbline
