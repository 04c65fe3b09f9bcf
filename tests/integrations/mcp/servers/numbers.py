"""A small MCP server of numbers, units and dates, which can learn statistics while it runs.

    python -m tests.integrations.mcp.servers.numbers

It serves both eras of the protocol.
"""

from __future__ import annotations

import math
import statistics
from datetime import date, timedelta
from fractions import Fraction

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from tests.integrations.mcp.servers.functions import Functions, add_tools

server = MCPServer(
    "numbers", instructions="Angles are in radians unless a tool says degrees.", log_level="WARNING"
)

ONE: Functions = {
    "sine": (math.sin, "Sine of an angle given in radians."),
    "cosine": (math.cos, "Cosine of an angle given in radians."),
    "tangent": (math.tan, "Tangent of an angle given in radians."),
    "degrees_to_radians": (math.radians, "Convert an angle from degrees to radians."),
    "radians_to_degrees": (math.degrees, "Convert an angle from radians to degrees."),
    "square_root": (math.sqrt, "Square root of a number."),
    "natural_logarithm": (math.log, "Logarithm of a number to the base e."),
    "exponential": (math.exp, "The number e raised to a power."),
    "absolute_value": (abs, "Magnitude of a number without its sign."),
    "round_down": (math.floor, "Largest whole number that is not above a number."),
    "round_up": (math.ceil, "Smallest whole number that is not below a number."),
    "celsius_to_fahrenheit": (lambda x: x * 9 / 5 + 32, "Convert a temperature from Celsius to Fahrenheit."),
    "fahrenheit_to_celsius": (lambda x: (x - 32) * 5 / 9, "Convert a temperature from Fahrenheit to Celsius."),
    "kilometres_to_miles": (lambda x: x / 1.609344, "Convert a distance from kilometres to miles."),
    "miles_to_kilometres": (lambda x: x * 1.609344, "Convert a distance from miles to kilometres."),
    "kilograms_to_pounds": (lambda x: x / 0.45359237, "Convert a weight from kilograms to pounds."),
    "pounds_to_kilograms": (lambda x: x * 0.45359237, "Convert a weight from pounds to kilograms."),
    "litres_to_gallons": (lambda x: x / 3.785411784, "Convert a volume from litres to US gallons."),
}
TWO: Functions = {
    "add": (lambda a, b: a + b, "Sum of two numbers."),
    "subtract": (lambda a, b: a - b, "Difference of two numbers."),
    "multiply": (lambda a, b: a * b, "Product of two numbers."),
    "power": (math.pow, "A number raised to the power of another."),
    "hypotenuse": (math.hypot, "Length of the longest side of a right triangle from its two short sides."),
}
MANY: Functions = {
    "sum_of_numbers": (math.fsum, "Add up a list of numbers."),
    "mean": (statistics.fmean, "Arithmetic mean, the average, of a list of numbers."),
    "largest": (max, "Largest number of a list."),
    "smallest": (min, "Smallest number of a list."),
}
STATISTICS: Functions = {
    "median": (statistics.median, "Middle value of a list of numbers once sorted."),
    "standard_deviation": (
        statistics.stdev,
        "Sample standard deviation: how far numbers spread around their mean.",
    ),
}


add_tools(server, ONE, {"value": float}, float)
add_tools(server, TWO, {"a": float, "b": float}, float)
add_tools(server, MANY, {"numbers": list[float]}, float)


@server.tool()
def divide(dividend: float, divisor: float) -> float:
    """Quotient of two numbers."""
    if divisor == 0:
        raise ToolError("the divisor must not be 0")
    return dividend / divisor


@server.tool()
def round_to_decimals(value: float, decimals: int) -> float:
    """Round a number to so many decimal places."""
    return round(value, decimals)


@server.tool()
def greatest_common_divisor(a: int, b: int) -> int:
    """Largest whole number that divides two whole numbers."""
    return math.gcd(a, b)


@server.tool()
def as_fraction(value: str) -> dict[str, int]:
    """Write a decimal number as numerator and denominator in lowest terms."""
    fraction = Fraction(value)
    return {"numerator": fraction.numerator, "denominator": fraction.denominator}


@server.tool()
def days_between_dates(start: date, end: date) -> int:
    """Number of days from one date to another."""
    return (end - start).days


@server.tool()
def add_days_to_date(start: date, days: int) -> date:
    """The date that is so many days after a date."""
    return start + timedelta(days)


@server.tool()
def weekday_of_date(day: date) -> str:
    """Name of the day of the week on which a date falls."""
    return day.strftime("%A")


@server.tool()
async def count_slowly(steps: int, context: Context, pause: float = 0.05) -> int:
    """Count up to a number with a pause after each step, reporting progress."""
    for step in range(1, steps + 1):
        await anyio.sleep(pause)
        await context.report_progress(step, steps, f"step {step}")
    return steps


@server.tool()
async def learn_statistics(context: Context) -> str:
    """Extend this server by more tools for statistics."""
    add_tools(server, STATISTICS, {"numbers": list[float]}, float)
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "learnt"


if __name__ == "__main__":
    server.run()
