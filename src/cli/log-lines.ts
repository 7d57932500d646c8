/** Log lines for a terminal: short text instead of JSON. */

type Line = {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly err?: { stack?: string };
} & Readonly<Record<string, unknown>>;

/** The fields that are shown, in this order. */
const SHOWN = ["method", "route", "status", "duration_ms", "code", "run_id"] as const;
const NAMES: Readonly<Record<number, string>> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };

export function readableLine(json: string): string {
  let line: Line;
  try {
    line = JSON.parse(json) as Line;
  } catch {
    return json;
  }
  const time = new Date(line.time).toISOString().slice(11, 19);
  const stats = Object.entries(line["stats"] ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const fields = SHOWN.filter((name) => line[name] !== undefined).map(
    (name) => `${name}=${String(line[name])}`,
  );
  const rest = [stats.join(", "), fields.join(" ")].filter((part) => part !== "").join("  ");
  const stack = line.err?.stack === undefined ? "" : `\n${line.err.stack}`;
  return `${time}  ${NAMES[line.level] ?? ""}${line.msg}${rest === "" ? "" : `  ${rest}`}${stack}\n`;
}
