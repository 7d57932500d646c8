/**
 * Dates as feeds write them, read into UTC instants of one fixed form, so that comparing the texts compares the
 * times. A time without a zone is UTC. A day without a time is its first moment when something begins on it and its
 * last millisecond when something ends on it. Points mean day, month, year (`15.01.2027`). With slashes or dashes the
 * day may come first or the month: such a date is read if only one order exists (`01/15/2027`), and refused otherwise.
 * Numbers of seconds are not guessed.
 */
import { type Checked, invalid, valid } from "./checked.ts";
import { asciiDigits } from "./decimal.ts";

/** The moment that is meant if only the day is given. */
export type DayEdge = "start" | "end";

/** Either end may be open, never both. */
export type Interval = { readonly from?: string; readonly to?: string };

const DATE = String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?`;
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?$/i;
const INTERVAL = new RegExp(`^(${DATE}|\\.\\.)?(?:\\s*[/,]\\s*|\\s+)(${DATE}|\\.\\.)?$`, "i");
const DAY_EDGES: Readonly<Record<DayEdge, string>> = { start: "00:00:00.000", end: "23:59:59.999" };
/** Years of four digits, so that text order is time order; year 0 is how databases write "never". */
const EARLIEST = "0001-01-01T00:00:00.000Z";
const LATEST = "9999-12-31T23:59:59.999Z";
/** Longer than two dates with every part spelled out. */
const LONGEST_TEXT = 100;

/** A date with day and month in two possible orders, or with the year first and other marks than dashes. */
const LOCAL_DAY = /(?<!\d)(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})(?!\d)/g;
const AMBIGUOUS = "ambiguous";

/** Writes local dates as `YYYY-MM-DD`; returns "ambiguous" if a date can be read as two days. */
function withIsoDays(text: string): string {
  const iso = asciiDigits(text).replace(LOCAL_DAY, localDay);
  return iso.includes(AMBIGUOUS) ? AMBIGUOUS : iso;
}

/** The text itself if it is no date with a year of four digits. */
function localDay(written: string): string {
  const [a, b, c] = written.split(/[./-] ?/) as [string, string, string];
  if (a.length === 4 && c.length <= 2) return isoDay(a, b, c);
  if (a.length > 2 || c.length !== 4) return written;
  if (written.includes(".") || Number(a) > 12 || Number(a) === Number(b)) return isoDay(c, b, a);
  return Number(b) > 12 ? isoDay(c, a, b) : AMBIGUOUS;
}

const isoDay = (year: string, month: string, day: string): string =>
  `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;

/** The match of an ISO pattern, after local dates were brought into its form if they have to be. */
function matchDates(pattern: RegExp, text: string): RegExpExecArray | "ambiguous" | null {
  if (text.length > LONGEST_TEXT) return null;
  const found = pattern.exec(text.trim());
  if (found !== null) return found;
  const iso = withIsoDays(text.trim());
  return iso === AMBIGUOUS ? AMBIGUOUS : pattern.exec(iso);
}

/** An instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function parseInstant(text: string, edge: DayEdge): Checked<string> {
  const parts = matchDates(ISO, text);
  if (parts === AMBIGUOUS) return invalid("ambiguous_date");
  if (parts === null) return invalid("not_iso");
  const [, , , , , zone = "Z"] = parts;
  const written = withoutZone(parts, edge);
  const local = Date.parse(written);
  const offset = offsetMinutes(zone);
  // The parser rolls 31 April over into May: only what comes back as written exists.
  if (Number.isNaN(local) || offset === undefined || new Date(local).toISOString() !== written)
    return invalid("no_such_time");
  const instant = offset === 0 ? written : new Date(local - offset * 60_000).toISOString();
  return EARLIEST <= instant && instant <= LATEST ? valid(instant) : invalid("no_such_time");
}

/** The day and time of the text, in our format, without the time zone. */
function withoutZone(parts: RegExpExecArray, edge: DayEdge): string {
  const [, day = "", minute, second = "00", fraction = ""] = parts;
  const time = minute === undefined ? DAY_EDGES[edge] : `${minute}:${second}.${milliseconds(fraction)}`;
  return `${day}T${time}Z`;
}

/** `from/to`; a comma or white space may replace the slash, `..` or nothing for an open end. */
export function parseInterval(text: string): Checked<Interval> {
  const parts = matchDates(INTERVAL, text);
  if (parts === AMBIGUOUS) return invalid("ambiguous_date");
  const from = edgeOf(parts?.[1], "start");
  const to = edgeOf(parts?.[2], "end");
  if (parts === null || (from === undefined && to === undefined)) return invalid("not_an_interval");
  return toInterval(from, to);
}

/** Joins two ends that were read apart. */
export function toInterval(
  from: Checked<string> | undefined,
  to: Checked<string> | undefined,
): Checked<Interval> {
  if (from?.kind === "invalid") return from;
  if (to?.kind === "invalid") return to;
  if (from !== undefined && to !== undefined) {
    if (from.value >= to.value) return invalid("ends_before_start");
    return valid({ from: from.value, to: to.value });
  }
  if (from !== undefined) return valid({ from: from.value });
  return valid(to === undefined ? {} : { to: to.value });
}

function edgeOf(text: string | undefined, edge: DayEdge): Checked<string> | undefined {
  return text === undefined || text === ".." ? undefined : parseInstant(text, edge);
}

function milliseconds(fraction: string): string {
  return fraction.slice(0, 3).padEnd(3, "0");
}

function offsetMinutes(zone: string): number | undefined {
  const sign = zone.charAt(0);
  if (sign !== "+" && sign !== "-") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  // The widest offset in use is +14:00.
  if (hours > 14 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}
