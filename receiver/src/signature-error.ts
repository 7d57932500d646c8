/**
 * Why a delivery was not accepted. The code is for programs and never changes; the message is for your log.
 * It never contains the secret or the expected signature, but it may help an attacker: answer with the code only.
 */
export type SignatureErrorCode =
  | "no_signature"
  | "malformed_header"
  | "timestamp_out_of_tolerance"
  | "signature_mismatch"
  | "malformed_body";

export class SignatureError extends Error {
  override readonly name = "SignatureError";
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}
