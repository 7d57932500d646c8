/**
 * Reads `X-Service-Signature: t=<unix seconds>,v1=<hex>[,v1=<hex>]`. Anyone who can reach the receiver can send this
 * header, so it is read strictly (ASCII digits, one `t`, lower case hex, no white space) and its length bounds all
 * later work. Entries with other names are ignored: a later version of the service may add them.
 */
import { SignatureError } from "./signature-error.ts";

/** As HTTP libraries return it: a list or undefined in Node, null from `Headers.get`. */
export type SignatureHeader = string | readonly string[] | null | undefined;

/** What the header claims, before it is verified. */
export type Claim = {
  /** As sent: the MAC covers these characters. */
  readonly t: string;
  /** Each is 64 lower case hexadecimal digits. */
  readonly macs: readonly string[];
};

/** The service sends at most two signatures, 148 characters. This allows 60, and not thousands. */
const MAX_CHARACTERS = 4_096;

/** Eleven digits reach the year 5138, and never lose precision. Milliseconds have thirteen. */
const SECONDS = /^[0-9]{1,11}$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

export function readHeader(header: SignatureHeader): Claim {
  const text = headerText(header);
  const entries = text.split(",").map(splitEntry);
  const values = (name: string) => entries.filter((entry) => entry.name === name).map(({ value }) => value);

  const [t, ...moreTimes] = values("t");
  if (t === undefined || moreTimes.length > 0 || !SECONDS.test(t)) {
    throw malformed("It must have exactly one t=<unix seconds>.");
  }
  const signatures = values("v1");
  if (signatures.length === 0) {
    throw new SignatureError(
      "no_signature",
      "The X-Service-Signature header has no v1 signature. If the service signs in a newer way, update this package.",
    );
  }
  const macs = signatures.filter((value) => HEX_SHA256.test(value));
  if (macs.length === 0) throw malformed("A v1 signature must be 64 lower case hexadecimal digits.");
  return { t, macs };
}

function headerText(header: SignatureHeader): string {
  // A header sent twice becomes one with two `t`, and is refused as that.
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  if (typeof text !== "string") {
    throw new TypeError(
      'verify needs the value of the header: request.headers["x-service-signature"], or its like.',
    );
  }
  if (text === "") {
    throw new SignatureError(
      "no_signature",
      "The request has no X-Service-Signature header. Either the service did not send it, or a proxy removed the header.",
    );
  }
  if (text.length > MAX_CHARACTERS) throw malformed(`It is longer than ${MAX_CHARACTERS} characters.`);
  return text;
}

function splitEntry(entry: string): { name: string; value: string } {
  const at = entry.indexOf("=");
  return at < 0 ? { name: entry, value: "" } : { name: entry.slice(0, at), value: entry.slice(at + 1) };
}

function malformed(reason: string): SignatureError {
  return new SignatureError(
    "malformed_header",
    `The X-Service-Signature header is malformed. ${reason} Pass the value of the header unchanged.`,
  );
}
