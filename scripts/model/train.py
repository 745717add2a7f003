"""Trains the static embedding: one vector per token, a text is the normalized sum of its tokens' vectors.

usage: python3 train.py TOKENS_DIR MODEL_DIR/tokenizer.json OUT.npy [--steps N] [--first FIRST.npy] [--mean TABLE.npy ...]

Symmetric in-batch contrastive loss (InfoNCE). Nearly half of a batch is from one site, as telling the pages of one
site apart is the task; with --first, a table of an earlier run, a fifth is from cells of passages that this table
finds alike; the rest is drawn over all sources by weight. Pairs of one page, or with one query or one passage, are
not each other's negatives. At last, words of one stem move together.
"""
import argparse
import json
import math
import time

import numpy as np
import scipy.sparse as sparse
import torch
import torch.nn.functional as F

from evaluate import load_table, stem
from wordpiece import SPECIALS

parser = argparse.ArgumentParser()
parser.add_argument("tokens")
parser.add_argument("tokenizer")
parser.add_argument("out")
parser.add_argument("--first", help="table whose nearest passages share batches")
parser.add_argument("--base", action="store_true", help="learn from corpus.pairs only, not from corpus.more_pairs")
parser.add_argument("--begin", help="table whose rows the first pieces of the vocabulary begin with, to add languages to it")
parser.add_argument("--old-rate", type=float, default=0.2, help="how much slower the rows of --begin learn")
parser.add_argument("--mean", nargs="*", default=[], help="tables of other runs; the mean of all is saved")
parser.add_argument("--seed", type=int, default=0, help="of the batches; all runs begin at one random table")
parser.add_argument("--steps", type=int, default=5000)
parser.add_argument("--batch", type=int, default=1024)
parser.add_argument("--dimensions", type=int, default=256)
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--scale", type=float, default=16.0, help="inverse temperature")
parser.add_argument("--window", type=int, default=128, help="most tokens of a passage in training")
parser.add_argument("--noise", type=float, default=0.4, help="share of queries taken with typing errors")
parser.add_argument("--one-site", type=float, default=0.45, help="share of a batch from one site")
parser.add_argument("--alike", type=float, default=0.2, help="share of a batch from cells, with --first")
parser.add_argument("--thin", type=float, nargs=2, default=(0.05, 0.15), help="share of tokens left out: query, passage")
parser.add_argument("--stems", type=float, default=0.25, help="how far a row moves to the mean of the others of its stem")
args = parser.parse_args()

CELLS, CELL_ROWS, LEAST_ROWS = 1500, 64, 40
# Shares of a batch with --begin; another language has .02.
LANGUAGES = {"en": 0.2, "de": 0.12, "es": 0.1, "fr": 0.1, "no": 0.1, "zh": 0.12, "ja": 0.1}
torch.set_num_threads(1)
torch.manual_seed(0)
rng = np.random.default_rng(args.seed)
with open(args.tokenizer, encoding="utf-8") as file:
    vocabulary = json.load(file)["model"]["vocab"]


def load(name):
    return np.fromfile(f"{args.tokens}/{name}.off", np.int64), np.fromfile(f"{args.tokens}/{name}.ids", np.uint16)


texts = {name: load(name) for name in "qnp"}
groups = np.fromfile(f"{args.tokens}/group.i32", np.int32)
sources = np.fromfile(f"{args.tokens}/source.i32", np.int32)
with open(f"{args.tokens}/sources.json", encoding="utf-8") as file:
    names = list(json.load(file))
base = int(np.fromfile(f"{args.tokens}/base.i64", np.int64)[0]) if args.base else len(sources)
by_source = [np.flatnonzero(sources[:base] == i) for i in range(len(names))]
is_site = np.array(["__" in name for name in names])
# Draws by the square root of a source's size: a large one counts more, but not in proportion.
weights = np.array([math.sqrt(len(rows)) for rows in by_source])
weights[[name in ("synonyms", "intents", "opentriviaqa") for name in names]] *= 0.3
dictionary = np.array([name in ("english_wordnet", "wordset", "synonyms") for name in names])
weights[~is_site] *= 0.45 * weights[is_site].sum() / weights[~is_site].sum() / 0.55
weights[dictionary] *= 0.7
if args.begin:
    # A language has its share, of which a fifth is words of dictionaries and a fifth questions and news.
    language = [name.rpartition("@")[2] if "@" in name else "en" for name in names]
    kind = ["words" if name.startswith("wordnet@") else "site" if "__" in name else "other" for name in names]
    for one in set(language):
        mine = np.array([l == one for l in language])
        if one != "en":
            for k, share in (("words", 0.2), ("other", 0.2), ("site", 0.6)):
                these = mine & np.array([x == k for x in kind])
                weights[these] *= share / max(weights[these].sum(), 1e-9)
        weights[mine] *= LANGUAGES.get(one, 0.02) / weights[mine].sum()
    dictionary |= np.array(kind) == "words"
site_weights = np.where(is_site, weights, 0)


def initial():
    """Random rows [vocabulary, dimensions] of length 1; '##foo' begins as 'foo', special tokens are zero and stay so."""
    table = F.normalize(torch.randn(1 + max(vocabulary.values()), args.dimensions))
    for piece, i in vocabulary.items():
        if piece.startswith("##") and piece[2:] in vocabulary:  # another row, or the same one
            table[i] = table[vocabulary[piece[2:]]]
    table[:len(SPECIALS)] = 0
    table = table.numpy()
    if args.begin:
        table *= np.median(np.linalg.norm(begin, axis=1))
        table[:len(begin)] = begin
    return table


def counted(parts):
    """Sparse [texts, vocabulary]: how often each token occurs."""
    ends = np.cumsum([0] + [len(p) for p in parts])
    counts = sparse.csr_matrix((np.ones(ends[-1], np.float32), np.concatenate(parts).astype(np.int32), ends), shape=(len(parts), len(table)))
    counts.sum_duplicates()
    return counts


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def cells(table):
    """Lists of rows whose passages are alike by `table` (dictionaries left out), and how often to draw from each."""
    offsets, ids = texts["p"]
    use = np.flatnonzero(~dictionary[sources[:base]])
    chunks = [use[i:i + 20_000] for i in range(0, len(use), 20_000)]
    found = np.concatenate([unit(counted([ids[offsets[i]:min(offsets[i] + args.window, offsets[i + 1])] for i in c]) @ table) for c in chunks])
    nearest = lambda centers: np.concatenate([(found[i:i + 20_000] @ centers.T).argmax(1) for i in range(0, len(found), 20_000)])
    cell = nearest(found[rng.choice(len(found), CELLS, replace=False)])
    member = sparse.csr_matrix((np.ones(len(cell), np.float32), (cell, np.arange(len(cell)))), shape=(CELLS, len(cell)))
    cell = nearest(unit(member @ found))
    parts = np.split(use[np.argsort(cell, kind="stable")], np.cumsum(np.bincount(cell, minlength=CELLS))[:-1])
    parts = [p for p in parts if len(p) >= LEAST_ROWS]
    each = (weights / [max(1, len(rows)) for rows in by_source])[sources]
    share = np.array([each[p].sum() for p in parts])
    return parts, share / share.sum()


def draw():
    """Rows [batch] of one batch, no row twice."""
    site = rng.choice(len(names), p=site_weights / site_weights.sum())
    parts = [rng.choice(by_source[site], min(int(args.batch * args.one_site), len(by_source[site])), replace=False)]
    if alike:
        for cell in rng.choice(len(alike[0]), int(args.batch * args.alike / CELL_ROWS), replace=False, p=alike[1]):
            rows = alike[0][cell]
            parts.append(rng.choice(rows, min(CELL_ROWS, len(rows)), replace=False))
    for source, n in enumerate(rng.multinomial(args.batch - sum(map(len, parts)), weights / weights.sum())):
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


def thinned(ids, share):
    """A text with some tokens left out, so that no one word is all it takes."""
    if len(ids) < 3:
        return ids
    keep = rng.random(len(ids)) >= share
    return ids[keep] if keep.any() else ids


def update(rows, gradient, step, rate):
    """Adam on the rows that a batch met only."""
    first[rows] = mean = 0.9 * first[rows] + 0.1 * gradient
    second[rows] = square = 0.999 * second[rows] + 0.001 * gradient * gradient
    table[rows] -= rate * speed[rows] / (1 - 0.9 ** (step + 1)) * mean / (np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8)


def together(table):
    """Rows moved towards the mean of the others with their stem, lengths kept; '##word' and 'word' have one stem."""
    families = {}
    for piece, i in vocabulary.items():
        word = piece.removeprefix("##")
        if len(word) > 3:
            families.setdefault(stem(word), set()).add(i)
    out = table.copy()
    for rows in map(sorted, families.values()):
        if len(rows) > 1:
            own = table[rows]
            moved = (1 - args.stems) * own + args.stems * (own.sum(0) - own) / (len(rows) - 1)
            out[rows] = unit(moved) * np.linalg.norm(own, axis=1, keepdims=True)
    out[:len(begin)] = table[:len(begin)]  # these did so before
    return out


def identity(name):
    """Equal numbers for equal texts."""
    offsets, ids = texts[name]
    known = {}
    return np.array([known.setdefault(ids[a:b].tobytes(), len(known)) for a, b in zip(offsets, offsets[1:])])


begin = np.empty((0, args.dimensions), np.float32) if not args.begin else load_table(args.begin)
table = initial()
speed = np.where(np.arange(len(table)) < len(begin), args.old_rate, 1).astype(np.float32)[:, None]
alike = cells(np.load(args.first)) if args.first else None
same_if = [groups, identity("q"), identity("p")]
first, second = np.zeros_like(table), np.zeros_like(table)
began, losses = time.time(), []
for step in range(args.steps):
    rows = draw()
    n = len(rows)
    wrong = rng.random(n) < args.noise
    queries = [b if w else a for b, a, w in zip(parts_of("n", rows, 48), parts_of("q", rows, 48), wrong)]
    counts = counted([thinned(q, args.thin[0]) for q in queries] + [thinned(p, args.thin[1]) for p in parts_of("p", rows, args.window)])
    met, columns = np.unique(counts.indices, return_inverse=True)
    counts = sparse.csr_matrix((counts.data, columns.astype(np.int32), counts.indptr), shape=(2 * n, len(met)))
    sums = torch.from_numpy(counts @ table[met]).requires_grad_()
    vectors = F.normalize(sums)
    scores = vectors[:n] @ vectors[n:].T * args.scale
    kin = torch.zeros(n, n, dtype=torch.bool)
    for ids in same_if:
        ids = torch.from_numpy(ids[rows])
        kin |= ids[:, None] == ids[None]
    scores = scores.masked_fill(kin.fill_diagonal_(False), -1e4)
    own = torch.arange(n)
    loss = (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2
    loss.backward()
    gradient = counts.T @ sums.grad.numpy()
    real = met >= len(SPECIALS)
    rate = args.rate * min(1, (step + 1) / 50) * 0.5 * (1 + math.cos(math.pi * step / args.steps)) + 1e-5
    update(met[real], gradient[real], step, rate)
    losses.append(loss.item())
    if step % 100 == 0 or step == args.steps - 1:
        print(step, round(float(np.mean(losses[-100:])), 3), f"{time.time() - began:.0f} s", flush=True)
# A token that training never met keeps its random direction, so that equal words of an unknown language match; it
# gets the length of the others, as a rare word is what tells texts apart.
met = np.bincount(np.concatenate([ids for _, ids in texts.values()]), minlength=len(table)) > 0
met[:len(SPECIALS)] = True
lengths = np.linalg.norm(table, axis=1, keepdims=True)
table[~met] *= np.median(lengths[met]) / lengths[~met]
# Runs that began at one random table and saw different batches: their mean forgets what only one believed.
np.save(args.out, np.mean([together(table), *map(np.load, args.mean)], axis=0))
