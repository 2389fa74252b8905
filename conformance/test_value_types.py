"""Settings and statuses carry the data type of their catalog entry.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
"""

from conformance.cases import CATALOG, Judge, each
from conformance.checks.reads import value_types


@each(CATALOG.of_type("Boolean"), clause="TYPE-BOOLEAN", generated=True)
def test_boolean_is_true_or_false(judge: Judge) -> None:
    """A Boolean entry is served as JSON true or false."""
    judge(value_types.assert_of_its_type)


@each(CATALOG.of_type("Integer"), clause="TYPE-INTEGER", generated=True)
def test_integer_has_no_fraction(judge: Judge) -> None:
    """An Integer entry is served as a number without a fraction."""
    judge(value_types.assert_integer)


@each(CATALOG.of_type("Double"), clause="TYPE-DOUBLE", generated=True)
@each(CATALOG.of_type("Float"), clause="TYPE-FLOAT", generated=True)
def test_number_is_a_number(judge: Judge) -> None:
    """A Double or Float entry is served as a finite JSON number."""
    judge(value_types.assert_of_its_type)


@each(CATALOG.of_type("String"), clause="TYPE-STRING")
def test_string_is_a_string(judge: Judge) -> None:
    """A String entry is served as a JSON string, any string."""
    judge(value_types.assert_of_its_type)


@each(CATALOG.of_type("Enumeration"), clause="TYPE-ENUM", generated=True)
def test_enumeration_is_a_string(judge: Judge) -> None:
    """An Enumeration entry is served as a string."""
    judge(value_types.assert_of_its_type)


@each(tuple(CATALOG.entries.values()), clause="TYPE-NOTNULL")
def test_value_is_not_null(judge: Judge) -> None:
    """A successful read does not give null."""
    judge(value_types.assert_not_null)


@each(CATALOG.of_type("Integer", "Double", "Float"), clause="TYPE-FINITE", generated=True)
def test_number_is_finite(judge: Judge) -> None:
    """A number is neither NaN nor infinite."""
    judge(value_types.assert_finite)
