/**
 * The result of every check in this layer: the value in canonical form, or a reason from a closed list. A check does not
 * throw on bad input and does not guess.
 */
export type Checked<Value, Reason extends string> =
  | { readonly kind: "valid"; readonly value: Value }
  | { readonly kind: "invalid"; readonly reason: Reason };

export function valid<Value>(value: Value): { readonly kind: "valid"; readonly value: Value } {
  return { kind: "valid", value };
}

export function invalid<Reason extends string>(
  reason: Reason,
): { readonly kind: "invalid"; readonly reason: Reason } {
  return { kind: "invalid", reason };
}
