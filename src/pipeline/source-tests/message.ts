/** Request and result of a source test. Both are encrypted: settings contain credentials. */
import { AppError, type ErrorCode, type FieldProblem, isErrorCode, toAppError } from "../../errors.ts";
import type { Sealer } from "../../lib/seal.ts";
import type { Sampled, SourceToTry } from "../sync/sample.ts";

const REQUEST = "source-test-request";
const ANSWER = "source-test-answer";

export type RequestedTest = Omit<SourceToTry, "catalogId">;

export const sealRequest = (sealer: Sealer, { kind, settings }: RequestedTest): Buffer =>
  sealer.seal(JSON.stringify({ kind, settings }), REQUEST);

export const openRequest = (sealer: Sealer, sealed: Buffer): RequestedTest =>
  JSON.parse(sealer.open(sealed, REQUEST)) as RequestedTest;

type Failure = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterS?: number;
};
export type Answer = { readonly sampled: Sampled } | { readonly failure: Failure };

export function failureOf(error: unknown): Answer {
  const { code, message, fields, retryAfterS } = toAppError(error);
  return { failure: { code, message, fields, ...(retryAfterS !== undefined && { retryAfterS }) } };
}

export const sealAnswer = (sealer: Sealer, answer: Answer): Buffer =>
  sealer.seal(JSON.stringify(answer), ANSWER);

/** The sample; throws if the test failed. */
export function openAnswer(sealer: Sealer, sealed: Buffer): Sampled {
  const answer = JSON.parse(sealer.open(sealed, ANSWER)) as Answer;
  if ("sampled" in answer) return answer.sampled;
  const { code, message, ...extras } = answer.failure;
  throw new AppError(isErrorCode(code) ? code : "internal", message, extras);
}
