"""Prints the vectors of test/domain/charges/due-amount.test.ts: an independent reading of the Central Bank's rules.

The reading shares nothing with src/domain/charges: amounts are decimals of reais, days are datetime.date, and the holidays are a table
written by hand from the list of bank holidays, not computed. Write it again with

    python3 test/domain/charges/due-amount-vectors.py > test/domain/charges/due-amount-vectors.json
"""

import json
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, getcontext

getcontext().prec = 60

MOVABLE = """
2024-02-12 2024-02-13 2024-03-29 2024-05-30
2025-03-03 2025-03-04 2025-04-18 2025-06-19
2026-02-16 2026-02-17 2026-04-03 2026-06-04
2027-02-08 2027-02-09 2027-03-26 2027-05-27
2028-02-28 2028-02-29 2028-04-14 2028-06-15
2029-02-12 2029-02-13 2029-03-30 2029-05-31
2030-03-04 2030-03-05 2030-04-19 2030-06-20
"""
FIXED = "01-01 04-21 05-01 09-07 10-12 11-02 11-15 11-20 12-25"
HOLIDAYS = {date.fromisoformat(text) for text in MOVABLE.split()}
HOLIDAYS |= {date.fromisoformat(f"{year}-{text}") for year in range(2024, 2031) for text in FIXED.split()}

PERIOD = {"CALENDAR": {"DAY": 1, "MONTH": 30, "YEAR": 365}, "BUSINESS": {"DAY": 1, "MONTH": 21, "YEAR": 252}}
ONE_DAY = timedelta(days=1)


def settles(day):
    return day.isoweekday() <= 5 and day not in HOLIDAYS


def moved(day):
    while not settles(day):
        day += ONE_DAY
    return day


def days_between(first, last, counted):
    """Days after the first up to the last; of business days only those on which banks settle."""
    total = 0
    while first < last:
        first += ONE_DAY
        if counted == "CALENDAR" or settles(first):
            total += 1
    return total


def reais(value):
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def part(amount, base, days=1, period=1):
    if amount["type"] == "FIXED":
        return reais(Decimal(amount["cents"]) / 100 * days / period)
    return reais(base * Decimal(amount["basisPoints"]) * days / (10_000 * period))


def discount_of(discount, base, due, day):
    if discount["kind"] == "per_day":
        return part(discount["rate"], base, days_between(day, due, discount["days"]))
    reached = [step for step in discount["steps"] if day <= moved(date.fromisoformat(step["on"]))]
    return part(min(reached, key=lambda step: step["on"]), base) if reached else Decimal(0)


def amount_due(original, terms, day):
    zero = Decimal(0)
    due = moved(date.fromisoformat(terms["on"]))
    abatement = part(terms["abatement"], original) if terms["abatement"] else zero
    base = original - abatement
    discount = discount_of(terms["discount"], base, due, day) if terms["discount"] else zero
    discount = min(discount, base)
    fine = interest = zero
    if day > due:
        if terms["fine"]:
            fine = part(terms["fine"], base)
        if terms["interest"]:
            rate = terms["interest"]
            interest = part(rate, base, days_between(due, day, rate["days"]), PERIOD[rate["days"]][rate["per"]])
    return {
        "original": original,
        "fine": fine,
        "interest": interest,
        "discount": discount,
        "abatement": abatement,
        "total": base - discount + fine + interest,
    }


def due_end(terms):
    return moved(moved(date.fromisoformat(terms["on"])) + timedelta(days=terms["payableDaysAfter"]))


def fixed(cents, **more):
    return {"type": "FIXED", "cents": cents, **more}


def percent(basis_points, **more):
    return {"type": "PERCENTAGE", "basisPoints": basis_points, **more}


def until(*steps):
    return {"kind": "until", "steps": list(steps)}


def per_day(rate, days):
    return {"kind": "per_day", "rate": rate, "days": days}


VECTORS = []


def vector(name, original, on, day, payable_days_after=30, **members):
    terms = {"on": on, "payableDaysAfter": payable_days_after}
    terms |= {member: members.get(member) for member in ("fine", "interest", "abatement", "discount")}
    amounts = amount_due(Decimal(original), terms, date.fromisoformat(day))
    VECTORS.append(
        {
            "name": name,
            "day": day,
            "terms": terms,
            "expected": {f"{key}Cents": int(value * 100) for key, value in amounts.items()},
            "end": due_end(terms).isoformat(),
        }
    )


TUESDAY = "2026-06-09"
INTERESTS = {
    "fixed a calendar day": fixed(37, per="DAY", days="CALENDAR"),
    "percent a day, calendar": percent(33, per="DAY", days="CALENDAR"),
    "percent a month, calendar": percent(100, per="MONTH", days="CALENDAR"),
    "percent a year, calendar": percent(1_200, per="YEAR", days="CALENDAR"),
    "fixed a business day": fixed(37, per="DAY", days="BUSINESS"),
    "percent a day, business": percent(33, per="DAY", days="BUSINESS"),
    "percent a month, business": percent(100, per="MONTH", days="BUSINESS"),
    "percent a year, business": percent(1_200, per="YEAR", days="BUSINESS"),
}
for label, interest in INTERESTS.items():
    vector(f"interest {label}: on the due day", "1234.56", TUESDAY, TUESDAY, interest=interest)
    vector(f"interest {label}: one day late", "1234.56", TUESDAY, "2026-06-10", interest=interest)
    vector(f"interest {label}: on Sunday", "1234.56", TUESDAY, "2026-06-14", interest=interest)
    vector(f"interest {label}: 31 days late", "1234.56", TUESDAY, "2026-07-10", interest=interest)

for label, fine in {"fixed": fixed(250), "percent": percent(200)}.items():
    vector(f"fine {label}: on the due day", "87.35", TUESDAY, TUESDAY, fine=fine)
    vector(f"fine {label}: one day late", "87.35", TUESDAY, "2026-06-10", fine=fine)
    vector(f"fine {label}: once, 20 days late", "87.35", TUESDAY, "2026-06-29", fine=fine)

for label, abatement in {"fixed": fixed(1_001), "percent": percent(333)}.items():
    vector(f"abatement {label}: early", "87.35", TUESDAY, "2026-05-04", abatement=abatement)
    vector(f"abatement {label}: late", "87.35", TUESDAY, "2026-06-15", abatement=abatement)

DISCOUNTS = {
    "fixed until days": until(fixed(1_000, on="2026-05-20"), fixed(500, on="2026-05-30"), fixed(100, on=TUESDAY)),
    "percent until days": until(percent(999, on="2026-05-20"), percent(501, on="2026-05-30")),
    "fixed a calendar day early": per_day(fixed(15), "CALENDAR"),
    "fixed a business day early": per_day(fixed(15), "BUSINESS"),
    "percent a calendar day early": per_day(percent(7), "CALENDAR"),
    "percent a business day early": per_day(percent(7), "BUSINESS"),
}
for label, discount in DISCOUNTS.items():
    vector(f"discount {label}: four weeks early", "333.33", TUESDAY, "2026-05-12", discount=discount)
    vector(f"discount {label}: Monday after a Saturday", "333.33", TUESDAY, "2026-06-01", discount=discount)
    vector(f"discount {label}: over Corpus Christi", "333.33", TUESDAY, "2026-06-03", discount=discount)
    vector(f"discount {label}: on the due day", "333.33", TUESDAY, TUESDAY, discount=discount)
    vector(f"discount {label}: late", "333.33", TUESDAY, "2026-06-12", discount=discount)

ALL = {
    "fine": percent(200),
    "interest": percent(100, per="MONTH", days="CALENDAR"),
    "abatement": percent(50),
    "discount": per_day(fixed(5), "CALENDAR"),
}
vector("the Central Bank's example", "100.00", TUESDAY, "2026-06-11", fine=percent(300), interest=INTERESTS["percent a day, calendar"] | {"basisPoints": 100})
vector("due on a Saturday, paid on Monday", "512.09", "2026-06-06", "2026-06-08", **ALL)
vector("due on a Saturday, paid on Tuesday", "512.09", "2026-06-06", "2026-06-09", **ALL)
vector("due on a Sunday, paid on Saturday before", "512.09", "2026-06-07", "2026-06-06", **ALL)
vector("due on Good Friday, paid on Easter Monday", "512.09", "2026-04-03", "2026-04-06", **ALL)
vector("due on Good Friday, paid on Tuesday", "512.09", "2026-04-03", "2026-04-07", **ALL)
vector("due on Carnival, paid on Ash Wednesday", "512.09", "2026-02-16", "2026-02-18", **ALL)
vector("due on 20 November, a holiday since 2024", "512.09", "2025-11-20", "2025-11-21", **ALL)
vector("due on Christmas, end on New Year's Day", "512.09", "2026-12-25", "2026-12-29", payable_days_after=4, **ALL)
vector("due on 28 February of a leap year, which is Carnival in 2028", "512.09", "2028-02-28", "2028-03-02", **ALL)
vector("due on 28 February 2024, paid on the leap day", "512.09", "2024-02-28", "2024-02-29", **ALL)
vector("due on the leap day 2024, paid on 1 March", "512.09", "2024-02-29", "2024-03-01", **ALL)
vector("a year over the leap day", "512.09", "2024-02-15", "2025-02-14", payable_days_after=365, **ALL)
vector("half a centavo of fine", "0.50", TUESDAY, "2026-06-10", fine=percent(100))
vector("half a centavo of abatement", "10.00", TUESDAY, TUESDAY, abatement=percent(5))
vector("the highest value, a year late", "9999999999.99", TUESDAY, "2027-06-09", payable_days_after=365, fine=percent(9_999), interest=percent(9_999, per="DAY", days="CALENDAR"))
vector("a discount larger than what is left", "20.00", TUESDAY, "2026-02-02", abatement=fixed(500), discount=per_day(fixed(50), "CALENDAR"))
vector("a discount until a Saturday, paid on Monday", "100.00", "2026-06-19", "2026-06-15", discount=until(fixed(300, on="2026-06-13"), fixed(200, on="2026-06-15")))
vector("30,000.00 one day late at 1 % a month", "30000.00", "2024-09-04", "2024-09-05", interest=percent(100, per="MONTH", days="CALENDAR"))

print(json.dumps(VECTORS, indent=2))
