"""The document of a drafted profile: what it says stays, comments included, and more is added."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from conformance.files.foreign_files import parse_toml
from conformance.model.json_values import printable
from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.fleet.listed import with_fleet
from conformance.profiles.from_arguments import appliance_tables
from conformance.profiles.schema import SCHEMA_FILE
from conformance.profiles.validation import build_profile

_HEADING = """Drafted from what the server showed. Lines marked "guess" are no declarations yet: check
each one against your own documentation, then remove the mark.
What the server did not serve today is neither claimed nor denied.
Nothing is ever written without a table [write]: a sketch of it stands at the end, as a comment.
Everything else a profile can say: appliance-conformance init --template
An editor completes and explains it with the schema that the first line names, once that is there:
appliance-conformance catalog --format profile-schema > profile.schema.json"""
PRODUCT = "a question: which product, which version is it? --certify needs it"
_BARE = re.compile(r"[\w-]+", re.ASCII)
_LONG_LIST = 3
_LONGEST_COMMENT = 800
_WRITE = """A sketch: no read shows how settings are written. Without the table [write] a run writes nothing.
To let a run write, remove the # of the lines below, correct them, and name settings under allow.
[write]
method = "PUT"
path = "/api/homeappliances/{ha_id}/settings/{key}\""""


def commented(text: str) -> str:
    """`text` as a comment: one line of at most 800 characters."""
    return printable(text, _LONGEST_COMMENT)


def begin_document(
    text: bytes | None, words: Mapping[str, str], appliances: Sequence[str], source: str = "profile"
) -> Any:
    """The profile to complete, with its comments, and with `words` and `appliances` added.

    `words` are fields of the target. They and the appliances (HAID:KIND) are added where the text has none of
    them; `source` names it in errors.

    Raises:
        ProfileError: when the text is no TOML, or says otherwise.
    """
    heading = "".join(f"# {line}\n" for line in _HEADING.splitlines()) + "\n"
    heading = f"#:schema ./{SCHEMA_FILE}\n{heading}"
    try:
        known_text = heading if text is None else text.decode("utf-8-sig")
        data = parse_toml(known_text)
        document: Any = tomlkit.parse(known_text)
    except (TOMLKitError, ValueError) as error:
        raise ProfileError(source, [Problem("TOML", str(error))]) from error
    if misshapen := list(_misshapen(data)):
        raise ProfileError(source, misshapen)
    target: Any = table_of(document, "target")
    for field, word in words.items():
        declared = target.setdefault(field, word)
        if field != "name" and declared != word:
            reason = f"is declared as {declared!r}, and said to be {word!r} here"
            raise ProfileError(source, [Problem(f"target.{field}", reason)])
    if "product" not in target.as_string():
        ask_in_comment(target, 'product = "Hub 3.2"', PRODUCT)
    if text is None:
        target.add(tomlkit.nl())
        table_of(document, "answer")  # here, since a new file names the appliances last
    known = {table.get("ha_id"): table.get("kind") for table in document.get("appliance", [])}
    for table in appliance_tables(appliances):
        if known.setdefault(table["ha_id"], table["kind"]) != table["kind"]:
            raise ProfileError(
                source, [Problem(f"appliance {table['ha_id']}", f"is declared as a {known[table['ha_id']]}")]
            )
        if table["ha_id"] not in [each.get("ha_id") for each in document.get("appliance", [])]:
            document.setdefault("appliance", tomlkit.aot()).append(tomlkit.item(table))
    return document


def _misshapen(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What is no table, so that nothing can be added to it."""
    for name in ("target", "auth", "http"):
        if not isinstance(data.get(name, {}), dict):
            yield Problem(name, f"must be a table: write [{name}]")
    tables: Any = data.get("appliance", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in cast("list[object]", tables)):
        yield Problem("appliance", "must be a list of tables: write [[appliance]]")


def table_of(document: Any, name: str) -> Any:
    """The table of that name, which is added if it is not there."""
    if name not in document:
        document[name] = tomlkit.table()
    return document[name]


def put(table: Any, field: str, value: object, comment: str) -> None:
    """Adds a field with a comment at its end; a list longer than a few words takes a line for each."""
    item: Any = tomlkit.item(value)
    if isinstance(value, list) and len(cast("list[object]", value)) > _LONG_LIST:
        item.multiline(multiline=True)
    item.comment(commented(comment))
    table[field] = item


def ask_in_comment(table: Any, line: str, comment: str) -> None:
    """Adds an undecided field, as a comment that asks."""
    table.add(tomlkit.comment(f"{commented(line)} # {commented(comment)}"))


def with_write_in_comments(text: str, answer: Mapping[str, Any]) -> str:
    """The text of a profile, and after it a table [write] as a comment, so that a person decides on writing.

    No read shows how a setting is written: the body is a guess from where the `answer` holds value and key.
    """
    place = str(answer.get("value", ""))
    tables, _, name = place.rpartition("/")
    key_tables, _, key_name = str(answer.get("key", "")).rpartition("/")
    members = {key_name: "{key}"} if key_name and key_tables == tables else {}
    body: Any = {**members, name: "{value}"} if place else "{value}"
    for part in reversed(tables.split("/")[1:]):
        body = {part: body}
    allow = "allow = [] # the settings that a run may write: keys or globs; none as long as this is empty"
    lines = [*_WRITE.splitlines(), f"body = {_inline(body)}", allow]
    return "\n".join([text.rstrip(), "", *(f"# {commented(line)}" for line in lines), ""])


def _inline(value: Any) -> str:
    """Tables and texts as TOML writes them in one line."""
    if isinstance(value, str):
        return json.dumps(value)
    members = cast("dict[str, Any]", value).items()
    return f"{{ {', '.join(f'{_name(name)} = {_inline(member)}' for name, member in members)} }}"


def _name(part: str) -> str:
    """A part of a JSON Pointer as the name of a field."""
    name = part.replace("~1", "/").replace("~0", "~")
    return name if _BARE.fullmatch(name) else json.dumps(name)


def require_same(before: Mapping[str, Any], text: str, directory: Path) -> None:
    """Raises unless `text` is a profile that says all that was said `before`; its fleet is in `directory`.

    Raises:
        ProfileError: when it has mistakes.
        ValueError: when something was lost.
    """
    after = tomllib.loads(text)
    build_profile(with_fleet(after, directory), source="the draft", environment={}, offline=True)
    if not _holds(after, before):
        raise ValueError("the file cannot be completed without changing what it says")


def _holds(after: object, before: object) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        members, found = cast("dict[str, object]", before), cast("dict[str, object]", after)
        return all(name in found and _holds(found[name], value) for name, value in members.items())
    if isinstance(before, list) and isinstance(after, list):
        items, others = cast("list[object]", before), cast("list[object]", after)
        return len(items) <= len(others) and all(
            _holds(other, item) for item, other in zip(items, others, strict=False)
        )
    return before == after


_FIELD = "supports"


def with_supports(name: str, text: str, served: Mapping[str, Sequence[str]]) -> str:
    """The text of a fleet file in which each row that is named has the keys that it serves.

    Whatever else a row says stays, and so does the order; a row that says what it supports is not changed.

    Args:
        name: the name of the file; `.csv` is read as CSV, any other as one JSON object a line.
        text: its text, which gives a profile without mistakes.
        served: the keys, by haId.
    """
    if not name.casefold().endswith(".csv"):
        return "".join(f"{_filled(line, served)}\n" for line in text.splitlines())
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    columns = [column.strip() for column in text.removeprefix("\ufeff").splitlines()[0].split(",")]
    columns += [] if _FIELD in columns else [_FIELD]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    for row in rows:
        cells = {column.strip(): cell or "" for column, cell in row.items()}
        keys = served.get(cells.get("ha_id", "").strip(), ())
        writer.writerow({**cells, _FIELD: cells.get(_FIELD, "") or " ".join(keys)})
    return out.getvalue()


def _filled(line: str, served: Mapping[str, Sequence[str]]) -> str:
    if not line.strip():
        return line
    row: dict[str, Any] = json.loads(line)
    keys = served.get(row["ha_id"], ())
    return line if _FIELD in row or not keys else json.dumps({**row, _FIELD: list(keys)}, ensure_ascii=False)
