"""The training folder as (query, passage, group, source) text pairs; see README.md for the sources.

Two pairs of one group (one page, one passage, one headword) are never each other's negatives.
"""
import gzip
import json
import os
import re

SUMMARIES = ("description", "summary", "intro", "excerpt", "lead", "headline")
PASSAGE_CHARACTERS = 3000  # of a page's body; the trainer takes random windows out of it
SECTIONS = 12  # sections of a page that give pairs; more would let a few long pages dominate


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def slug(file, last):
    """The last `last` segments of a source file's path as words: what a URL of this page would have said."""
    file = re.sub(r"(\.[a-z]{2})?(\.[a-z]+)+$", "", file)
    file = re.sub(r"(^|/)(_?index|readme)$", "", file, flags=re.I)
    return re.sub(r"[-_/.\s]+", " ", "/".join(file.split("/")[-last:])).strip().lower()


def span(rng, text):
    """A run of 3 to 9 words of a text, and the text with the run taken out half of the time (inverse cloze).

    Taken out, the run must be guessed from its topic; left in, rare words learn to find themselves again.
    """
    words = text.split()
    if len(words) < 40:
        return None
    length = rng.randint(3, 9)
    start = rng.randrange(0, min(len(words), 400) - length)
    run = words[start:start + length]
    rest = words[:start] + words[start + length:] if rng.random() < 0.5 else words
    return " ".join(run), " ".join(rest)[:PASSAGE_CHARACTERS]


def site_pairs(name, path, rng):
    for row in rows(path):
        title = row["meta"].get("title") or ""
        sections = [(h, t) for h, t in row["secs"]]
        body = " ".join(f"{h} {t}" for h, t in sections)[:PASSAGE_CHARACTERS]
        group = f"{name}/{row['file']}"
        summaries = [row["meta"][k] for k in SUMMARIES if isinstance(row["meta"].get(k), str) and len(row["meta"][k]) > 15]
        # A page's text without its headings, too: a title found again in the first heading teaches little.
        plain = " ".join(t for _, t in sections)[:PASSAGE_CHARACTERS]
        found = [(title, body), (title, plain), (slug(row["file"], 1), plain), (slug(row["file"], 3), body),
                 (f"{slug(row['file'], 2)}", f"{title} {plain}")]
        found += [(summary, plain) for summary in summaries] + [(title, summary) for summary in summaries]
        long = [(h, t) for h, t in sections if len(t) > 120]
        for heading, text in long[:SECTIONS]:
            if len(heading) > 3:
                found.append((f"{title} {heading}" if len(heading) < 12 else heading, text[:PASSAGE_CHARACTERS]))
        for _, text in rng.sample(long, min(len(long), 4)):
            cloze = span(rng, text)
            if cloze:
                found.append(cloze)
        yield from ((q, p, group, name) for q, p in found)


def pairs(train, rng):
    """All pairs (query, passage, group, source) of the training folder, in a fixed order for one seed of `rng`."""
    for file in sorted(os.listdir(f"{train}/sites")):
        name = file.replace(".jsonl.gz", "")
        yield from site_pairs(name, f"{train}/sites/{file}", rng)
    for name in ("squad11_train", "medquad", "factbook", "openstax_ccby_paragraphs", "openstax_ccby_glossary", "covid_faq_en"):
        clozed = set()
        for row in rows(f"{train}/{name}.jsonl.gz"):
            query, passage = row["query"], row["passage"][:PASSAGE_CHARACTERS]
            yield query, passage, passage, name
            if passage not in clozed and name in ("squad11_train", "openstax_ccby_paragraphs"):
                clozed.add(passage)
                if row.get("title"):
                    yield row["title"], passage, passage, name
                cloze = span(rng, passage)
                if cloze:
                    yield *cloze, passage, name
    for row in rows(f"{train}/english_wordnet.jsonl.gz"):
        yield " , ".join(row["lemmas"]), f"{row['definition']} {' '.join(e for e in row.get('examples') or [] if e)}", row["lemmas"][0], "english_wordnet"
    for row in rows(f"{train}/wordset.jsonl.gz"):
        yield row["word"], f"{row['definition']} {row.get('example') or ''} {' '.join(s for s in row.get('synonyms') or [] if s)}", row["word"], "wordset"
