"""Text of other languages as the same pairs that corpus.py makes of English: TRAIN_DIR/languages.

sites/NAME@LANGUAGE.jsonl.gz   pages as in TRAIN_DIR/sites; meta.english: the title of the page it translates
pairs/NAME@LANGUAGE.jsonl.gz   {query, passage, title}; query and title may be empty
words/NAME@LANGUAGE.jsonl.gz   {words, english, definition}: words of one meaning, the English ones and their definition
"""
import os

import corpus


def files(train, kind):
    """(name, language, path) of each file, in a fixed order."""
    folder = f"{train}/languages/{kind}"
    for file in sorted(os.listdir(folder)):
        name = file.replace(".jsonl.gz", "")
        yield name, name.rpartition("@")[2], f"{folder}/{file}"


def across(name, path):
    """An English title, or the English words of a path, with the page in the other language; title with title."""
    for row in corpus.rows(path):
        english, title = row["meta"].get("english"), row["meta"].get("title") or ""
        body = " ".join(f"{h} {t}" for h, t in row["secs"])[:corpus.PASSAGE_CHARACTERS]
        group = f"{name}/{row['file']}"
        if english:
            yield english, body, group, name
            yield english, title, group, name


def pairs(train, rng):
    for name, _, path in files(train, "sites"):
        yield from corpus.site_pairs(name, path, rng)
        yield from corpus.more_of_site(name, path, rng)
        yield from across(name, path)
    for name, _, path in files(train, "pairs"):
        seen = set()
        for row in corpus.rows(path):
            passage = row["passage"][:corpus.PASSAGE_CHARACTERS]
            if row["query"]:
                yield row["query"], passage, passage, name
            if passage in seen:
                continue
            seen.add(passage)
            if row["title"]:
                yield row["title"], passage, passage, name
            if cloze := corpus.span(rng, passage):
                yield *cloze, passage, name
            found = corpus.sentences(passage)
            if len(found) > 2:
                sentence = rng.choice(found)
                yield sentence, passage.replace(sentence, " ", 1), passage, name
    for name, _, path in files(train, "words"):
        for row in corpus.rows(path):
            words = " , ".join(row["words"][:4])
            yield words, f"{' , '.join(row['english'])} {row['definition']}", row["english"][0], name
            yield words, " , ".join(row["english"]), row["english"][0], name
