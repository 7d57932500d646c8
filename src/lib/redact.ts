/** Removes secrets from what another server answered: many servers echo what they were sent. */

/**
 * The beginning of a secret that is cut off at the end of the stored answer is removed, too, if at least this much of
 * it is there.
 */
const MIN_CUT = 4;

export type Redaction = { readonly secrets: readonly string[]; readonly label: string };

export function redactText(text: string, { secrets, label }: Redaction): string {
  // Longer secrets first: one may contain another.
  const ordered = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  let redacted = text;
  for (const secret of ordered) redacted = redacted.replaceAll(secret, label);
  for (const secret of ordered) {
    for (let length = secret.length - 1; length >= MIN_CUT; length -= 1) {
      if (redacted.endsWith(secret.slice(0, length))) return redacted.slice(0, -length) + label;
    }
  }
  return redacted;
}

/** As Latin-1, which keeps every byte. */
export function redactBytes(bytes: Buffer, { secrets, label }: Redaction): Buffer {
  const text = redactText(bytes.toString("latin1"), { secrets: secrets.map(latin1), label: latin1(label) });
  return Buffer.from(text, "latin1");
}

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
