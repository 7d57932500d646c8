/** Request and result of a source test. Both are encrypted: settings contain credentials. */
import { AppError, type ErrorCode, type FieldProblem, isErrorCode, toAppError } from "../../errors.ts";
import type { Encryption } from "../../lib/encryption.ts";
import type { Sampled, SourceToTry } from "../sync/sample.ts";

const REQUEST = "source-test-request";
const ANSWER = "source-test-answer";

export type RequestedTest = Omit<SourceToTry, "catalogId">;

export const encryptRequest = (encryption: Encryption, { kind, settings }: RequestedTest): Buffer =>
  encryption.encrypt(JSON.stringify({ kind, settings }), REQUEST);

export const openRequest = (encryption: Encryption, encrypted: Buffer): RequestedTest =>
  JSON.parse(encryption.decrypt(encrypted, REQUEST)) as RequestedTest;

type Failure = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterS?: number;
  readonly suggestedSettings?: Readonly<Record<string, string>>;
};
export type Answer = { readonly sampled: Sampled } | { readonly failure: Failure };

export function failureOf(error: unknown): Answer {
  const { code, message, fields, retryAfterS, suggestedSettings } = toAppError(error);
  return {
    failure: {
      code,
      message,
      fields,
      ...(retryAfterS !== undefined && { retryAfterS }),
      ...(suggestedSettings && { suggestedSettings }),
    },
  };
}

export const encryptAnswer = (encryption: Encryption, answer: Answer): Buffer =>
  encryption.encrypt(JSON.stringify(answer), ANSWER);

/** The sample; throws if the test failed. */
export function openAnswer(encryption: Encryption, encrypted: Buffer): Sampled {
  const answer = JSON.parse(encryption.decrypt(encrypted, ANSWER)) as Answer;
  if ("sampled" in answer) return answer.sampled;
  const { code, message, ...extras } = answer.failure;
  throw new AppError(isErrorCode(code) ? code : "internal", message, extras);
}
