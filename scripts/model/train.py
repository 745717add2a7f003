"""Trains the static embedding: one vector per token, a text is the normalized sum of its tokens' vectors.

usage: python3 train.py TOKENS_DIR MODEL_DIR/tokenizer.json OUT.npy [--steps N]

Symmetric in-batch contrastive loss (InfoNCE). Half of a batch is drawn over all sources by weight, half from one
site, as telling the pages of one site apart is the task. Two pairs of one page are not each other's negatives.
"""
import argparse
import json
import math
import time

import numpy as np
import torch
import torch.nn.functional as F

from wordpiece import SPECIALS

parser = argparse.ArgumentParser()
parser.add_argument("tokens")
parser.add_argument("tokenizer")
parser.add_argument("out")
parser.add_argument("--steps", type=int, default=3000)
parser.add_argument("--batch", type=int, default=1024)
parser.add_argument("--dimensions", type=int, default=256)
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--scale", type=float, default=16.0, help="inverse temperature")
parser.add_argument("--window", type=int, default=128, help="most tokens of a passage in training")
parser.add_argument("--noise", type=float, default=0.3, help="share of queries taken with typing errors")
parser.add_argument("--one-site", type=float, default=0.5, help="share of a batch from one site")
args = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(0)
rng = np.random.default_rng(0)
with open(args.tokenizer, encoding="utf-8") as file:
    vocabulary = json.load(file)["model"]["vocab"]


def load(name):
    return np.fromfile(f"{args.tokens}/{name}.off", np.int64), np.fromfile(f"{args.tokens}/{name}.ids", np.uint16)


texts = {name: load(name) for name in "qnp"}
groups = np.fromfile(f"{args.tokens}/group.i32", np.int32)
sources = np.fromfile(f"{args.tokens}/source.i32", np.int32)
with open(f"{args.tokens}/sources.json", encoding="utf-8") as file:
    names = list(json.load(file))
by_source = [np.flatnonzero(sources == i) for i in range(len(names))]
is_site = np.array(["__" in name for name in names])
# Draws by the square root of a source's size: a large one counts more, but not in proportion.
weights = np.array([math.sqrt(len(rows)) for rows in by_source])
dictionary = np.array([name in ("english_wordnet", "wordset") for name in names])
weights[~is_site] *= 0.45 * weights[is_site].sum() / weights[~is_site].sum() / 0.55
weights[dictionary] *= 0.7
site_weights = np.where(is_site, weights, 0)


def initial():
    """Random rows [vocabulary, dimensions] of length 1; '##foo' begins as 'foo', special tokens are zero and stay so."""
    table = F.normalize(torch.randn(len(vocabulary), args.dimensions))
    for piece, i in vocabulary.items():
        if piece.startswith("##") and piece[2:] in vocabulary:
            table[i] = table[vocabulary[piece[2:]]]
    table[:len(SPECIALS)] = 0
    return table


def draw():
    """Rows [batch] of one batch, no row twice."""
    alone = int(args.batch * args.one_site)
    site = rng.choice(len(names), p=site_weights / site_weights.sum())
    parts = [rng.choice(by_source[site], min(alone, len(by_source[site])), replace=False)]
    for source, n in enumerate(rng.multinomial(args.batch - len(parts[0]), weights / weights.sum())):
        parts.append(rng.choice(by_source[source], min(n, len(by_source[source])), replace=False))
    return np.unique(np.concatenate(parts))


def parts_of(name, rows, most):
    """Token arrays of texts; one of over `most` tokens gives a random window of it, or half the time its beginning."""
    offsets, ids = texts[name]
    out = []
    for row, r in zip(rows, rng.random(len(rows))):
        start, end = offsets[row], offsets[row + 1]
        if end - start > most:
            start += int(max(0, 2 * r - 1) * (end - start - most + 1))
            end = start + most
        out.append(ids[start:end])
    return out


def vectors(table, parts):
    """Normalized vectors [texts, dimensions]."""
    starts = np.concatenate([[0], np.cumsum([len(p) for p in parts])[:-1]])
    return F.normalize(table(torch.from_numpy(np.concatenate(parts).astype(np.int64)), torch.from_numpy(starts)))


table = torch.nn.EmbeddingBag.from_pretrained(initial(), freeze=False, mode="sum")
optimizer = torch.optim.Adam(table.parameters(), lr=args.rate)
began = time.time()
for step in range(args.steps):
    optimizer.param_groups[0]["lr"] = args.rate * min(1, (step + 1) / 50) * 0.5 * (1 + math.cos(math.pi * step / args.steps)) + 1e-5
    rows = draw()
    wrong = rng.random(len(rows)) < args.noise
    queries = [n if w else q for n, q, w in zip(parts_of("n", rows, 48), parts_of("q", rows, 48), wrong)]
    scores = vectors(table, queries) @ vectors(table, parts_of("p", rows, args.window)).T * args.scale
    page = torch.from_numpy(groups[rows])
    same = torch.arange(len(rows))
    scores = scores.masked_fill((page[:, None] == page[None]) & (same[:, None] != same[None]), -1e4)
    loss = (F.cross_entropy(scores, same) + F.cross_entropy(scores.T, same)) / 2
    optimizer.zero_grad()
    loss.backward()
    table.weight.grad[:len(SPECIALS)] = 0
    optimizer.step()
    if step % 100 == 0 or step == args.steps - 1:
        print(step, round(loss.item(), 3), f"{time.time() - began:.0f} s", flush=True)
rows = table.weight.detach().numpy()
# A token that training never met keeps its random direction, so that equal words of an unknown language match; it
# gets the length of the others, as a rare word is what tells texts apart.
met = np.bincount(np.concatenate([ids for _, ids in texts.values()]), minlength=len(rows)) > 0
met[:len(SPECIALS)] = True
lengths = np.linalg.norm(rows, axis=1, keepdims=True)
rows[~met] *= np.median(lengths[met]) / lengths[~met]
np.save(args.out, rows)
