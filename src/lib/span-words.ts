import { counted } from "./counted.ts";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** A length of time in the largest unit that fits: `3 days`, `1 hour`, `less than a minute`. */
export function spanWords(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms >= unit) ?? [];
  return size === undefined ? "less than a minute" : counted(Math.floor(ms / size), name);
}
