#!/usr/bin/env python3
"""How well an encoder finds the pages of cases in visitors' own words, alone and mixed with BM25: a quick look before weights are fitted.

    python mixes.py SITES_DIR CASES_DIR MODEL [MODEL ...] [--sites NAME ...]

MODEL: a folder as convert.py and minilm.py write it. Of each site at most 700 pages, those that cases expect among them. Prints
recall@1 and @3 of questions and of dead paths, each site counting the same: by the encoder alone (best passage and part of the
title), and the mean of six mixes with BM25 (evaluate.py; title counted three times).
"""
import argparse
import math
import os
import re

import numpy as np

from encoder import Encoder
from evaluate import bm25, rows
from tune import embedder

SITES = ["nuget", "nlb_reference", "istio", "mlaw_sg", "opensearch", "pingcap", "cpp_docs"]
PAGES = 700
WORDS = 130        # of a passage; of a page six are looked at
TITLE = (0.3, 0.6)
LEXICAL = (0, 0.02, 0.04, 0.06)


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


def segments(url):
    path = re.sub(r"^https?://[^/]+", "", url)
    return [" ".join(words(re.sub(r"\.\w{2,4}$", "", part))) for part in path.split("/") if part]


def passages(text):
    text = text.split()[: 6 * WORDS]
    size = math.ceil(len(text) / max(1, math.ceil(len(text) / WORDS))) or 1
    return [" ".join(text[i:i + size]) for i in range(0, len(text), size)] or [""]


def recalls(values, right):
    ranks = [min(((row > row[page]).sum() for page in pages), default=len(row)) for row, pages in zip(values, right)]
    return [np.mean([rank < most for rank in ranks]) for most in (1, 3)]


def measure(site, cases, embed):
    """[questions or paths, mix, recall@1 or @3]; the first mixes are without BM25."""
    expected = {url for case in cases for url in [case["expected"], *case["also_ok"]]}
    pages = sorted(rows(os.path.join(site, "pages.jsonl")), key=lambda page: page["url"] not in expected)[:PAGES]
    at = {page["url"]: i for i, page in enumerate(pages)}
    right = [[at[url] for url in [case["expected"], *case["also_ok"]] if url in at] for case in cases]
    texts = [passages(page["content"]) for page in pages]
    starts = np.cumsum([0, *map(len, texts[:-1])])
    vectors = embed([text for of_page in texts for text in of_page], "passage")
    titles = embed([page["title"] for page in pages], "passage")
    questions = [case["question"] for case in cases]
    paths = [segments(case["path"]) or [""] for case in cases]
    whole, last = (embed(part, "query") for part in ([" ".join(path) for path in paths], [path[-1] for path in paths]))
    asked = [embed(questions, "query"), (whole + last) / np.linalg.norm(whole + last, axis=1, keepdims=True)]
    documents = [" ".join([page["title"]] * 3 + [page["content"], *segments(page["url"])]) for page in pages]
    found = []
    for queries, texts_asked in zip(asked, (questions, [" ".join(path) for path in paths])):
        best, overlap = np.maximum.reduceat(queries @ vectors.T, starts, axis=1), bm25(documents, texts_asked)
        found.append([recalls(best + b * (queries @ titles.T) + a * overlap, right) for a in LEXICAL for b in TITLE])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites")
    parser.add_argument("cases")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--sites", nargs="+", default=SITES, dest="names", help="of SITES_DIR")
    args = parser.parse_args()
    for folder in args.models:
        embed = embedder(folder, Encoder(folder))
        of_sites = [measure(os.path.join(args.sites, site), rows(os.path.join(args.cases, f"{site}.jsonl")), embed) for site in args.names]
        mean = np.mean(of_sites, axis=0)
        for kind, mixes in zip(("questions", "dead paths"), mean):
            alone, mixed = mixes[: len(TITLE)].mean(0), mixes[len(TITLE):].mean(0)
            print(f"{folder} {kind}: alone {alone[0]:.3f}/{alone[1]:.3f}, mixed {mixed[0]:.3f}/{mixed[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
