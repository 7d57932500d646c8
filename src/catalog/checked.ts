/**
 * The answer of every check on this floor: the value in its one canonical form, or a reason from a closed list.
 * A check never throws over what a shop wrote, and never repairs by guessing.
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
