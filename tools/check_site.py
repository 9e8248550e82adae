"""Look over the built site: links that lead nowhere, and anything fetched from elsewhere.

Run by ``make docs``. External addresses are fine to point at (``<a href>``), but no page may load
anything from one: scripts, styles, fonts, pictures.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_STYLE_URL = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:https?:)?//[^'")\s]+)""")
#: Attributes by which a page loads something (an `a` only points at it).
_LOADING = ("src", "srcset", "data", "poster")


class Page(HTMLParser):
    """The links, anchors and loaded addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)
        self.loaded += _STYLE_URL.findall(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag points at, loads, or names."""
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.loaded += [given[name] for name in _LOADING if name in given]
        if "href" not in given:
            return
        if tag == "link" and given.get("rel", "") not in ("canonical", "author"):
            self.loaded.append(given["href"])
        elif tag == "a":
            self.links.append(given["href"])


def problems_of(site: Path) -> list[str]:
    """What is wrong with the site, one line each."""
    root = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in pages_of(root)}
    found = []
    for path, page in pages.items():
        name = path.relative_to(root)
        found += [f"{name}: loads {address}" for address in page.loaded if foreign(address)]
        for address in dict.fromkeys([*page.links, *page.loaded]):
            trouble = dead_end(address, path, pages)
            if trouble:
                found.append(f"{name}: {address}: {trouble}")
    for style in sorted(root.rglob("*.css")):
        for address in _STYLE_URL.findall(style.read_text(encoding="utf-8", errors="replace")):
            found.append(f"{style.relative_to(root)}: loads {address}")
    return found


def pages_of(root: Path) -> list[Path]:
    """The pages; the theme leaves a template among its static files, which is none."""
    return [path for path in sorted(root.rglob("*.html")) if root / "_static" not in path.parents]


def foreign(address: str) -> bool:
    """Whether the address is on another machine."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def dead_end(address: str, page: Path, pages: dict[Path, Page]) -> str:
    """Why an internal address leads nowhere, or ""."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "there is no such place on that page"
    return ""


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    site = Path(sys.argv[1])
    found = problems_of(site)
    for line in found:
        print(line)
    pages = len(pages_of(site))
    print(f"{site}: {pages} pages, {len(found)} problems")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
