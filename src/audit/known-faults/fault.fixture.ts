/** A test case: the rule that must have a finding, the twelfths it leaves, and the change of the perfect catalog. */
import type { Money, ShippingRate } from "../../catalog/item.ts";
import type { Mutation } from "../perfect.fixture.ts";

export type KnownFault = {
  readonly rule: string;
  readonly what: string;
  /** The twelfths that the item still earns. */
  readonly earned: number;
  readonly mutate: Mutation;
};

export function faults(
  rule: string,
  cases: readonly (readonly [what: string, earned: number, mutate: Mutation])[],
): KnownFault[] {
  return cases.map(([what, earned, mutate]) => ({ rule, what, earned, mutate }));
}

export function eur(amount: string): Money {
  return { amount, currency: "EUR" };
}

/** Makes a text of exactly this length that has no other findings. */
export function long(length: number): string {
  return `Fjellgarn stool ${"x".repeat(length)}`.slice(0, length);
}

/** A variant in the middle of its group. */
export const TEE = "tee-red-m";

export const RATE: ShippingRate = { country: "DE", service: "Standard", price: eur("4.90") };
