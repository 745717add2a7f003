"""WordPiece in Python, the same ids as `@huggingface/tokenizers` gives for our tokenizer.json.

Training and evaluation tokenize tens of millions of words; a cache per word makes this faster here than a call
into another process. verify.mjs checks that both sides agree.
"""
import json
import re
import unicodedata
from urllib.parse import unquote

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
UNKNOWN = 1
LONGEST_WORD = 100  # characters; a longer word is [UNK], as greedy matching is quadratic in it
# Blocks that BertNormalizer isolates: a CJK text becomes a text of one-character words.
CJK = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
ASCII_PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_kinds = {}


def _kind(char):
    """'' for a character to drop, ' ' for a space, 'p' for punctuation (a word of its own), 'w' for all else."""
    kind = _kinds.get(char)
    if kind is None:
        category = unicodedata.category(char)
        if char in "\t\n\r" or char.isspace() and category != "Cc":
            kind = " "
        elif category in ("Cc", "Cf", "Co", "Cs", "Mn") or char == "\ufffd":
            kind = ""
        else:
            kind = "p" if char in ASCII_PUNCTUATION or category[0] == "P" else "w"
        _kinds[char] = kind
    return kind


def words(text, isolate=True):
    """Lower-cased words and punctuation marks of a text, accents stripped: BertNormalizer, then BertPreTokenizer.

    `isolate`: BertNormalizer's handle_chinese_chars. Without it a run of Chinese characters is one word, of which
    greedy matching takes the longest pieces.
    """
    text = unicodedata.normalize("NFD", (CJK.sub(r" \1 ", text) if isolate else text).lower())
    if text.isascii():
        return re.findall(r"[a-z0-9]+|[!-/:-@\[-`{-~]", text)
    out = []
    for char in text:
        kind = _kind(char)
        out.append(f" {char} " if kind == "p" else char if kind == "w" else kind)
    return "".join(out).split()


def path_to_query(path):
    """'/docs/api-v2/gettingStarted.html?x=1' becomes 'docs api v2 getting started': the query text of a dead path."""
    path = unquote(path.split("#")[0].split("?")[0])
    path = re.sub(r"\.[A-Za-z][A-Za-z0-9]{0,4}/?$", "", path)
    return " ".join(CAMEL.sub(" ", re.sub(r"[/\-_.\s]+", " ", path)).lower().split())


class WordPiece:
    """Greedy longest match of each word against a vocabulary {piece: id}; '##' marks a piece inside a word."""

    def __init__(self, vocabulary, isolate=True):
        self.vocabulary = vocabulary
        self.isolate = isolate
        self.longest = max(len(piece) for piece in vocabulary)
        self.cache = {}

    @classmethod
    def load(cls, tokenizer_json):
        with open(tokenizer_json, encoding="utf-8") as file:
            file = json.load(file)
        return cls(file["model"]["vocab"], file["normalizer"]["handle_chinese_chars"])

    def word(self, word):
        """Ids of one word's pieces: [UNK] alone when the word is too long or has a character without a piece."""
        ids = self.cache.get(word)
        if ids is None:
            ids = self.cache[word] = self._match(word)
        return ids

    def _match(self, word):
        if len(word) > LONGEST_WORD:
            return [UNKNOWN]
        ids, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                found = self.vocabulary.get(mark + word[start:end])
                if found is not None:
                    ids.append(found)
                    start = end
                    break
            else:
                return [UNKNOWN]
        return ids

    def encode(self, text):
        """Ids of a text (no special tokens are added)."""
        return [i for word in words(text, self.isolate) for i in self.word(word)]
