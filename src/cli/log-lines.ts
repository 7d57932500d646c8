/**
 * Log lines for people: time (UTC), level, message and a few fields instead of JSON. Successful requests are left out
 * unless the level is `debug`, so that they do not scroll the summary of the start out of view.
 */

type LogLine = {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly err?: { stack?: string };
} & Readonly<Record<string, unknown>>;

/** The fields that are shown, in this order. */
const SHOWN = ["method", "route", "status", "duration_ms", "code", "run_id"] as const;

export function readableLine(json: string, level = "info"): string {
  let line: LogLine;
  try {
    line = JSON.parse(json) as LogLine;
  } catch {
    return json;
  }
  if (level !== "debug" && line.msg === "request" && Number(line["status"]) < 400) return "";
  const time = `${line.time.slice(11, 19)}Z`;
  const stats = Object.entries(line["stats"] ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const fields = SHOWN.filter((name) => line[name] !== undefined).map(
    (name) => `${name}=${String(line[name])}`,
  );
  const rest = [stats.join(", "), fields.join(" ")].filter((part) => part !== "").join("  ");
  const stack = line.err?.stack === undefined ? "" : `\n${line.err.stack}`;
  return `${time} ${line.level.padEnd(5)} ${line.msg}${rest === "" ? "" : `  ${rest}`}${stack}\n`;
}
