"""The appliances of a fleet: rows of a file beside the profile, and templates of what they have in common.

A row is completed by its template and becomes an appliance; what the row says itself counts first. Every
mistake is named by file and line.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, get_origin

from msgspec import Struct
from pydantic import ValidationError

from conformance.files.foreign_files import FLEET, parse_json, parse_object, read_text
from conformance.profiles.contradictions import contradictions_of
from conformance.profiles.fields import Problem, nearest
from conformance.profiles.model import Appliance
from conformance.profiles.places import Place
from conformance.profiles.salvage import dotted, mistakes, problem_of

Row: TypeAlias = dict[str, Any]
TEXTS = frozenset({"ha_id", "kind", "template", "vendor", "alias_of"})
"""Columns of a CSV file that hold a text; any other holds JSON, or words with blanks between them."""
_COLUMNS = (*Appliance.model_fields, "template")


class FleetData(Struct, frozen=True):
    """A profile as plain data with each appliance in it, what is wrong with the fleet, and where each stands.

    `lines` names the appliances that do not stand in the profile itself: by index.
    """

    data: Mapping[str, Any]
    problems: Sequence[Problem] = ()
    lines: Mapping[int, Place] = {}


def with_fleet(data: Mapping[str, Any], directory: Path) -> FleetData:
    """A profile as plain data, with the rows of its fleet file as further appliances, completed by templates.

    A table that is not what it should be is left as it is: the mistake is found where fields are checked.

    Args:
        data: the profile as TOML gives it.
        directory: where the file of `[fleet]` is looked for.
    """
    fleet, tables, templates = data.get("fleet", {}), data.get("appliance", []), data.get("template", [])
    are_lists = all(isinstance(one, list) for one in (tables, templates))
    if not (fleet or templates) or not are_lists:
        return FleetData(data)
    if not all(isinstance(one, dict) for one in (fleet, *tables, *templates)):
        return FleetData(data)
    problems: list[Problem] = []
    named = dict(_templates(templates, problems))
    rows: list[tuple[Place | None, Row]] = [(None, dict(table)) for table in tables]
    if "file" in fleet:
        rows += _read(directory / str(fleet["file"]), str(fleet["file"]), problems)
    appliances: list[Row] = []
    lines: dict[int, Place] = {}
    for number, (line, row) in enumerate(rows):
        name = str(row.pop("template", ""))
        if name and name not in named:
            place = f"{line or f'appliance[{number}]'}.template"
            problems.append(Problem(place, f"there is no template {name!r}", nearest(name, named)))
        appliances.append({**named.get(name, {}), **row})
        if line:
            lines[number] = line
    rest = {key: value for key, value in fleet.items() if key != "file"}
    whole = {key: value for key, value in data.items() if key not in {"fleet", "template"}}
    return FleetData({**whole, **({"fleet": rest} if rest else {}), "appliance": appliances}, problems, lines)


def _templates(templates: Sequence[Row], problems: list[Problem]) -> Iterator[tuple[str, Row]]:
    """Each template by its name, without its name; of one that has mistakes, its kind alone."""
    for number, table in enumerate(templates):
        name, fields = table.get("name"), {key: value for key, value in table.items() if key != "name"}
        place = f"template[{number}]"
        found = list(_template_problems(place, name, fields))
        problems += found
        yield str(name), {key: value for key, value in fields.items() if key == "kind"} if found else fields


def _template_problems(place: str, name: object, fields: Row) -> Iterator[Problem]:
    if not isinstance(name, str) or not name:
        yield Problem(f"{place}.name", "is missing: appliances name the template that they follow")
    if "ha_id" in fields:
        yield Problem(f"{place}.ha_id", "stands in the row of each appliance, not in a template")
        return
    try:
        followed = Appliance.model_validate({"kind": "any", **fields, "ha_id": "any"})
    except ValidationError as error:
        for details in mistakes(error):
            yield problem_of(details, f"{place}{dotted(details['loc'])}", Appliance)
        return
    if "kind" in fields:  # without one, the keys of a template can be of any kind
        yield from contradictions_of(followed, place)


def _read(path: Path, name: str, problems: list[Problem]) -> list[tuple[Place, Row]]:
    """The rows of a fleet file, each with its place."""
    try:
        text = read_text(path, FLEET)
    except OSError as error:
        problems.append(Problem("fleet.file", f"{path}: {error.strerror or error}"))
        return []
    is_csv = path.suffix.casefold() == ".csv"
    rows = list((_csv_rows if is_csv else _ndjson_rows)(text, name, problems))
    if not rows and not problems:
        problems.append(Problem("fleet.file", f"{path}: names no appliance"))
    return rows


def _ndjson_rows(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[Place, Row]]:
    """The rows of a file with a JSON object in each line."""
    for number, line in enumerate(text.split("\n"), start=1):
        place = Place(name, number)
        try:
            if line.strip():
                yield place, parse_object(line)
        except ValueError as error:
            problems.append(Problem(str(place), f"is no JSON object: {error}"))


def _csv_rows(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[Place, Row]]:
    """The rows of a CSV file whose first line names the fields; an empty cell is an absent field."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns = [column.strip() for column in next(reader, list[str]())]
    unknown = [column for column in columns if column not in _COLUMNS]
    problems += [
        Problem(f"{name}:1", f"no such field: {column!r}", nearest(column, _COLUMNS))
        for column in unknown[: len(_COLUMNS)]
    ]
    if len(set(columns)) < len(columns):
        problems.append(Problem(f"{name}:1", "names a field twice"))
    if unknown or len(set(columns)) < len(columns):
        return
    try:
        for cells in reader:
            place = Place(name, reader.line_num)
            if len(cells) > len(columns):
                problems.append(
                    Problem(str(place), f"has {len(cells)} cells, and the first line {len(columns)}")
                )
            elif any(cells):
                filled = zip(columns, cells, strict=False)
                yield place, {column: _value(column, cell.strip()) for column, cell in filled if cell.strip()}
    except csv.Error as error:
        problems.append(Problem(f"{name}:{reader.line_num}", f"is not CSV: {error}"))


def _value(column: str, cell: str) -> object:
    if column in TEXTS:
        return cell
    try:
        # spreadsheets write TRUE
        return parse_json(cell.lower() if cell.lower() in {"true", "false"} else cell)
    except ValueError:
        return cell.split() if get_origin(Appliance.model_fields[column].annotation) is tuple else cell
