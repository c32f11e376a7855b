"""The selection once more, by other arithmetic and another algorithm: exact fractions, and a sort of every row.

Cases come from `plumbline generate`, with the reference's answer in them; what is judged is that answer, and the verdicts
of `plumbline select` on answers that were spoilt in a known way.
"""

import json
import os
import random
import subprocess
from fractions import Fraction

import h5py
import numpy as np
import pytest

PROGRAM = os.environ["PLUMBLINE_PROGRAM"]
FAMILIES = ["relu", "sparse_relu", "near_tie", "ties", "quantised", "repeat", "duplicates", "last_digit", "zero_plateau",
            "huge", "negzero", "nan", "inf", "phantom_tail", "length_edges", "garbage_tail", "index_base"]


def plumbline(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def generate(path, case):
    run = plumbline("generate", case, "-o", path)
    assert run.returncode == 0, run.stderr


def exact_score(query, key):
    """Of query [heads, dim] and key [dim], without the factor that all scores share."""
    heads = (sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(head, key)) for head in query)
    return sum((max(Fraction(0), head) for head in heads), Fraction(0))


def given_score(score):
    """A float32 score as it ranks: by its bits, -0 as +0."""
    bits = 0 if score == 0 else int(score.view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1


def scores_of(case, row, visible):
    if "scores_input" in case:
        return [given_score(score) for score in case["scores_input"][row, :visible]]
    return [exact_score(case["index_query"][row], key) for key in case["index_key"][:visible]]


def best(scores, k):
    return sorted(sorted(range(len(scores)), key=lambda block: (-scores[block], block))[:k])


def padded(blocks, k):
    return blocks + [-1] * (k - len(blocks))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_reference_selects_what_a_sort_of_fractions_selects(tmp_path, family):
    path = tmp_path / "case.h5"
    generate(path, f"select:heads=2,dim=8,topk=8,blocks=41,rows=12,dtype=f16,data={family}")
    with h5py.File(path) as file:
        case, k = file["select/0000"], int(file.attrs["block_topk"])
        for row, count in enumerate(case["visible_blocks"]):
            scores = scores_of(case, row, int(np.clip(count, 0, 41)))
            assert list(case["blocks_reference"][row]) == padded(best(scores, k), k), (family, row)


@pytest.mark.parametrize("family", ["ties", "relu", "short_contexts", "paged_holes", "padded_rows"])
def test_so_it_does_through_pages(tmp_path, family):
    path = tmp_path / "case.h5"
    generate(path, f"paged:heads=2,dim=8,ratio=4,topk=4,blocks=21,rows=14,page=4,requests=2,data={family}")
    with h5py.File(path) as file:
        case, ratio, k = file["select/0000"], int(file.attrs["compress_ratio"]), int(file.attrs["block_topk"])
        cache, table = case["index_key_cache"][:], case["page_table"][:]
        for row, (request, position) in enumerate(zip(case["token_to_request"], case["query_positions"])):
            tokens = [-1] * case["selected_tokens"].shape[1]
            blocks = []
            if request >= 0 and position >= 0:
                visible = min((position + 1) // ratio, int(case["sequence_lengths"][request]) // ratio)
                scores = []
                for block in range(visible):
                    page = table[request, block // cache.shape[1]]
                    scores.append(Fraction(-1) if page < 0 else
                                  exact_score(case["index_query"][row], cache[page, block % cache.shape[1], 0]))
                blocks = best(scores, k)
                entries = [block * ratio + i for block in blocks for i in range(ratio)]
                entries += range((position + 1) // ratio * ratio, position + 1)
                tokens[: len(entries)] = entries
            assert list(case["selected_blocks"][row]) == padded(blocks, k), (family, row)
            assert list(case["selected_tokens"][row]) == tokens, (family, row)


def spoilt(rng, blocks, visible):
    """Another answer for a row: another order, a swapped block, a block twice, or nothing changed."""
    blocks = list(blocks)
    kind = rng.choice(["nothing", "order", "swap", "swap", "twice"])
    outside = sorted(set(range(visible)) - set(blocks))
    if kind == "order":
        rng.shuffle(blocks)
    elif kind == "swap" and outside:
        blocks[rng.randrange(len(blocks))] = rng.choice(outside)
        blocks.sort()
    elif kind == "twice":
        blocks[0] = blocks[-1]
    return blocks


def verdict(blocks, scores, k):
    right = best(scores, k)
    if len(set(blocks)) < len(blocks):
        return "structural"
    if blocks == right:
        return "canonical"
    if sorted(blocks) == right:
        return "order_only"
    if sorted(scores[block] for block in blocks) == sorted(scores[block] for block in right):
        return "tie_only"
    return "other set"


@pytest.mark.parametrize("family", ["ties", "quantised", "zero_plateau", "relu"])
def test_verdicts_are_those_of_fractions(tmp_path, family):
    rng, path, k = random.Random(7), tmp_path / "case.h5", 8
    generate(path, f"select:heads=2,dim=8,topk={k},blocks=41,rows=40,dtype=f16,data={family},seed=11")
    with h5py.File(path, "r+") as file:
        case, expected = file["select/0000"], {}
        for row, count in enumerate(case["visible_blocks"]):
            visible = int(np.clip(count, 0, 41))
            scores = [exact_score(case["index_query"][row], key) for key in case["index_key"][:visible]]
            if visible > k:
                case["blocks_reference"][row] = spoilt(rng, case["blocks_reference"][row], visible)
            name = verdict([int(block) for block in case["blocks_reference"][row] if block >= 0], scores, k)
            expected[name] = expected.get(name, 0) + 1
        if "scores_input" in case:
            del case["scores_input"]
    report = json.loads(plumbline("select", path, "--json", "-").stdout)
    (selection,) = report["selections"]
    found = {name: count for name, count in selection["end_to_end"].items() if count}
    found["other set"] = found.pop("rounding", 0) + found.pop("value_error", 0)
    assert {name: count for name, count in found.items() if count} == expected
    assert len(expected) >= (3 if family == "relu" else 4)
