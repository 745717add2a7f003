#!/usr/bin/env python3
"""Pages for tune.py from a checkout of a site whose questions are in questions/.

    python pages.py questions/other-languages.jsonl SITE CHECKOUT OUT_DIR

CHECKOUT: a work tree or a bare repository, of which HEAD is read. Writes OUT_DIR/SITE.jsonl.gz, {file, meta: {title}, secs: [[heading,
text]]} a line: the files that questions are about, and others of the same folders and endings, at most as many again.
"""
import argparse
import gzip
import json
import os
import re
import subprocess


def git(checkout, *args):
    command = ["git", "-C", checkout, "-c", "core.quotePath=off", *args]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")


def plain(text):
    """Markdown without front matter, code, markup and templates."""
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```|<!--.*?-->|{{.*?}}|{%.*?%}", " ", text, flags=re.S)
    text = re.sub(r"^(import|export) .*$|^:::.*$", "", text, flags=re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^<>]+>|\{[#.:][^}]*\}", " ", text)
    text = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return re.sub(r"[*`_]{1,3}", "", text)


def page(file, source):
    named = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", source, flags=re.M) if source.startswith("---") else None
    parts = re.split(r"^#{1,4}\s+(.+?)\s*#*$", plain(source), flags=re.M)
    secs = [[heading.strip(), " ".join(text.split())] for heading, text in zip(["", *parts[1::2]], parts[0::2])]
    heads = [heading for heading, _ in secs if heading]
    title = named.group(1) if named else heads[0] if heads else os.path.splitext(os.path.basename(file))[0].replace("-", " ")
    return dict(file=file, meta=dict(title=title), secs=[part for part in secs if part[1] or part[0]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("questions", "site", "checkout", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    with open(args.questions, encoding="utf-8") as rows:
        asked = [row["file"] for row in map(json.loads, rows) if row["site"] == args.site]
    there = git(args.checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    like = {(os.path.dirname(file), os.path.splitext(file)[1]) for file in asked}
    others = [file for file in there if file not in asked and (os.path.dirname(file), os.path.splitext(file)[1]) in like]
    missing = sorted(set(asked) - set(there))
    files = [file for file in asked if file in there] + others[: len(asked)]
    os.makedirs(args.out, exist_ok=True)
    with gzip.open(os.path.join(args.out, f"{args.site}.jsonl.gz"), "wt", encoding="utf-8") as out:
        for file in files:
            out.write(json.dumps(page(file, git(args.checkout, "show", f"HEAD:{file}")), ensure_ascii=False) + "\n")
    print(args.site, len(files), "pages;", len(missing), "are gone from the site", *missing[:3])


if __name__ == "__main__":
    main()
