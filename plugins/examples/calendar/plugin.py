"""Reads iCalendar files (RFC 5545) for flowrun: events, folded lines, escapes, dates, times and simple repetitions."""

import datetime

from flowrun_plugin import Problem, action, serve

LARGEST_FILE = 16 << 20
MOST_DAYS = 3660
MOST_EVENTS = 10_000


def content_lines(text):
    """Returns the logical lines with the number of the first physical line. A line that starts with white space continues
    the previous one."""
    logical = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if line[:1] in (" ", "\t") and logical:
            logical[-1][1].append(line[1:])
        elif line:
            logical.append((number, [line]))
    return [(number, "".join(parts)) for number, parts in logical]


def split_line(number, line):
    """Splits `NAME;PARAMETER=VALUE:content` into name and content. Colons in quotes are ignored."""
    quoted = False
    for place, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == ":" and not quoted:
            return line[:place].split(";")[0].upper(), line[place + 1:]
    raise Problem("not-a-calendar", "line %d has no ':': %s" % (number, line[:60]))


def text_value(content):
    """Returns the text without its escapes."""
    plain, escaped = [], False
    for character in content:
        if escaped:
            plain.append("\n" if character in "nN" else character)
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            plain.append(character)
    return "".join(plain)


def moment(number, content):
    """Returns a date, or a date with the local time of its place."""
    try:
        if len(content) == 8:
            return datetime.datetime.strptime(content, "%Y%m%d").date()
        return datetime.datetime.strptime(content.rstrip("Z"), "%Y%m%dT%H%M%S")
    except ValueError:
        raise Problem("not-a-calendar", "line %d: '%s' is neither a date nor a time" % (number, content[:40]))


def repetition(number, content):
    """Returns the supported parts of an RRULE: the interval in days, the count and the end. Returns None for other rules."""
    rule = dict(part.split("=", 1) for part in content.upper().split(";") if "=" in part)
    days = {"DAILY": 1, "WEEKLY": 7}.get(rule.get("FREQ"))
    try:
        interval, count = int(rule.get("INTERVAL", "1")), int(rule.get("COUNT", "0"))
    except ValueError:
        raise Problem("not-a-calendar", "line %d: '%s' is not a rule of repetition" % (number, content[:60]))
    if days is None or interval < 1 or any(key.startswith("BY") for key in rule):
        return None
    until = day_of(moment(number, rule["UNTIL"])) if "UNTIL" in rule else datetime.date.max
    return datetime.timedelta(days=min(days * interval, 100_000)), count, until


def read_property(event, number, name, content):
    """Adds a property of a VEVENT to `event`."""
    if name == "SUMMARY":
        event["title"] = text_value(content)
    elif name == "LOCATION":
        event["location"] = text_value(content)
    elif name == "DTSTART":
        event["start"] = moment(number, content)
    elif name == "DTEND":
        event["end"] = moment(number, content)
    elif name == "RRULE":
        event["repeats"] = repetition(number, content)
    elif name == "EXDATE":
        event["except"].update(moment(number, part) for part in content.split(","))


def read_events(text):
    """Returns the VEVENT components as dictionaries of the supported properties."""
    lines = content_lines(text)
    if not lines or lines[0][1].strip().upper() != "BEGIN:VCALENDAR":
        raise Problem("not-a-calendar", "the file does not begin with BEGIN:VCALENDAR")
    events, event, inside = [], None, []
    for number, line in lines:
        name, content = split_line(number, line)
        if name == "BEGIN":
            inside.append(content.upper())
            if inside[-1] == "VEVENT":
                event = {"title": "", "location": "", "except": set(), "repeats": None}
        elif name == "END":
            if not inside or inside.pop() != content.upper():
                raise Problem("not-a-calendar", "line %d ends %s, which is not open" % (number, content))
            if content.upper() == "VEVENT":
                if "start" not in event:
                    raise Problem("not-a-calendar", "the event that ends in line %d has no DTSTART" % number)
                if type(event.get("end", event["start"])) is not type(event["start"]):
                    raise Problem("not-a-calendar", "the event that ends in line %d mixes day and time" % number)
                events.append(event)
                event = None
        elif event is not None and inside[-1] == "VEVENT":
            read_property(event, number, name, content)
    if inside:
        raise Problem("not-a-calendar", "%s is never ended" % inside[-1])
    return events


def day_of(value):
    return value.date() if isinstance(value, datetime.datetime) else value


def occurrences(event, last_day):
    """Returns the starts of an event up to a day. Daily and weekly repetitions are supported; of others, only the first one
    counts."""
    start = event["start"]
    if event["repeats"] is None:
        yield start
        return
    step, left, until = event["repeats"]
    while day_of(start) <= min(until, last_day):
        if start not in event["except"]:
            yield start
        left -= 1
        if left == 0 or datetime.date.max - day_of(start) < step:
            return
        start += step


def shown(value):
    return value.strftime("%Y-%m-%dT%H:%M") if isinstance(value, datetime.datetime) else value.isoformat()


@action("calendar.events")
def events(call, file, from_, days, limit):
    try:
        first = datetime.date.fromisoformat(from_)
    except ValueError:
        raise Problem("not-a-date", "'%s' is not a day; write 2026-05-01" % from_)
    if not 1 <= days <= MOST_DAYS or not 1 <= limit <= MOST_EVENTS:
        raise Problem("out-of-range", "days must be 1 to %d and limit 1 to %d" % (MOST_DAYS, MOST_EVENTS))
    try:
        last = first + datetime.timedelta(days=days - 1)
        with open(file, "rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OverflowError:
        raise Problem("out-of-range", "there are no %d days after %s" % (days, first))
    except OSError as problem:
        raise Problem("no-such-file", "'%s' cannot be read: %s" % (file, problem.strerror))
    if len(content) > LARGEST_FILE:
        raise Problem("not-a-calendar", "'%s' is larger than 16 MiB" % file)
    found = []
    for event in read_events(content.decode("utf-8-sig", "replace")):
        length = event.get("end", event["start"]) - event["start"]
        # The end of an all-day event is the day after it.
        is_whole_day = length > datetime.timedelta(0) and not isinstance(event["start"], datetime.datetime)
        for start in occurrences(event, last):
            end = start + length
            if day_of(start) <= last and (day_of(end) > first or day_of(end) == first and not is_whole_day):
                found.append({
                    "title": event["title"], "start": shown(start), "end": shown(end), "location": event["location"]})
    found.sort(key=lambda event: (event["start"], event["title"]))
    call.log("%d events from %s to %s" % (len(found), first, last))
    return {"events": found[:limit], "count": min(len(found), limit)}


serve()
