/** Numbers, sizes and times as people read them. */
const LOCALE = "en";
const number = new Intl.NumberFormat(LOCALE);
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "always" });
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

export const formatNumber = (value: number): string => number.format(value);

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const SECONDS = ["second", 1] as const;

/** "3 hours ago", "in 2 days", rounded: 5 hours and 59 minutes are 6 hours, 59.9 minutes are an hour. */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, length] =
    STEPS.find(([, size], i) => Math.abs(seconds) >= size - (STEPS[i + 1]?.[1] ?? 1) / 2) ?? SECONDS;
  if (unit === "second" && Math.abs(seconds) < 10) return "just now";
  return relative.format(Math.round(seconds / length), unit);
}

export const formatExact = (time: string): string => exact.format(Date.parse(time));

const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
/** A share from 0 to 1. */
export const formatPercent = (share: number): string => percent.format(share);

const BYTE_UNITS = ["B", "kB", "MB", "GB"] as const;
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** "850 ms", "12 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const LENGTHS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** "5 minutes", "day": in the largest unit that it is a whole number of. */
export function formatInterval(seconds: number): string {
  const [unit, length] = LENGTHS.find(([, size]) => seconds % size === 0) ?? LENGTHS[3];
  const count = seconds / length;
  return count === 1
    ? unit
    : new Intl.NumberFormat(LOCALE, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
