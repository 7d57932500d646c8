/** Numbers, sizes and times as people read them. */
const LOCALE = "en";
const number = new Intl.NumberFormat(LOCALE);
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
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

/** "3 hours ago", "in 2 days". */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  return Math.abs(seconds) < 10 ? "just now" : relative.format(Math.trunc(seconds), "second");
}

export const formatExact = (time: string): string => exact.format(Date.parse(time));
