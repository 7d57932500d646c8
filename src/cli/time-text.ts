/** Times and spans as people type them at an option. */
import { duration } from "../config.ts";
import { AppError } from "../errors.ts";

/** `0`, `30m`, `24h`, `7d`. */
export function secondsOf(option: string, text: string): number {
  if (text.trim() === "0") return 0;
  try {
    return duration(text);
  } catch (error) {
    throw new AppError("invalid_request", `${option} ${(error as Error).message}.`);
  }
}

export function timeOf(option: string, text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new AppError(
    "invalid_request",
    `${option} takes a time such as 2026-11-15T06:00:00Z, not "${text}".`,
  );
}
