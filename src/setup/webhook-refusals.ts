/** What is wrong with a request about webhooks, in one shape. */
import { AppError } from "../errors.ts";
import { isUuid } from "../lib/id.ts";

export function invalid(pointer: string, detail: string): AppError {
  return new AppError("invalid_request", detail, { fields: [{ pointer, detail }] });
}

export function noWebhook(id: string): AppError {
  return new AppError(
    "not_found",
    `There is no webhook ${id} in this catalog. The list has those there are.`,
  );
}

export function requireUuid(pointer: string, text: string): void {
  if (!isUuid(text)) throw invalid(pointer, `"${text}" is not a UUID. Take the id from the list.`);
}
