/** One known fault: the rule that must find it, what is left of its points, and how the perfect catalog is spoiled. */
import type { Money, ShippingRate } from "../../catalog/item.ts";
import type { Spoil } from "../perfect.fixture.ts";

export type KnownFault = {
  readonly rule: string;
  readonly what: string;
  /** Twelfths. */
  readonly earned: number;
  readonly spoil: Spoil;
};

export function fault(rule: string, what: string, earned: number, spoil: Spoil): KnownFault {
  return { rule, what, earned, spoil };
}

export function eur(amount: string): Money {
  return { amount, currency: "EUR" };
}

/** A text of exactly this length that nothing else is wrong with. */
export function long(length: number): string {
  return `Fjellgarn stool ${"x".repeat(length)}`.slice(0, length);
}

/** A variant in the middle of its group. */
export const TEE = "tee-red-m";

export const RATE: ShippingRate = { country: "DE", service: "Standard", price: eur("4.90") };
