"""Adds sub-words of other languages to a vocabulary; the pieces it had keep their numbers.

usage: python3 extend_vocabulary.py TRAIN_DIR OLD_MODEL_DIR MODEL_DIR

Runs of Chinese and Japanese characters are words here, cut by the longest known piece (handle_chinese_chars is off).
A whole word and the same letters inside a word share one row: `##schutz` in `Datenschutz` is `schutz`.
"""
import collections
import json
import os
import random
import re
import shutil
import sys
import tempfile

import sentencepiece

import corpus
import languages
from wordpiece import SPECIALS, WordPiece, words

# Pieces to add for each language. German and Norwegian join words, so they need more.
BUDGET = {"de": 4500, "es": 3500, "fr": 3500, "no": 4000, "zh": 4500, "ja": 3500, "pt": 900, "it": 900, "ru": 900,
          "nl": 600, "da": 600, "sv": 600, "pl": 600, "ko": 600}
LEAST = 2  # texts a word must occur in
RUN = re.compile("[\u4e00-\u9fff]+|[\u30a1-\u30ff\u30fc]+|[\u3041-\u309f]+")
# Chinese particles; a piece that begins or ends with one would hide the word beside it.
PARTICLES = re.compile("^[\u7684\u4e86\u548c\u662f\u5728\u4e0e\u6216\u53ca\u7b49]|[\u7684\u4e86\u548c\u662f\u5728\u4e0e\u6216\u53ca\u7b49]$")


def texts(train):
    """(language, text) of all texts."""
    for kind in ("sites", "pairs", "words"):
        for _, language, path in languages.files(train, kind):
            for row in corpus.rows(path):
                if kind == "sites":
                    yield language, " ".join([row["meta"].get("title") or "", *(f"{h} {t}" for h, t in row["secs"])])[:12_000]
                elif kind == "pairs":
                    yield language, f"{row['query']} {row['passage']}"
                else:
                    yield language, " ".join(row["words"])


def counts(train):
    """{language: {word: number of texts}}; a run of Chinese or Japanese is split where its script changes."""
    found, seen = collections.defaultdict(collections.Counter), set()
    for language, text in texts(train):
        if hash(text) in seen:
            continue
        seen.add(hash(text))
        these = set(words(text, isolate=False))
        if language in ("zh", "ja"):
            these = {r for w in these for r in RUN.findall(w)}
        found[language].update(w for w in these if len(w) <= 40)
    return {language: {w: n for w, n in c.items() if n >= LEAST} for language, c in found.items()}


def proposed(frequencies, size):
    """Pieces by BPE, as WordPiece writes them."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/words.tsv", "w", encoding="utf-8") as file:
            file.writelines(f"{w}\t{n}\n" for w, n in sorted(frequencies.items()))
        sentencepiece.SentencePieceTrainer.train(
            input=f"{folder}/words.tsv", input_format="tsv", model_prefix=f"{folder}/bpe", model_type="bpe", vocab_size=size,
            character_coverage=0.9999, normalization_rule_name="identity", num_threads=1, split_by_number=False,
            split_by_unicode_script=False, minloglevel=1, hard_vocab_limit=False)
        model = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/bpe.model")
        pieces = [model.id_to_piece(i) for i in range(model.get_piece_size()) if not model.is_control(i) and not model.is_unknown(i)]
    return [p[1:] if p[0] == "\u2581" else f"##{p}" for p in pieces if p != "\u2581"]


def with_shared_rows(vocabulary):
    """The vocabulary with `##word` as another name of `word`, where it has no row of its own."""
    out = dict(vocabulary)
    for piece, i in vocabulary.items():
        inner = f"##{piece}"
        if not piece.startswith("##") and piece not in SPECIALS and inner not in out and (RUN.match(piece) or len(piece) > 3 and piece.isalpha()):
            out[inner] = i
    return out


def main(train, old, out):
    with open(f"{old}/tokenizer.json", encoding="utf-8") as file:
        tokenizer = json.load(file)
    vocabulary = tokenizer["model"]["vocab"]
    found = counts(train)
    chosen = []
    for language, budget in BUDGET.items():
        frequencies = found[language]
        unspaced = language in ("zh", "ja")
        pieces = proposed(frequencies, 8000 + 3 * budget)
        if unspaced:  # one row for a piece wherever it stands
            pieces = [p.removeprefix("##") for p in pieces]
            pieces = [p for p in pieces if len(p) < 2 or not PARTICLES.search(p)]
        known = {**vocabulary, **{p: -1 for p in chosen}}
        new = [p for p in dict.fromkeys(pieces) if p not in known]
        greedy = WordPiece(with_shared_rows({p: i for i, p in enumerate([*known, *new])}), isolate=False)
        used = collections.Counter()
        for word, n in frequencies.items():
            for i in greedy.word(word):
                used[i] += n
        ranked = sorted(range(len(known), len(known) + len(new)), key=lambda i: (-used[i], new[i - len(known)]))
        chosen += [new[i - len(known)] for i in ranked[:budget] if used[i]]
    merged = with_shared_rows({**vocabulary, **{p: len(vocabulary) + i for i, p in enumerate(dict.fromkeys(chosen))}})
    tokenizer["normalizer"]["handle_chinese_chars"] = False
    tokenizer["model"]["vocab"] = merged
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/tokenizer.json", "w", encoding="utf-8") as file:
        json.dump(tokenizer, file, ensure_ascii=False, separators=(",", ":"))
    shutil.copy(f"{old}/tokenizer_config.json", out)
    after, before = WordPiece(merged, isolate=False), WordPiece(vocabulary, isolate=False)
    for language in BUDGET:
        total = sum(found[language].values())
        share = lambda t: sum(n * len(t.word(w)) for w, n in found[language].items()) / total
        print(f"{language}: {len(found[language])} words, {share(before):.2f} pieces a word before, {share(after):.2f} after")
    print(f"{1 + max(merged.values())} rows, {len(merged)} pieces, {len(chosen)} new")


main(*sys.argv[1:])
