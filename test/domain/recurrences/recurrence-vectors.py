"""Prints the vectors of test/domain/recurrences: an independent reading of the rules of Pix Automático.

The reading shares nothing with src/domain/recurrences: days are datetime.date, the cycles are walked one by one from the first, a month's
length is that of the calendar module, and the holidays are a table written by hand from the list of bank holidays. Write it again with

    python3 test/domain/recurrences/recurrence-vectors.py > test/domain/recurrences/recurrence-vectors.json
"""

import calendar
import json
from datetime import date, datetime, timedelta, timezone

MOVABLE = """
2024-02-12 2024-02-13 2024-03-29 2024-05-30
2025-03-03 2025-03-04 2025-04-18 2025-06-19
2026-02-16 2026-02-17 2026-04-03 2026-06-04
2027-02-08 2027-02-09 2027-03-26 2027-05-27
2028-02-28 2028-02-29 2028-04-14 2028-06-15
2029-02-12 2029-02-13 2029-03-30 2029-05-31
"""
FIXED = "01-01 04-21 05-01 09-07 10-12 11-02 11-15 11-20 12-25"
HOLIDAYS = {date.fromisoformat(text) for text in MOVABLE.split()}
HOLIDAYS |= {date.fromisoformat(f"{year}-{text}") for year in range(2024, 2030) for text in FIXED.split()}

ONE_DAY = timedelta(days=1)
BRASILIA = timezone(timedelta(hours=-3))
STEP = {"MONTHLY": 1, "QUARTERLY": 3, "SEMIANNUAL": 6, "ANNUAL": 12}
ENDING = {"AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09"}


def debited(day):
    while day.isoweekday() > 5 or day in HOLIDAYS:
        day += ONE_DAY
    return day


def due_days(terms):
    """Yields the due days for ever."""
    start = date.fromisoformat(terms["startsOn"])
    if terms["frequency"] == "WEEKLY":
        day = start
        while True:
            yield day
            day += timedelta(weeks=1)
    year, month = start.year, start.month
    while True:
        yield date(year, month, min(start.day, calendar.monthrange(year, month)[1]))
        for _ in range(STEP[terms["frequency"]]):
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)


def cycles(terms):
    """Yields the cycles until the recurrence ends."""
    end = date.fromisoformat(terms["endsOn"]) if terms["endsOn"] else date.max
    days = due_days(terms)
    due, following = next(days), next(days)
    number = 1
    while due <= end:
        last = min(following - ONE_DAY, end)
        shown = {"number": number, "dueDay": due, "debitDay": debited(due), "lastDay": last}
        yield {key: value if key == "number" else value.isoformat() for key, value in shown.items()}
        due, following, number = following, next(days), number + 1


def take(terms, wanted):
    """The first cycle that is wanted; none after the recurrence or, without an end, after 1,000 cycles."""
    for cycle in cycles(terms):
        if wanted(cycle):
            return cycle
        if cycle["number"] >= 1_000:
            return None
    return None


def terms_of(frequency, starts_on, ends_on=None):
    return {"frequency": frequency, "startsOn": starts_on, "endsOn": ends_on}


VECTORS = {"cycles": [], "days": [], "creations": [], "retries": []}


def cycle_vector(name, terms, number):
    expected = take(terms, lambda cycle: cycle["number"] == number)
    VECTORS["cycles"].append({"name": name, "terms": terms, "number": number, "expected": expected})


def day_vector(name, terms, day):
    found = take(terms, lambda cycle: cycle["dueDay"] <= day <= cycle["lastDay"])
    VECTORS["days"].append({"name": name, "terms": terms, "day": day, "expected": found and found["number"]})


def creation_vector(name, terms, now, after_cycle=0, days_before=4):
    today = datetime.fromisoformat(now).astimezone(BRASILIA).date()
    skipped, chosen = [], None
    for cycle in cycles(terms):
        if cycle["number"] <= after_cycle:
            continue
        due = date.fromisoformat(cycle["dueDay"])
        if (due - today).days >= 2:
            chosen = due - timedelta(days=days_before)
            break
        skipped.append(cycle["number"])
    expected = None
    if chosen:
        nine = datetime(chosen.year, chosen.month, chosen.day, 9, tzinfo=BRASILIA)
        expected = {"number": cycle["number"], "createAt": nine.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")}
    VECTORS["creations"].append(
        {
            "name": name,
            "terms": terms | {"daysBefore": days_before},
            "now": now,
            "afterCycle": after_cycle,
            "expected": expected,
            "skipped": skipped,
        }
    )


def attempt(on, status, kind="FIRST", code=None):
    return {"on": on, "kind": kind, "status": status, "code": code, "endToEnd": None}


def retry_vector(name, due, today, tries, policy="THREE_IN_SEVEN_DAYS", following=None):
    """Which of the days of two weeks around the due day may have a retry, and whether nothing can follow any more."""
    due_day, now = date.fromisoformat(due), date.fromisoformat(today)
    next_due = date.fromisoformat(following) if following else None
    codes = {one["code"] for one in tries}
    pending = not tries or any(one["status"] in ("REQUESTED", "SCHEDULED") for one in tries)
    paid = "NIPA" in codes or any(one["status"] == "PAID" for one in tries)
    ended = bool(codes & ENDING)
    retried = sum(one["kind"] == "RETRY" for one in tries)
    allowed = policy == "THREE_IN_SEVEN_DAYS" and not (pending or paid or ended) and retried < 3
    days = []
    for offset in range(-3, 12):
        day = due_day + timedelta(days=offset)
        fits = now < day and 1 <= (day - due_day).days <= 7 and not (next_due and day >= next_due)
        if allowed and fits and all(one["on"] != day.isoformat() for one in tries):
            days.append(day.isoformat())
    last = max([debited(due_day)] + [date.fromisoformat(one["on"]) for one in tries])
    over = not (paid or pending) and (ended or (now > last and not days))
    VECTORS["retries"].append(
        {
            "name": name,
            "charge": {"retryPolicy": policy, "dueDay": due, "nextDueDay": following, "tries": tries},
            "today": today,
            "days": days,
            "over": over,
        }
    )


END_OF_MONTH = terms_of("MONTHLY", "2026-01-31")
for number in (1, 2, 3, 4, 12, 13, 14, 26):
    cycle_vector(f"monthly from the 31st: cycle {number}", END_OF_MONTH, number)
for number in (2, 14):
    cycle_vector(f"monthly from 30 January: cycle {number}", terms_of("MONTHLY", "2027-01-30"), number)
LEAP = terms_of("ANNUAL", "2024-02-29")
for number in (1, 2, 4, 5):
    cycle_vector(f"annual from the leap day: cycle {number}", LEAP, number)
for number in (2, 3, 5, 6):
    cycle_vector(f"quarterly from 30 November: cycle {number}", terms_of("QUARTERLY", "2026-11-30"), number)
for number in (2, 3, 4):
    cycle_vector(f"semiannual from 31 August: cycle {number}", terms_of("SEMIANNUAL", "2026-08-31"), number)
WEEKLY = terms_of("WEEKLY", "2026-12-18")
for number in (1, 2, 3, 9, 54):
    cycle_vector(f"weekly from a Friday: cycle {number}", WEEKLY, number)
cycle_vector("due on a Saturday before Carnival", terms_of("MONTHLY", "2026-02-14"), 1)
cycle_vector("due on Good Friday", terms_of("MONTHLY", "2026-03-03"), 2)
cycle_vector("due on Christmas, a Friday", terms_of("MONTHLY", "2026-11-25"), 2)
cycle_vector("due on the last day of the recurrence", terms_of("MONTHLY", "2026-01-10", "2026-03-10"), 3)
cycle_vector("cut short by the end", terms_of("MONTHLY", "2026-01-10", "2026-03-25"), 3)
cycle_vector("after the end", terms_of("MONTHLY", "2026-01-10", "2026-03-25"), 4)
cycle_vector("due a day after the end", terms_of("WEEKLY", "2026-12-18", "2026-12-31"), 3)
cycle_vector("alone: start and end on one day", terms_of("ANNUAL", "2026-12-18", "2026-12-18"), 1)

for label, terms, days in (
    ("monthly from the 31st", END_OF_MONTH, ("2026-01-30", "2026-01-31", "2026-02-27", "2026-02-28", "2026-03-30", "2026-03-31", "2028-02-28", "2028-02-29")),
    ("weekly", WEEKLY, ("2026-12-17", "2026-12-24", "2026-12-25", "2027-01-01", "2027-12-17")),
    ("annual from the leap day", LEAP, ("2025-02-27", "2025-02-28", "2028-02-28", "2028-02-29")),
    ("quarterly from 30 November", terms_of("QUARTERLY", "2026-11-30"), ("2027-02-27", "2027-02-28", "2027-05-29", "2027-05-30")),
    ("semiannual until March", terms_of("SEMIANNUAL", "2026-08-31", "2027-03-15"), ("2027-02-28", "2027-03-15", "2027-03-16")),
):
    for day in days:
        day_vector(f"{label}: {day}", terms, day)

TENTH = terms_of("MONTHLY", "2026-12-10")
creation_vector("long before", TENTH, "2026-11-01T12:00:00Z")
creation_vector("on the day, before nine", TENTH, "2026-12-06T11:59:59Z")
creation_vector("late, within the period", TENTH, "2026-12-07T15:00:00Z")
creation_vector("on the last day, at its end in Brasília", TENTH, "2026-12-09T02:59:59Z")
creation_vector("a second after the last day", TENTH, "2026-12-09T03:00:00Z")
creation_vector("on the due day", TENTH, "2026-12-10T12:00:00Z")
creation_vector("after the first charge", TENTH, "2026-12-10T12:00:00Z", after_cycle=1)
creation_vector("after half a year without a worker", TENTH, "2027-06-09T12:00:00Z", after_cycle=2)
creation_vector("nine days before", TENTH, "2026-11-01T12:00:00Z", days_before=9)
creation_vector("three days before", TENTH, "2026-11-01T12:00:00Z", days_before=3)
creation_vector("over New Year", terms_of("MONTHLY", "2026-11-02"), "2026-12-05T12:00:00Z", after_cycle=2)
creation_vector("over the leap day", terms_of("MONTHLY", "2024-01-31"), "2024-02-01T12:00:00Z", after_cycle=1)
creation_vector("weekly, nine days before: ahead of the last due day", WEEKLY, "2026-12-16T18:00:00Z", after_cycle=1, days_before=9)
creation_vector("weekly, authorized a day late", WEEKLY, "2026-12-17T12:00:00Z")
creation_vector("the last cycle", terms_of("MONTHLY", "2026-12-10", "2027-01-10"), "2026-12-20T12:00:00Z", after_cycle=1)
creation_vector("the last cycle was missed", terms_of("MONTHLY", "2026-12-10", "2027-01-10"), "2027-01-09T12:00:00Z", after_cycle=1)
creation_vector("none is left", terms_of("MONTHLY", "2026-12-10", "2027-01-10"), "2027-01-09T12:00:00Z", after_cycle=2)

TUESDAY, SATURDAY = "2026-06-09", "2026-06-13"
FAILED = [attempt(TUESDAY, "EXPIRED")]
retry_vector("no try is reported yet", TUESDAY, "2026-06-10", [])
retry_vector("the first is scheduled", TUESDAY, "2026-06-08", [attempt(TUESDAY, "SCHEDULED")])
retry_vector("the first is paid", TUESDAY, "2026-06-09", [attempt(TUESDAY, "PAID")])
retry_vector("failed, on the due day", TUESDAY, TUESDAY, FAILED)
retry_vector("failed, a day later", TUESDAY, "2026-06-10", FAILED)
retry_vector("failed, six days later", TUESDAY, "2026-06-15", FAILED)
retry_vector("failed, seven days later", TUESDAY, "2026-06-16", FAILED)
retry_vector("failed, without retries, on the due day", TUESDAY, TUESDAY, FAILED, policy="NOT_ALLOWED")
retry_vector("failed, without retries, a day later", TUESDAY, "2026-06-10", FAILED, policy="NOT_ALLOWED")
retry_vector("weekly: not on the next due day", TUESDAY, "2026-06-10", FAILED, following="2026-06-16")
retry_vector("weekly: six days later", TUESDAY, "2026-06-15", FAILED, following="2026-06-16")
retry_vector("refused when it was scheduled", TUESDAY, "2026-06-05", [attempt(TUESDAY, "REJECTED", code="AB10")])
retry_vector("without retries, refused when it was scheduled", TUESDAY, "2026-06-05", [attempt(TUESDAY, "REJECTED", code="AB10")], policy="NOT_ALLOWED")
retry_vector("the account is closed", TUESDAY, "2026-06-05", [attempt(TUESDAY, "REJECTED", code="AC05")])
retry_vector("the account is closed, without retries", TUESDAY, "2026-06-05", [attempt(TUESDAY, "REJECTED", code="AC05")], policy="NOT_ALLOWED")
retry_vector("an unknown code", TUESDAY, "2026-06-10", [attempt(TUESDAY, "REJECTED", code="ZZ99")])
retry_vector("cancelled by the payer", TUESDAY, "2026-06-10", [attempt(TUESDAY, "CANCELLED")])
ONE = [*FAILED, attempt("2026-06-11", "REJECTED", "RETRY", "AM02")]
TWO = [*ONE, attempt("2026-06-13", "EXPIRED", "RETRY")]
THREE = [*TWO, attempt("2026-06-15", "EXPIRED", "RETRY")]
retry_vector("one retry failed", TUESDAY, "2026-06-11", ONE)
retry_vector("one retry failed before its day", TUESDAY, "2026-06-10", ONE)
retry_vector("two retries failed", TUESDAY, "2026-06-13", TWO)
retry_vector("three retries failed, on the day of the last", TUESDAY, "2026-06-15", THREE)
retry_vector("three retries failed, a day later", TUESDAY, "2026-06-16", THREE)
retry_vector("a retry is pending", TUESDAY, "2026-06-10", [*FAILED, attempt("2026-06-12", "REQUESTED", "RETRY")])
retry_vector("a retry is paid", TUESDAY, "2026-06-13", [*ONE, attempt("2026-06-12", "PAID", "RETRY")])
retry_vector("a retry finds it paid", TUESDAY, "2026-07-30", [*FAILED, attempt("2026-06-11", "REJECTED", "RETRY", "NIPA")])
retry_vector("a retry ends it", TUESDAY, "2026-06-10", [*FAILED, attempt("2026-06-11", "REJECTED", "RETRY", "MSUC")])
retry_vector("a try of the same day is no retry", TUESDAY, "2026-06-10", [*FAILED, attempt(TUESDAY, "EXPIRED", "SAME_DAY")])
retry_vector("due on Saturday, debited on Monday: on that Monday", SATURDAY, "2026-06-15", [attempt("2026-06-15", "EXPIRED")])
retry_vector("due on Saturday, debited on Monday: on Sunday", SATURDAY, "2026-06-14", [attempt(SATURDAY, "REJECTED", code="AB10")], policy="NOT_ALLOWED")
retry_vector("due on Saturday: a week later", SATURDAY, "2026-06-19", [attempt("2026-06-15", "EXPIRED")])
retry_vector("a bank moved the debit for a local holiday", TUESDAY, "2026-06-10", [attempt("2026-06-10", "EXPIRED")], policy="NOT_ALLOWED")

print(json.dumps(VECTORS, indent=2))
