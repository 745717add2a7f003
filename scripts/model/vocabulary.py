"""Learns the sub-words and writes tokenizer.json and tokenizer_config.json.

usage: python3 vocabulary.py TRAIN_DIR MODEL_DIR

sentencepiece (BPE) proposes pieces of the words of the training text; greedy WordPiece matching, which is what
runs in the product, then decides which of them are used often enough to stay.
"""
import collections
import json
import os
import random
import sys
import tempfile
import unicodedata

import sentencepiece

import corpus
from wordpiece import CJK, SPECIALS, WordPiece, words

PROPOSED, KEPT, INNER_WORDS = 40_000, 27_000, 4_000
LEAST = 3  # texts a word must occur in


def counts(train):
    """{word: number of texts it occurs in}. Texts, not occurrences: one long page should not buy pieces."""
    found, seen = collections.Counter(), set()
    for query, passage, _, _ in corpus.pairs(train, random.Random(0)):
        for text in (query, passage):
            if hash(text) not in seen:
                seen.add(hash(text))
                found.update(set(words(text)))
    return {w: n for w, n in found.items() if n >= LEAST and len(w) <= 40}


def scripts():
    """Characters of scripts that the (English) training text lacks: their vectors stay random, which still matches
    equal words. Chinese and Japanese: the level 1 sets of GB 2312 and JIS X 0208, in common use."""
    blocks = [(0x21, 0x7F), (0xA1, 0x180), (0x370, 0x530), (0x5D0, 0x5EB), (0x620, 0x64B), (0x904, 0x93A), (0xE01, 0xE4F),
              (0x1100, 0x1113), (0x1161, 0x1176), (0x11A8, 0x11C3), (0x3041, 0x3097), (0x30A1, 0x30FD)]
    chars = {chr(c) for first, end in blocks for c in range(first, end)}
    for codec, first, end in (("gb2312", 16, 56), ("euc_jp", 16, 48)):
        for row in range(first, end):
            for cell in range(1, 95):
                chars.update(bytes([row + 0xA0, cell + 0xA0]).decode(codec, "ignore"))
    # Only what is left after normalization can ever be looked up.
    return {w for c in chars if unicodedata.category(c) != "Cn" for w in words(c) if len(w) == 1}


def proposed(frequencies):
    """Pieces by BPE, as WordPiece writes them, and all single characters."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/words.tsv", "w", encoding="utf-8") as file:
            file.writelines(f"{w}\t{n}\n" for w, n in sorted(frequencies.items()) if not CJK.search(w))
        sentencepiece.SentencePieceTrainer.train(
            input=f"{folder}/words.tsv", input_format="tsv", model_prefix=f"{folder}/bpe", model_type="bpe",
            vocab_size=PROPOSED, character_coverage=1.0, normalization_rule_name="identity", num_threads=1,
            split_by_number=False, split_by_unicode_script=False, minloglevel=1, hard_vocab_limit=False)
        model = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/bpe.model")
        pieces = [model.id_to_piece(i) for i in range(model.get_piece_size()) if not model.is_control(i) and not model.is_unknown(i)]
    return [p[1:] if p[0] == "\u2581" else f"##{p}" for p in pieces if p != "\u2581"]


def main(train, out):
    frequencies = counts(train)
    known = sorted({c for w, n in frequencies.items() if n >= 20 for c in w} | scripts())
    singles = [s for c in known for s in ((c,) if CJK.match(c) else (c, f"##{c}"))]
    by_count = sorted(frequencies, key=lambda w: (-frequencies[w], w))
    # Whole words inside a word: joined words of mistyped paths, camelCase names.
    inner = [f"##{w}" for w in by_count if len(w) > 3 and w.isalpha() and w.isascii()][:INNER_WORDS]
    pieces = list(dict.fromkeys(SPECIALS + singles + inner + proposed(frequencies)))
    greedy = WordPiece({p: i for i, p in enumerate(pieces)})
    used = collections.Counter()
    for word, n in frequencies.items():
        for i in greedy.word(word):
            used[i] += n
    fixed = set(SPECIALS + singles + inner)
    ranked = sorted((i for i, p in enumerate(pieces) if p not in fixed), key=lambda i: (-used[i], pieces[i]))
    kept = list(dict.fromkeys(SPECIALS + singles + inner + [pieces[i] for i in ranked[:KEPT - len(inner)]]))
    os.makedirs(out, exist_ok=True)
    special = [{"id": i, "content": s, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
               for i, s in enumerate(SPECIALS)]
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": True, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": None, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                  "vocab": {p: i for i, p in enumerate(kept)}}}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192, "clean_up_tokenization_spaces": True,
              "unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    for name, value in (("tokenizer.json", tokenizer), ("tokenizer_config.json", config)):
        with open(f"{out}/{name}", "w", encoding="utf-8") as file:
            json.dump(value, file, ensure_ascii=False, separators=(",", ":"))
    print(f"{len(kept)} pieces, {len(singles)} of them single characters, from {len(frequencies)} words")


main(*sys.argv[1:])
