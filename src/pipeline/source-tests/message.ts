/**
 * Request and result of a source test, or of a preview of an upload. Both are encrypted: settings contain credentials.
 * The bytes of an upload are appended, stored like those of a push.
 */
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { AppError, type ErrorCode, type FieldProblem, isErrorCode, toAppError } from "../../errors.ts";
import type { Encryption } from "../../lib/encryption.ts";
import type { PreviewedUpload } from "../push/preview.ts";
import type { Sampled, SourceToTry } from "../sync/sample.ts";

const REQUEST = "source-test-request";
const ANSWER = "source-test-answer";

export type RequestedTest =
  | { readonly source: Omit<SourceToTry, "catalogId"> }
  | { readonly upload: PreviewedUpload };

const LENGTH_BYTES = 4;

/** The length of the encrypted part, that part, and the compressed bytes of an upload. */
export async function packRequest(encryption: Encryption, request: RequestedTest): Promise<Buffer> {
  const { bytes = Buffer.of(), ...upload } = "upload" in request ? request.upload : {};
  const described = "upload" in request ? { upload } : request;
  const encrypted = encryption.encrypt(JSON.stringify(described), REQUEST);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(encrypted.length);
  return Buffer.concat([length, encrypted, await promisify(zstdCompress)(bytes)]);
}

export async function openRequest(encryption: Encryption, packed: Buffer): Promise<RequestedTest> {
  const end = LENGTH_BYTES + packed.readUInt32BE();
  const text = encryption.decrypt(packed.subarray(LENGTH_BYTES, end), REQUEST);
  const request = JSON.parse(text) as RequestedTest;
  if ("source" in request) return request;
  return { upload: { ...request.upload, bytes: await promisify(zstdDecompress)(packed.subarray(end)) } };
}

type TestFailure = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterS?: number;
  readonly suggestedSettings?: Readonly<Record<string, string>>;
};
export type SourceTestAnswer = { readonly sampled: Sampled } | { readonly failure: TestFailure };

export function failureOf(error: unknown): SourceTestAnswer {
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

export const encryptAnswer = (encryption: Encryption, answer: SourceTestAnswer): Buffer =>
  encryption.encrypt(JSON.stringify(answer), ANSWER);

/** The sample; throws if the test failed. */
export function openAnswer(encryption: Encryption, encrypted: Buffer): Sampled {
  const answer = JSON.parse(encryption.decrypt(encrypted, ANSWER)) as SourceTestAnswer;
  if ("sampled" in answer) return answer.sampled;
  const { code, message, ...extras } = answer.failure;
  throw new AppError(isErrorCode(code) ? code : "internal", message, extras);
}
