/**
 * Signs a body as the service does. A receiver needs it in one place only: the tests of its own handler.
 */
import { createHmac } from "node:crypto";
import { bodyBytes, type RawBody } from "./body.ts";
import { listSecrets, type Secrets } from "./secret.ts";

/** The value of `X-Service-Signature`. With several secrets it has a signature of each, as during a rotation. */
export function sign(
  rawBody: RawBody,
  secret: Secrets,
  { now = new Date() }: { readonly now?: Date } = {},
): string {
  const t = unixSeconds(now);
  const body = bodyBytes(rawBody);
  const macs = listSecrets(secret).map((key) =>
    createHmac("sha256", key).update(`${t}.`).update(body).digest("hex"),
  );
  return [`t=${t}`, ...macs.map((mac) => `v1=${mac}`)].join(",");
}

/**
 * The three Standard Webhooks headers, which every delivery has as well. Their key is what follows `whsec_`, decoded.
 */
export function signStandard(
  rawBody: RawBody,
  secret: Secrets,
  { id, now = new Date() }: { readonly id: string; readonly now?: Date },
): { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string } {
  const t = String(unixSeconds(now));
  const body = bodyBytes(rawBody);
  const macs = listSecrets(secret).map((text) => {
    const key = Buffer.from(text.replace(/^whsec_/, ""), "base64");
    return createHmac("sha256", key).update(`${id}.${t}.`).update(body).digest("base64");
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": t,
    "webhook-signature": macs.map((mac) => `v1,${mac}`).join(" "),
  };
}

function unixSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1000);
}
