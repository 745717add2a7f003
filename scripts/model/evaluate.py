"""Recall of content alone on real sites: a page's score is that of its best passage.

usage: python3 evaluate.py SITES_DIR MODEL_DIR/tokenizer.json TABLE.npy|model.onnx [--tokens 64,128] [--bm25] [--fused]

--bm25 adds plain BM25, a check of this harness; --fused adds a lexical score and its sum with each table's.

SITES_DIR/SITE/{pages,redirects,typos,queries}.jsonl; a path becomes a query by wordpiece.path_to_query.
Prints recall@1/@3 per site, and the macro-average over the sites (each site counts the same).
"""
import argparse
import json
import math
import os
import re
from collections import Counter, defaultdict

import numpy as np

from wordpiece import WordPiece, path_to_query

SETS = ("redirects", "typos", "queries")
LEAD = 60  # tokens of a page's beginning
FUSED = 2  # weight of a cosine beside the lexical score


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cases(folder):
    """{set: [(query text, {right urls})]}; redirects to catch-all pages are left out."""
    return {name: [(r["query"] if "query" in r else path_to_query(r["path"]), {r["expected"], *r.get("also_ok", [])})
                   for r in rows(f"{folder}/{name}.jsonl") if not r.get("catch_all")] for name in SETS}


def embed(table, texts):
    """Normalized sums [len(texts), dimensions] of rows of table [vocabulary, dimensions]; texts are arrays of ids."""
    out = np.zeros((len(texts), table.shape[1]), np.float32)
    for i, ids in enumerate(texts):
        out[i] = table[ids].sum(0)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


def dense(table, tokens, pages, queries):
    """Scores [queries, pages]: the best cosine among a page's passages. `pages` and `queries` are arrays of ids.

    A page is cut into equal passages of at most `tokens` tokens: a short rest at its end, about a few words only,
    would come too close to too many queries.
    """
    passages, starts = [], []
    for ids in pages:
        starts.append(len(passages))
        passages.extend(np.array_split(ids, max(1, -(-len(ids) // tokens))))
    return np.maximum.reduceat(embed(table, queries) @ embed(table, passages).T, starts, axis=1)


def bm25(texts, queries, k1=1.2, b=0.75):
    """Scores [queries, pages] of plain BM25 over lower-cased words: a check of this harness."""
    split = lambda text: re.findall(r"[^\W_]+", text.lower())
    counts = [Counter(split(t)) for t in texts]
    lengths = np.array([sum(c.values()) for c in counts])
    postings = defaultdict(list)
    for page, count in enumerate(counts):
        for word, n in count.items():
            postings[word].append((page, n / (n + k1 * (1 - b + b * lengths[page] / lengths.mean()))))
    scores = np.zeros((len(queries), len(texts)), np.float32)
    for i, query in enumerate(queries):
        for word in split(query):
            found = postings.get(word, ())
            idf = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for page, weight in found:
                scores[i, page] += idf * weight
    return scores


def stem(word):
    """A light stem: plurals, -ing, -ed (src/text/words/word-forms.ts)."""
    if len(word) < 4 or not re.fullmatch("[a-z]+", word):
        return word
    if word.endswith("s") and not re.search("(ss|us|is)$", word):
        if word.endswith("ies") and len(word) > 4:
            word = word[:-3] + "y"
        else:
            word = word[:-2] if re.search("(s|x|z|ch|sh)es$", word) else word[:-1]
    root = word
    for ending in ("ing", "ed"):
        rest = word[:-len(ending)]
        if word.endswith(ending) and len(rest) >= 3 and re.search("[aeiouy]", rest):
            root = re.sub(r"([bdfgmnprt])\1$", r"\1", rest)
            break
    return root[:-1] if len(root) > 3 and root.endswith("e") else root


def stems(text):
    return [stem(re.sub("['\u2019\u02bc]", "", w).lower()) for w in re.findall(r"[^\W_]+(?:['\u2019\u02bc][^\W_]+)*", text)]


def lexical(texts, queries, k1=2, b=0.75, leads=((100, 1), (30, 2), (10, 2))):
    """Scores [queries, pages] of BM25 over stems, a page's first words counted more often, as shares of the query's
    sum of idf; a word of no page counts as the rarest. `leads`: (words, times more)."""
    counts = []
    for text in texts:
        found = stems(text)
        count = Counter(found)
        for n, times in leads:
            for word in found[:n]:
                count[word] += times
        counts.append(count)
    lengths = np.array([sum(c.values()) for c in counts])
    postings = defaultdict(lambda: ([], []))
    for page, count in enumerate(counts):
        for word, n in count.items():
            postings[word][0].append(page)
            postings[word][1].append(n * (k1 + 1) / (n + k1 * (1 - b + b * lengths[page] / lengths.mean())))
    scores = np.zeros((len(queries), len(texts)), np.float32)
    for i, query in enumerate(queries):
        ideal = 0
        for word in stems(query):
            found, weights = postings.get(word, ([], []))
            idf = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            ideal += idf
            scores[i, found] += idf * np.array(weights, np.float32)
        scores[i] /= ideal or 1
    return scores


def recall(scores, urls, right):
    """(recall@1, recall@3) of scores [queries, pages]."""
    top = np.argsort(-scores, axis=1, kind="stable")[:, :3]
    hits = np.array([[urls[p] in ok for p in row] for row, ok in zip(top, right)])
    return hits[:, 0].mean(), hits.any(1).mean()


def load_table(path):
    """Float table [vocabulary, dimensions] of a .npy, or of the int8 rows and scales of an exported graph."""
    if path.endswith(".npy"):
        return np.load(path)
    import onnx
    from onnx import numpy_helper
    found = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    return found["table"].astype(np.float32) * found["scale"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sites")
    parser.add_argument("tokenizer")
    parser.add_argument("table", nargs="+", help="one or more tables to compare")
    parser.add_argument("--tokens", default="200")
    parser.add_argument("--bm25", action="store_true")
    parser.add_argument("--fused", action="store_true")
    args = parser.parse_args()
    tokenizer = WordPiece.load(args.tokenizer)
    tables = {path: load_table(path) for path in args.table}
    totals = defaultdict(lambda: defaultdict(list))
    for site in sorted(os.listdir(args.sites)):
        folder = f"{args.sites}/{site}"
        pages, wanted = rows(f"{folder}/pages.jsonl"), cases(folder)
        urls = [p["url"] for p in pages]
        contents = [np.array(tokenizer.encode(p["content"]), np.int64) for p in pages]
        for name in SETS:
            queries, right = zip(*wanted[name])
            ids = [np.array(tokenizer.encode(q), np.int64) for q in queries]
            methods = {f"{path} {n}": (lambda t=t, n=n: dense(t, int(n), contents, ids)) for path, t in tables.items() for n in args.tokens.split(",")}
            if args.bm25:
                methods["bm25"] = lambda: bm25([p["content"] for p in pages], queries)
            if args.fused:
                words = lexical([p["content"] for p in pages], queries)
                methods["lexical"] = lambda: words
                for path, t in tables.items():
                    for n in args.tokens.split(","):
                        best = dense(t, int(n), contents, ids)
                        lead = dense(t, LEAD, [c[:LEAD] for c in contents], ids)
                        methods[f"{path} {n} with lead"] = lambda best=best, lead=lead: best + lead / 2
                        methods[f"{path} {n} fused"] = lambda best=best: words + FUSED * best
                        methods[f"{path} {n} with lead, fused"] = lambda best=best, lead=lead: words + FUSED * (best + lead / 2) / 1.5
            for method, score in methods.items():
                totals[method][name].append((site, *recall(score(), urls, right)))
    for method, sets in totals.items():
        print(f"\n{method}\n{'':20}" + "".join(f"{name:>12}" for name in SETS))
        for i, (site, *_) in enumerate(sets[SETS[0]]):
            print(f"{site:20}" + "".join(f"{sets[n][i][1]:7.2f}/{sets[n][i][2]:.2f}" for n in SETS))
        print(f"{'macro-average':20}" + "".join(f"{np.mean([r[1] for r in sets[n]]):7.3f}/{np.mean([r[2] for r in sets[n]]):.3f}" for n in SETS))


if __name__ == "__main__":
    main()
