"""Turns the training folder into token arrays for train.py.

usage: python3 pairs.py TRAIN_DIR MODEL_DIR/tokenizer.json TOKENS_DIR [languages]

With `languages`, all pairs of languages.py, and one of four English pairs.

Writes for each of q (queries), n (the same queries with typing errors) and p (passages): NAME.ids uint16 [tokens] and
NAME.off int64 [pairs + 1]; group.i32 and source.i32 [pairs], the page and the origin of each pair; sources.json;
base.i64, how many pairs, the first ones, are from corpus.pairs.
"""
import json
import os
import random
import sys

import numpy as np

import corpus
import languages
from wordpiece import WordPiece

QUERY_TOKENS, PASSAGE_TOKENS = 48, 400
NEIGHBOURS = {a: row[max(0, i - 1):i] + row[i + 1:i + 2] for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for i, a in enumerate(row)}


def slip(rng, word):
    """One typing error in a word: a swap, a loss, a doubling, a neighbouring key, or a cut end."""
    at = rng.randrange(len(word) - 1)
    kind = rng.randrange(5)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    if kind == 1:
        return word[:at] + word[at + 1:]
    if kind == 2:
        return word[:at] + word[at] + word[at:]
    if kind == 3:
        return word[:at] + rng.choice(NEIGHBOURS.get(word[at].lower(), "e")) + word[at + 1:]
    return word[:max(3, len(word) - rng.randint(1, 4))]


def noisy(rng, query):
    """A query as a dead path would say it: a word or two mistyped, joined, split or dropped, small words left out."""
    words = query.split()
    if len(words) > 4:
        words = [w for w in words if len(w) > 3 or rng.random() < 0.6] or words
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(words))
        kind = rng.random()
        if kind < 0.2 and at + 1 < len(words):
            words[at:at + 2] = [words[at] + words[at + 1]]
        elif kind < 0.3 and len(words) > 2:
            del words[at]
        elif kind < 0.4 and len(words[at]) > 5:
            cut = rng.randrange(2, len(words[at]) - 1)
            words[at:at + 1] = [words[at][:cut], words[at][cut:]]
        elif len(words[at]) > 3:
            words[at] = slip(rng, words[at])
    if len(words) > 1 and rng.random() < 0.05:
        words = ["".join(words)]
    return " ".join(words)


def labelled(train, rng):
    """(pair, whether it is from corpus.more_pairs)."""
    for pair in corpus.pairs(train, rng):
        yield pair, False
    for pair in corpus.more_pairs(train, rng):
        yield pair, True


def with_languages(train, rng):
    for pair in languages.pairs(train, rng):
        yield pair, False
    thin = random.Random(3)
    yield from (pair for pair in labelled(train, rng) if thin.random() < 0.25)


def main(train, tokenizer_json, out, kind="english"):
    rng, errors = random.Random(1), random.Random(2)
    tokenizer = WordPiece.load(tokenizer_json)
    lists, groups, sources, group_ids, source_ids = {"q": [], "n": [], "p": []}, [], [], {}, {}
    encoded = {}  # many queries share one passage
    base = 0  # how many pairs are from corpus.pairs
    for (query, passage, group, source), more in (with_languages if kind == "languages" else labelled)(train, rng):
        if not query or not query.strip() or not passage:
            continue
        q = tokenizer.encode(query[:300])[:QUERY_TOKENS]
        p = encoded.get(passage)
        if p is None:
            p = encoded[passage] = np.array(tokenizer.encode(passage)[:PASSAGE_TOKENS], np.uint16)
        if not q or len(p) < 2:
            continue
        n = tokenizer.encode(noisy(errors, query[:300]))[:QUERY_TOKENS] or q
        for name, ids in (("q", np.array(q, np.uint16)), ("n", np.array(n, np.uint16)), ("p", p)):
            lists[name].append(ids)
        base += not more
        groups.append(group_ids.setdefault(group, len(group_ids)))
        sources.append(source_ids.setdefault(source, len(source_ids)))
    os.makedirs(out, exist_ok=True)
    for name, arrays in lists.items():
        np.concatenate(arrays).tofile(f"{out}/{name}.ids")
        np.cumsum([0] + [len(a) for a in arrays], dtype=np.int64).tofile(f"{out}/{name}.off")
    np.array([base], np.int64).tofile(f"{out}/base.i64")
    np.array(groups, np.int32).tofile(f"{out}/group.i32")
    np.array(sources, np.int32).tofile(f"{out}/source.i32")
    with open(f"{out}/sources.json", "w", encoding="utf-8") as file:
        json.dump(source_ids, file, indent=1)
    print(f"{len(groups)} pairs of {len(group_ids)} groups")


main(*sys.argv[1:])
