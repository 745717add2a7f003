"""Texts with the vectors that Python computes for them from the float table, for verify.mjs to compare with.

usage: python3 reference.py SITES_DIR MODEL_DIR/tokenizer.json TABLE.npy OUT.json
"""
import json
import os
import random
import sys

import numpy as np

from evaluate import cases, embed, rows
from wordpiece import WordPiece

ODD = ["   ", "🎉", "🎉🎉 hello 🇩🇪", "x" * 5000, "a" * 100, "a" * 101, "Grundsätze für Ämter und Straßen", "Préparer l’été à Évry",
       "Как восстановить пароль", "パスワードをリセットする方法", "忘记密码怎么办", "비밀번호를 잊었어요", "نسيت كلمة المرور",
       "पासवर्ड भूल गए", "ลืมรหัสผ่าน", "İstanbul ΣΊΣΥΦΟΣ ǅ", "zero\u200bwidth\u00a0space\ttab\x01control", "/docs/api-v2/getting-started",
       "C++ & C# — 100 % “quotes”…", "foo_bar-baz.qux", "naïve café ﬁne", "𝒜𝓁𝓅𝒽𝒶 𠮷野家", "ｆｕｌｌ　ｗｉｄｔｈ", "①②③ ½ ²"]


def main(sites, tokenizer_json, table, out):
    rng = random.Random(0)
    texts = list(ODD)
    for site in sorted(os.listdir(sites)):
        texts += [p["content"][:600] for p in rng.sample(rows(f"{sites}/{site}/pages.jsonl"), 14)]
        texts += [q for q, _ in rng.sample(cases(f"{sites}/{site}")["typos"], 7)]
    tokenizer = WordPiece.load(tokenizer_json)
    ids = [tokenizer.encode(t) for t in texts]
    found = embed(np.load(table), [np.array(i, np.int64) for i in ids])
    with open(out, "w", encoding="utf-8") as file:
        json.dump([{"text": t, "ids": i, "vector": v.round(6).tolist()} for t, i, v in zip(texts, ids, found)], file)
    print(f"{len(texts)} texts")


main(*sys.argv[1:])
