#!/usr/bin/env python3
"""Pages for tune.py from a checkout of a site whose questions are in questions/.

    python pages.py questions/other-languages.jsonl SITE CHECKOUT OUT_DIR

CHECKOUT: a work tree or a bare repository, of which HEAD is read. Writes OUT_DIR/SITE.jsonl.gz, {file, meta: {title}, secs: [[heading,
text]]} a line: the files that questions are about or name, and others of the same folders and endings, at most as many as questions are
about. Markdown, and reStructuredText, AsciiDoc, TiddlyWiki and HTML, which become Markdown first.
"""
import argparse
import gzip
import html
import json
import os
import re
import subprocess


def git(checkout, *args):
    command = ["git", "-C", checkout, "-c", "core.quotePath=off", *args]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    try:
        return output.decode("utf-8-sig")
    except UnicodeDecodeError:
        return output.decode("cp932", "replace")


def titled(title, text):
    return f'---\ntitle: "{" ".join(title.split())}"\n---\n{text}' if title else text


def heading(level, text):
    return f"\n\n{'#' * level} {' '.join(re.sub(r'<[^>]+>', ' ', text).split())}\n\n"


def from_toml(text):
    """Front matter between lines of +++."""
    front = re.match(r"\+\+\+\n(.*?)\n\+\+\+\n", text, flags=re.S)
    named = front and re.search(r"^title\s*=\s*[\"'](.+?)[\"']\s*$", front[1], flags=re.M)
    return titled(named and named[1], text[front.end():]) if front else text


def from_html(text):
    named = re.search(r"<title[^>]*>(.*?)</title>", text, flags=re.S | re.I)
    front = re.match(r"---\n.*?\n---\n", text, flags=re.S)
    body = text[front.end():] if front else text
    body = re.sub(r"<(script|style|nav|header|footer|head)\b.*?</\1>", " ", body, flags=re.S | re.I)
    body = re.sub(r"<h([1-4])[^>]*>(.*?)</h\1>", lambda m: heading(int(m[1]), m[2]), body, flags=re.S | re.I)
    body = re.sub(r"^[ \t]+", "", html.unescape(re.sub(r"<[^<>]+>", " ", re.sub(r"<(p|li|div|br|tr)\b[^>]*>", "\n", body))), flags=re.M)
    return front[0] + body if front else titled(named and html.unescape(named[1]), body)


def from_rst(text):
    text = re.sub(r"^\.\. (figure|image|raw|toctree|code-block|contents|highlight|only|include)::.*\n((?:[ \t]+.*\n|[ \t]*\n(?=[ \t]))*)", "", text, flags=re.M)
    text = re.sub(r"^\.\. _.*$|^:[a-z-]+:.*$|^\.\. [\w-]+::[ \t]*", "", text, flags=re.M)
    text = re.sub(r"^(?:[=\-~^\"#*+.`']{3,}\n)?(\S.*)\n[=\-~^\"#*+.`']{3,}[ \t]*$", r"# \1", text, flags=re.M)
    return re.sub(r":[\w:-]+:`([^`]*)`", r"\1", re.sub(r"`([^`<]+?)\s*<[^>]*>`_*", r"\1", text))


def from_asciidoc(text):
    text = re.sub(r"^----\n.*?^----$", " ", text, flags=re.M | re.S)
    text = re.sub(r"^:[\w-]+:.*$|^//.*$|^\[.*\]$|^(image|include|xref|toc)::.*$", "", text, flags=re.M)
    text = re.sub(r"(?:link:|xref:|https?://)[^\s\[]*\[([^\]]*)\]", r"\1", text)
    return re.sub(r"^(={1,4}) (.+)$", lambda m: "#" * len(m[1]) + " " + m[2], text, flags=re.M)


def from_tiddler(text):
    head, _, body = text.partition("\n\n")
    fields = dict(re.findall(r"^([\w-]+):\s*(.*)$", head, flags=re.M))
    named = next((fields[key] for key in ("es-title", "fr-title", "caption", "title") if key in fields), "")
    body = re.sub(r"^(!{1,4})\s*(.+)$", lambda m: "#" * len(m[1]) + " " + m[2], re.sub(r"^[#*;:>]+\s*", "- ", body, flags=re.M), flags=re.M)
    body = re.sub(r"\[\[([^\]|]*)(?:\|[^\]]*)?\]\]", r"\1", body)
    return titled(named, re.sub(r"\[img[^\]]*\[[^\]]*\]\]|<<[^>]*>>|''|//", " ", body))


READERS = {".rst": from_rst, ".adoc": from_asciidoc, ".tid": from_tiddler, ".html": from_html}


def plain(text):
    """Markdown without front matter, code, markup and templates."""
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```|<!--.*?-->|{{.*?}}|{%.*?%}", " ", text, flags=re.S)
    text = re.sub(r"^(import|export) .*$|^:::.*$", "", text, flags=re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^<>]+>|\{[#.:][^}]*\}", " ", text)
    text = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return re.sub(r"[*`_]{1,3}", "", text)


def page(file, source):
    source = READERS.get(os.path.splitext(file)[1], from_toml)(source.replace("\r\n", "\n"))
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
        of_site = [row for row in map(json.loads, rows) if row["site"] == args.site]
    asked = [row["file"] for row in of_site]
    named = [file for row in of_site for file in (*row.get("also", ()), row.get("not")) if file]
    there = git(args.checkout, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    like = {(os.path.dirname(file), os.path.splitext(file)[1]) for file in asked}
    others = [file for file in there if file not in asked and (os.path.dirname(file), os.path.splitext(file)[1]) in like]
    missing = sorted(set(asked) - set(there))
    files = [file for file in dict.fromkeys([*asked, *named, *others[: len(asked)]]) if file in there]
    os.makedirs(args.out, exist_ok=True)
    with gzip.open(os.path.join(args.out, f"{args.site}.jsonl.gz"), "wt", encoding="utf-8") as out:
        for file in files:
            out.write(json.dumps(page(file, git(args.checkout, "show", f"HEAD:{file}")), ensure_ascii=False) + "\n")
    print(args.site, len(files), "pages;", len(missing), "are gone from the site", *missing[:3])


if __name__ == "__main__":
    main()
