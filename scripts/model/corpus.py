"""The training folder as (query, passage, group, source) text pairs; see README.md for the sources.

Two pairs of one group (one page, one passage, one headword) are never each other's negatives.
"""
import gzip
import json
import os
import re
from collections import defaultdict

SUMMARIES = ("description", "summary", "intro", "excerpt", "lead", "headline")
PASSAGE_CHARACTERS = 3000  # of a page's body; the trainer takes random windows out of it
UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
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


def unspaced(text):
    """Whether a text is written without spaces between words."""
    return len(UNSPACED.findall(text[:400])) > 0.3 * len(text[:400])


def span(rng, text):
    """A run of 3 to 9 words of a text, and the text with the run taken out half of the time (inverse cloze).

    Taken out, the run must be guessed from its topic; left in, rare words learn to find themselves again.
    """
    words, between = text.split(), " "
    if unspaced(text):
        words, between = list(text[:1500]), ""
    if len(words) < 40:
        return None
    length = rng.randint(3, 9) if between else rng.randint(5, 14)
    start = rng.randrange(0, min(len(words), 400) - length)
    run = words[start:start + length]
    rest = words[:start] + words[start + length:] if rng.random() < 0.5 else words
    return between.join(run), between.join(rest)[:PASSAGE_CHARACTERS]


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


# More pairs, from which train.py learns and vocabulary.py does not: the vocabulary stays as it is when these change.

SMALL = set("a an and at by for from in of on or the to with de la".split())
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"\u201c])|(?<=[\u3002\uff01\uff1f])")
# Words of URLs that say little about a page.
FRONT = """content docs doc documentation en us latest stable current pages page blog posts news articles resources resource
manual guide guides help support about site wp topics category categories tag section public www web app portal old archive
files static html index default home main product products services en-us library learn""".split()


def acronyms(text):
    """[(short, long)] for each "long form (LF)" whose initials agree."""
    found = []
    for match in re.finditer(r"\(([A-Z][A-Za-z]{0,4}[A-Z])s?\)", text):
        short = match.group(1)
        before = re.findall(r"[^\W_]+(?:[-'\u2019][^\W_]+)*", text[max(0, match.start() - 120):match.start()])
        for n in range(len(short), min(len(before), len(short) + 4) + 1):
            words = before[-n:]
            if words[0].lower() in SMALL:
                continue
            initials = ("".join(w[0] for w in words), "".join(w[0] for w in words if w.lower() not in SMALL),
                        "".join(p[0] for w in words for p in w.split("-") if p))
            if short.lower() in (i.lower() for i in initials):
                found.append((short, " ".join(words)))
                break
    return found


def sentences(text):
    least = 15 if unspaced(text) else 40
    return [s for s in SENTENCE.split(text) if least <= len(s) <= 300]


def telling(text):
    return [w for w in re.findall(r"[^\W_]+", text.lower()) if w not in SMALL]


def old_front(rng, folders):
    """What may stand before the last segment of an old path: words that say little, a date, a version, another folder."""
    out = [rng.choice(FRONT) for _ in range(rng.choice((0, 1, 1, 2)))]
    kind = rng.random()
    if kind < 0.25:
        out.append(str(rng.randint(2005, 2025)))
        if rng.random() < 0.8:
            out.append(f"{rng.randint(1, 12):02}")
        if rng.random() < 0.5:
            out.append(f"{rng.randint(1, 31):02}")
    elif kind < 0.35:
        out.append(rng.choice(("v", "", "version ")) + rng.choice(("1", "2", "3", "1 0", "2 0", "2 1", "3 5", "7 10")))
    elif kind < 0.8 and folders:
        out.append(rng.choice(folders))
    return " ".join(out)


def more_of_site(name, path, rng):
    folders = []
    for row in rows(path):
        words = re.sub(r"[-_/.\s]+", " ", row["file"].rpartition("/")[0]).lower().split()
        if words:
            folders.append(" ".join(words[-3:]))
    for row in rows(path):
        title, sections, group = row["meta"].get("title") or "", row["secs"], f"{name}/{row['file']}"
        plain = " ".join(t for _, t in sections)[:PASSAGE_CHARACTERS]
        body = " ".join(f"{h} {t}" for h, t in sections)[:PASSAGE_CHARACTERS]
        headings = [h for h, _ in sections if len(h) > 3]
        # A page that became a section of another.
        found = [(h, f"{title} {body}") for h in rng.sample(headings, min(3, len(headings)))]
        if first := sentences(plain[:1500]):
            found += [(s, plain.replace(s, " ", 1)) for s in (first[0], rng.choice(first))]
        if words := [w for w in slug(row["file"], 2).split() if w not in SMALL and not w.isdigit()]:
            found.append((" ".join(words), f"{title} {plain}"[:600]))
        if plain:
            if title:
                found.append((title, plain[:500]))
            if last := slug(row["file"], 1):
                found.append((f"{old_front(rng, folders)} {last}", f"{title} {plain}"))
            if words := telling(title):
                found.append((f"{old_front(rng, folders)} {' '.join(words[:8])}", plain))
            if headings and (words := telling(rng.choice(headings))):
                found.append((f"{old_front(rng, folders)} {title if rng.random() < 0.3 else ''} {' '.join(words[:8])}", f"{title} {body}"))
        yield from ((q, p, group, name) for q, p in found)
        for _, text in sections:
            yield from of_acronyms(text)


def of_acronyms(text):
    for short, long in acronyms(text):
        yield short, long, short, "acronyms"
        yield short, text.replace(short, "")[:PASSAGE_CHARACTERS], short, "acronyms"


def synonyms(train):
    """Pairs of words that a dictionary calls synonyms, each once."""
    done = set()
    groups = [row["lemmas"] for row in rows(f"{train}/english_wordnet.jsonl.gz")]
    groups += [[row["word"], *(row.get("synonyms") or [])] for row in rows(f"{train}/wordset.jsonl.gz")]
    for group in groups:
        words = list(dict.fromkeys(w for w in group if w))
        for i, a in enumerate(words):
            for b in words[i + 1:i + 4]:
                key = tuple(sorted((a.lower(), b.lower())))
                if key not in done and key[0] != key[1]:
                    done.add(key)
                    yield a, b, key[0], "synonyms"


def more_pairs(train, rng):
    for file in sorted(os.listdir(f"{train}/sites")):
        yield from more_of_site(file.replace(".jsonl.gz", ""), f"{train}/sites/{file}", rng)
    seen = set()
    for name in ("squad11_train", "openstax_ccby_paragraphs", "medquad"):
        for row in rows(f"{train}/{name}.jsonl.gz"):
            if row["passage"] in seen:
                continue
            seen.add(row["passage"])
            passage = row["passage"][:PASSAGE_CHARACTERS]
            yield from of_acronyms(passage)
            found = sentences(passage)
            if len(found) > 2:
                sentence = rng.choice(found)
                yield sentence, passage.replace(sentence, " ", 1), row["passage"], name
    yield from synonyms(train)
    intents = defaultdict(list)
    for row in rows(f"{train}/intents_banking77_clinc150.jsonl.gz"):
        intents[row["label"]].append(row["query"])
    for label, queries in intents.items():
        rng.shuffle(queries)
        yield from ((a, f"{b} {c}", label, "intents") for a, b, c in zip(queries, queries[1:], queries[2:]))
        yield from ((label, q, label, "intents") for q in queries[:30])
    for row in rows(f"{train}/opentriviaqa.jsonl.gz"):
        if len(row["passage"]) > 2:
            yield row["query"], row["passage"], row["passage"], "opentriviaqa"
