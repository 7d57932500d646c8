/** Values of options as people type them; what is wrong is said in the option's own spelling. */
import { AppError } from "../errors.ts";

/** One of a closed list. */
export function choice<const T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new AppError("invalid_request", `${option} takes ${anyOf(allowed)}, not "${text}".`);
}

/** `yes, no or maybe`. */
const anyOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

export function wholeNumber(
  option: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new AppError(
    "invalid_request",
    `${option} takes a whole number from ${min} to ${max}, not "${text}".`,
  );
}

/** A share from 0 to 1. An empty text is no zero. */
export function ratio(option: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (number >= 0 && number <= 1) return number;
  throw new AppError("invalid_request", `${option} takes a number from 0 to 1, not "${text}".`);
}
