/**
 * The signing secret, or several: while a secret is being replaced you may pass both. The HMAC key is the whole string
 * as it was shown, `whsec_` included. An empty one is an error, since anyone can sign with an empty key.
 */
import { SignatureError } from "./signature-error.ts";

export type Secrets = string | readonly string[];

export function listSecrets(secrets: Secrets): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length > 0 && list.every(isSecret)) return list;
  throw new TypeError(
    "The signing secret is missing. Pass the whsec_… string that was shown when the webhook was registered; is the setting that holds it set?",
  );
}

function isSecret(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Names a likely mistake, and never any part of the secret. */
export function mismatch(secrets: readonly string[]): SignatureError {
  return new SignatureError(
    "signature_mismatch",
    `No signature matches the body. ${mistakeIn(secrets) ?? "The secret is another endpoint's, or the body is not byte for byte what was sent."}`,
  );
}

function mistakeIn(secrets: readonly string[]): string | undefined {
  if (secrets.some((secret) => secret !== secret.trim())) {
    return "The secret has white space around it: remove it.";
  }
  if (secrets.some((secret) => !secret.startsWith("whsec_"))) {
    return "The secret does not begin with whsec_: use the whole string as it was shown.";
  }
  return undefined;
}
