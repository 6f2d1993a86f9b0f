"""The pages of reports in a real browser: on a phone, on a desk, in the dark and on paper.

With SHARDLANE_PICTURES=FOLDER the pictures are kept there, to be looked at.
"""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import logs
import pytest
from browser import Page, page

ROOT = Path(__file__).resolve().parents[3]
SHARDLANE = os.environ.get("SHARDLANE", Path(sys.executable).with_name("shardlane"))
PICTURES = os.environ.get("SHARDLANE_PICTURES")

SCREENS = {"phone": (360, 740), "desk": (1280, 800)}
OF_LOG = ("--key", "user_id", "--bytes", "size", "--time", "ts", "--time-unit", "s")
LIMITS = ("--limits", "records_per_second=60,bytes_per_second=100000")

# What overflows: the page itself, or an element whose content is wider than its box although
# nothing scrolls or cuts it there.
OVERFLOW = """
(() => {
  const wide = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) wide.push(`page: ${root.scrollWidth} > ${innerWidth}`);
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('svg')) continue;
    const style = getComputedStyle(element);
    const scrolls = style.overflowX !== 'visible' || style.display === 'inline';
    if (!scrolls && element.scrollWidth > element.clientWidth + 1)
      wide.push(`${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`);
    const inside = element.closest('.scroll') || root;
    if (inside === root && element.getBoundingClientRect().right > innerWidth + 1)
      wide.push(`right of the screen: ${element.tagName}.${element.className}`);
  }
  return wide;
})()
"""

# Drawings without a size, and drawn things that stick out of them.
DRAWINGS = """
[...document.querySelectorAll('svg')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  if (box.width < 1 || box.height < 1) return [svg.outerHTML.slice(0, 99)];
  return [...svg.querySelectorAll('rect, path, line')].filter(shape => {
    const of = shape.getBoundingClientRect();
    return of.left < box.left - 2 || of.right > box.right + 2 ||
           of.top < box.top - 2 || of.bottom > box.bottom + 2;
  }).map(shape => shape.outerHTML.slice(0, 99));
})
"""

SMALL_TEXT = """
[...document.querySelectorAll('body *')]
  .filter(e => !e.closest('style'))
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
  .filter(e => parseFloat(getComputedStyle(e).fontSize) < 14)
  .map(e => `${e.tagName} ${getComputedStyle(e).fontSize}: ${e.textContent.slice(0, 40)}`)
"""

# Tables that are wider than the paper, or cut by what is around them.
CUT = """
[...document.querySelectorAll('.scroll')]
  .filter(e => e.scrollWidth > e.parentElement.clientWidth + 1)
  .map(e => `${e.getAttribute('aria-label')}: ${e.scrollWidth} > ${e.parentElement.clientWidth}`)
"""

CELLS = """
[...document.querySelectorAll('table.map svg')].map(svg =>
  [...svg.querySelectorAll('path:not(.mark)')].reduce((n, path) =>
    n + path.getAttribute('d').split('M').length - 1, 0))
"""

MARKS = """
[...document.querySelectorAll('table.map path.mark')].reduce((n, path) =>
  n + path.getAttribute('d').split('M').length - 1, 0)
"""

# Contrast of text and what is behind it, as WCAG has it, of colours that the page computes.
CONTRAST = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = colour => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(part => {
      const c = part / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(document.body);
  const [text, back] = [light(style.color), light(style.backgroundColor)];
  return {back, contrast: (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05)};
})()
"""


@dataclass
class Case:
    """A page, and what the command said of the same log otherwise."""

    page: Path
    timeline: list[dict[str, str]]


def case(folder: Path, *arguments: str | Path) -> Case:
    """The page of a replay."""
    html = folder / "page.html"
    command = [str(SHARDLANE), "replay", *map(str, arguments), "--quiet", "--html", str(html)]
    done = subprocess.run(
        [*command, "--format", "csv", "--table", "timeline"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 3}, done.stderr
    return Case(html, list(csv.DictReader(done.stdout.splitlines())))


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """The pages by name."""
    flights = ROOT / "datasets/samples/flights.parquet"
    made: dict[str, Case] = {}
    for name, arguments in {
        "flights": ("--kinesis", "8", flights, "--key", "carrier", "--window", "1h"),
        "clicks": ("--kinesis", "8", logs.clicks(), *OF_LOG, *LIMITS),
        "fits": ("--kinesis", "4", logs.clicks(900), *OF_LOG),
        "hostile": ("--kinesis", "4", logs.hostile(), *OF_LOG),
        "wide": ("--kinesis", "3000", logs.wide(), *OF_LOG, *LIMITS),
        "topic": ("--kafka", "100", logs.clicks(300), *OF_LOG),
        "timeless": ("--kinesis", "4", logs.timeless(), "--key", "user_id", "--bytes", "size"),
    }.items():
        folder = tmp_path_factory.mktemp(name)
        written = [
            logs.write(folder / "log.csv", of) if not isinstance(of, str | Path) else of
            for of in arguments
        ]
        made[name] = case(folder, *written)
    return made


NAMES = ("flights", "clicks", "fits", "hostile", "wide", "topic", "timeless")


@pytest.fixture(scope="module")
def shown() -> Iterator[Page]:
    """A page in a browser."""
    with page() as one:
        yield one


def keep(name: str, content: bytes) -> None:
    """Keeps a picture, if somebody wants to look at it."""
    if PICTURES:
        folder = Path(PICTURES)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_the_screen(
    shown: Page, cases: dict[str, Case], name: str, screen: str
) -> None:
    """Nothing overflows, is too small to read, or sticks out of its drawing."""
    shown.look()
    shown.open(cases[name].page, *SCREENS[screen], touch=screen == "phone")
    keep(f"{name}-{screen}.png", shown.picture())
    assert shown.ask(OVERFLOW) == []
    assert shown.ask(SMALL_TEXT) == []
    assert shown.ask(DRAWINGS) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_asks_for_nothing_and_says_nothing(
    shown: Page, cases: dict[str, Case], name: str
) -> None:
    """It is one file, without scripts, and the console stays empty."""
    shown.look()
    shown.open(cases[name].page, *SCREENS["desk"])
    assert shown.asked_for == [cases[name].page.as_uri()]
    assert shown.said == []
    assert shown.ask("document.querySelectorAll('script, link, img, iframe, object').length") == 0
    assert shown.ask("document.title")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "timeless"])
def test_the_heat_map_has_a_cell_for_each_shard_and_time(
    shown: Page, cases: dict[str, Case], name: str
) -> None:
    """As many as the table of the same log has, counted anew."""
    shown.look()
    shown.open(cases[name].page, *SCREENS["desk"])
    label = shown.ask("document.querySelector('table.map').getAttribute('aria-label')")
    found = re.search(r"(\d+) columns of ([\d.]+) (\w+)", label)
    assert found, label
    units = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
    seconds = float(found[2]) * units[found[3]]
    cells, throttled = set(), set()
    shards = {row["shard"] for row in cases[name].timeline}
    own = shown.ask(
        "[...document.querySelectorAll('table.map tr:not(.time) th')].map(e => e.textContent)"
    )
    is_whole = "others" not in own
    assert len(own) == 65 if not is_whole else len(own) >= min(64, len(shards))
    for row in cases[name].timeline:
        start = datetime.fromisoformat(row["window_start"]).timestamp()
        shard = row["shard"] if is_whole or row["shard"] in own else "others"
        cells.add((shard, start // seconds))
        if row["throttled_records"] != "0":
            throttled.add((shard, start // seconds))
    assert sum(shown.ask(CELLS)) == len(cells)
    assert shown.ask(MARKS) == len(throttled)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_can_be_read_in_the_dark(shown: Page, cases: dict[str, Case], name: str) -> None:
    """Text stands out on what is behind it, which is dark where that is wished for."""
    for scheme in ("light", "dark"):
        shown.look(prefers_color_scheme=scheme)
        shown.open(cases[name].page, *SCREENS["desk"])
        found = shown.ask(CONTRAST)
        assert found["contrast"] >= 7, scheme
        assert (found["back"] < 0.2) == (scheme == "dark")
    keep(f"{name}-dark.png", shown.picture())
    shown.look()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_prints_without_cut_tables(shown: Page, cases: dict[str, Case], name: str) -> None:
    """On A4, black on white, also from a dark screen."""
    # 210 mm less two margins of 14 mm, at 96 points an inch.
    shown.look(media="print", prefers_color_scheme="dark")
    shown.open(cases[name].page, 687, 1000)
    assert shown.ask(CUT) == []
    found = shown.ask(CONTRAST)
    assert found["contrast"] >= 18
    assert found["back"] > 0.99
    keep(f"{name}-print.png", shown.picture())
    shown.look()
    pdf = shown.printed()
    keep(f"{name}.pdf", pdf)
    assert pdf.startswith(b"%PDF")


def test_a_notebook_shows_the_fragment_within_its_own_styles(
    shown: Page, tmp_path: Path, cases: dict[str, Case]
) -> None:
    """What `_repr_html_` gives fits a cell and leaves the rest of the notebook as it was."""
    import shardlane as sl  # noqa: PLC0415

    log = cases["clicks"].page.with_name("log.csv")
    limits = sl.Limits.kinesis(records_per_second=60, bytes_per_second=100_000)
    replay = sl.ShardMap.kinesis(8).replay(
        log, key="user_id", bytes="size", time="ts", time_unit="s", limits=limits
    )
    path = tmp_path / "notebook.html"
    around = '<p id="before">text</p><table id="other"><tr><td>1</td></tr></table>'
    body = f'<body style="margin:8px">{around}<div>{replay._repr_html_()}</div></body>'
    path.write_text(f"<!doctype html><meta charset=utf-8>{around}", encoding="utf-8")
    style = """['before', 'other'].map(id => JSON.stringify([...getComputedStyle(
        document.getElementById(id))].map(name => name + getComputedStyle(
        document.getElementById(id))[name]).filter(t => !/^(inline|block|width|height|perspective|\
transform)/.test(t))))"""
    shown.open(path, 900, 800)
    alone = shown.ask(style)
    path.write_text(f"<!doctype html><meta charset=utf-8>{body}", encoding="utf-8")
    shown.open(path, 900, 800)
    keep("notebook.png", shown.picture())
    assert shown.ask(style) == alone
    assert shown.ask(OVERFLOW) == []
    assert shown.ask(DRAWINGS) == []
    assert shown.said == []
    assert shown.asked_for == [path.as_uri()]
