#!/usr/bin/env python3
"""Tune a sentence encoder on questions and dead paths in visitors' own words.

    python tune.py MODEL OUT --pages 'SITES/*.jsonl.gz' --questions 'questions/*.jsonl' [--general 'TRAIN_DIR/squad11_train.jsonl.gz' ...]

MODEL is a folder as convert.py and minilm.py write it, OUT one like it with tuned weights. Pages: a file for each site, {file, meta:
{title}, secs: [[heading, text]]} a line. Questions: {site, file, q: [...], paths: [...][, also: [file], not: file]} a line: `also` are
pages that are right, too, `not` is the nearest wrong one. General: {query, passage} a line.

A batch is of one site: 32 questions, of each a passage of its page (most often the one that the model finds nearest before it is
tuned, else the first, else the title) and a passage of another page that it takes for near, or of `not`. Of each question the own
passage is to be nearer than all others of the batch: InfoNCE, temperature .05 (van den Oord 2018). Other batches are headings with
the text below them, and general questions with their paragraphs, so that what the model knew is kept. Word rows and positions stay.
What is written is the mean of the weights, each step's a hundredth (Polyak 1992). OUT.state keeps the last fiftieth step, and
OUT.vectors what was read of the pages: the same command goes on from there.
"""
import argparse
import glob
import gzip
import json
import os
import random
import re
import time

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F

from encoder import FILE, Encoder

SIZE = 32          # questions in a batch
WORDS = 130        # of a passage
TEMPERATURE = 0.05


def passages(text, most):
    words = text.split()
    if len(words) < len(text) / 12:  # scripts without blanks
        return [text[i:i + 300] for i in range(0, len(text), 300)][:most] or [""]
    return [" ".join(words[i:i + WORDS]) for i in range(0, len(words), WORDS) if i == 0 or len(words) - i > 20][:most] or [""]


def lines(path):
    with (gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")) as f:
        return [json.loads(line) for line in f]


def path_words(path, rng):
    """A dead path as pathmend embeds it: all its words, or those of its last segment."""
    parts = [" ".join(re.findall(r"[^\W_]+", re.sub(r"\.\w{2,4}$", "", part))) for part in path.split("/") if part]
    return " ".join(parts) if rng.random() < 0.5 else parts[-1] if parts else ""


class Site:
    """A site's pages with their passages, and their vectors by the untuned model."""

    def __init__(self, pages, embed, most, kept):
        self.titles = [page["meta"]["title"] for page in pages]
        texts = [passages(" ".join(" ".join(part) for part in page["secs"]), most) for page in pages]
        self.texts = [text for of_page in texts for text in of_page]
        self.page = np.array([i for i, of_page in enumerate(texts) for _ in of_page])
        # Reading is slow, so a command that goes on uses the vectors of before.
        self.vectors = np.load(kept) if os.path.exists(kept) else None
        if self.vectors is None or len(self.vectors) != len(self.texts):
            self.vectors = embed(self.texts, "passage")
            np.save(kept, self.vectors)
        self.headings = [(heading, " ".join(text.split()[:WORDS]), i) for i, page in enumerate(pages)
                         for heading, text in page["secs"] if len(heading.split()) >= 2 and len(text.split()) >= 25]
        self.questions = []

    def ask(self, rows, embed, rng):
        """Finds the passages of each question: its own, nearest first, the first of its page, and near ones of other pages."""
        asked = embed([path_words(q, rng) if q.startswith("/") else q for q, *_ in rows], "query") @ self.vectors.T
        for (question, page, also, wrong), sims in zip(rows, asked):
            own = np.where(self.page == page)[0]
            own = own[np.argsort(-sims[own])]
            near = [i for i in np.argsort(-sims)[:40]
                    if self.page[i] != page and self.page[i] not in also and sims[i] < sims[own[0]] + 0.08]
            self.questions.append((question, page, also, own[:2], own.min(), near[:25], nearest_of(wrong, sims, self.page)))


def nearest_of(page, sims, pages):
    """The passage of a page that is nearest; None for no page."""
    own = np.where(pages == page)[0]
    return own[np.argmax(sims[own])] if len(own) else None


class Batches:
    def __init__(self, sites, general, rng, shares):
        self.sites = [site for site in sites if len(site.questions) >= 8]
        self.headed = [site for site in sites if len(site.headings) >= SIZE]
        self.general, self.rng, self.shares, self.left = general, rng, shares, {}

    def next(self):
        """Questions, passages (first those of the questions, in order), the pages that are right for each question, each passage's page."""
        kind = self.rng.choices(["questions", "headings", "general"], self.shares)[0]
        if kind == "questions":
            return self._questions()
        rows = (self.rng.sample(self.rng.choices(self.headed, [len(s.headings) ** 0.5 for s in self.headed])[0].headings, SIZE)
                if kind == "headings" else [(q, p, p) for q, p in self.rng.sample(self.rng.choice(self.general), SIZE)])
        keys = [hash(key) for _, _, key in rows]
        return [q for q, _, _ in rows], [p for _, p, _ in rows], [{key} for key in keys], keys

    def _questions(self):
        rng = self.rng
        at = rng.choices(range(len(self.sites)), [len(s.questions) ** 0.7 for s in self.sites])[0]
        site = self.sites[at]
        if len(self.left.get(at, ())) < min(SIZE, len(site.questions)):
            self.left[at] = rng.sample(site.questions, len(site.questions))
        asked, texts, pages, right, others = [], [], [], [], []
        while self.left[at] and len(asked) < SIZE:
            question, page, also, own, first, near, wrong = self.left[at].pop()
            if page in pages:
                continue
            chance = rng.random()
            text = site.texts[own[0] if chance < 0.6 else own[-1] if chance < 0.75 else first]
            asked.append(path_words(question, rng) if question.startswith("/") else question)
            texts.append(text if rng.random() < 0.85 else site.titles[page])
            pages.append(page)
            right.append({page, *also})
            if wrong is not None and rng.random() < 0.4:
                others.append(wrong)
            elif near:
                others.append(rng.choice(near))
        return asked, texts + [site.texts[i] for i in others], right, pages + [int(site.page[i]) for i in others]


def embedder(folder, encoder, most=200):
    options = onnxruntime.SessionOptions()
    session = onnxruntime.InferenceSession(os.path.join(folder, FILE), options)

    def embed(texts, kind):
        found = np.zeros((len(texts), encoder.word.shape[1]), np.float32)
        for i, row in enumerate(encoder.read(texts, kind, most)):
            ids = np.array([row])
            out = session.run(None, dict(input_ids=ids, attention_mask=np.ones_like(ids)))[0][0].mean(0)
            found[i] = out / np.linalg.norm(out)
        found -= center(folder, found.shape[1])
        return found / np.linalg.norm(found, axis=1, keepdims=True)
    return embed


def center(folder, width):
    """What pathmend takes off every vector of this model before it compares them."""
    path = os.path.join(folder, "center.bin")
    return np.fromfile(path, np.float32) if os.path.exists(path) else np.zeros(width, np.float32)


def loss_of(encoder, batch, most, off):
    asked, texts, right, text_pages = batch
    # Half precision is a third faster where the processor has it; what is stored has seven bits.
    with torch.autocast("cpu", torch.bfloat16, enabled="avx512_bf16" in open("/proc/cpuinfo").read()):
        a, b = encoder(encoder.read(asked, "query", 32)), encoder(encoder.read(texts, "passage", most))
    a, b = F.normalize(a.float() - off, dim=-1), F.normalize(b.float() - off, dim=-1)
    scores = a @ b.T / TEMPERATURE
    own = torch.arange(len(asked))
    same = torch.tensor([[page in pages for page in text_pages] for pages in right])
    same[own, own] = False
    scores = scores.masked_fill(same, -1e4)
    return F.cross_entropy(scores, own) + 0.5 * F.cross_entropy(scores[:, : len(asked)].T, own)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--pages", nargs="+", required=True)
    parser.add_argument("--questions", nargs="+", required=True)
    parser.add_argument("--general", nargs="*", default=[])
    parser.add_argument("--shares", type=float, nargs=3, default=[0.7, 0.15, 0.15], help="questions, headings, general")
    parser.add_argument("--most-pages", type=int, default=100, help="of a site: those with questions, then others")
    parser.add_argument("--most-passages", type=int, default=8, help="of a page")
    parser.add_argument("--tokens", type=int, default=120, help="of a passage")
    parser.add_argument("--read-tokens", type=int, default=200, help="of a passage, where the untuned model reads it")
    parser.add_argument("--steps", type=int, default=480)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    encoder = Encoder(args.model)
    embed = embedder(args.model, encoder, args.read_tokens)

    asked = {}
    for row in (row for pattern in args.questions for path in sorted(glob.glob(pattern)) for row in lines(path)):
        asked.setdefault(row["site"], {})[row["file"]] = row
    kept = f"{args.out}.vectors"
    os.makedirs(kept, exist_ok=True)
    sites = []
    for path in sorted(path for pattern in args.pages for path in glob.glob(pattern)):
        of_site = asked.get(os.path.basename(path).removesuffix(".jsonl.gz"), {})
        pages = [page for page in lines(path) if page["meta"].get("title") and sum(len(t) for _, t in page["secs"]) > 200]
        rng.shuffle(pages)
        named = {file for row in of_site.values() for file in [row["file"], *row.get("also", []), row.get("not")]}
        pages.sort(key=lambda page: page["file"] not in named)
        pages = pages[: max(args.most_pages, len(named))]
        if not of_site and len(pages) < 40:
            continue
        at = {page["file"]: i for i, page in enumerate(pages)}
        site = Site(pages, embed, args.most_passages, os.path.join(kept, os.path.basename(path).removesuffix(".jsonl.gz") + ".npy"))
        site.ask([(text, at[row["file"]], {at[file] for file in row.get("also", []) if file in at}, at.get(row.get("not")))
                  for row in of_site.values() if row["file"] in at for text in row["q"] + row["paths"]], embed, rng)
        sites.append(site)
        print(os.path.basename(path), len(pages), "pages", len(site.questions), "questions", flush=True)
    general = [[(row["query"], " ".join(row["passage"].split()[:WORDS])) for row in lines(path)] for path in args.general]
    batches = Batches(sites, general, rng, args.shares if general else [*args.shares[:2], 0])

    off = torch.tensor(center(args.model, encoder.word.shape[1]))
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=args.rate, weight_decay=0.01)
    begun, mean, first = time.time(), None, 1
    averaged = [value.detach().clone() for value in encoder.parameters()]
    if os.path.exists(f"{args.out}.state"):
        encoder.load_state_dict(kept := torch.load(f"{args.out}.state"), strict=False)
        optimizer.load_state_dict(kept["optimizer"])
        averaged, first = kept["averaged"], kept["step"] + 1
        rng.seed(first)
    for step in range(first, args.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1, step / 30) * (1 - 0.9 * step / args.steps)
        loss = loss_of(encoder, batches.next(), args.tokens, off)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimizer.step()
        for old, new in zip(averaged, encoder.parameters()):
            old.lerp_(new.detach(), max(0.01, 1 / step))
        mean = loss.item() if mean is None else 0.95 * mean + 0.05 * loss.item()
        if step % 20 == 0:
            print(step, round(mean, 3), f"{time.time() - begun:.0f} s", flush=True)
        if step % 50 == 0:
            state = dict(encoder.state_dict(), optimizer=optimizer.state_dict(), averaged=averaged, step=step)
            torch.save(state, f"{args.out}.new")
            os.replace(f"{args.out}.new", f"{args.out}.state")
    with torch.no_grad():
        for value, mean_value in zip(encoder.parameters(), averaged):
            value.copy_(mean_value)
    encoder.write(args.out)


if __name__ == "__main__":
    main()
