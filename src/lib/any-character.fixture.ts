import { type Arbitrary, nat, oneof } from "fast-check";

/**
 * For `fc.string({ unit: anyCharacter })`: every character. The same unit of fast-check, "binary", takes a second to
 * prepare.
 */
export const anyCharacter: Arbitrary<string> = oneof(nat(0x7f), nat(0xffff), nat(0x10ffff)).map((codePoint) =>
  String.fromCodePoint(codePoint).toWellFormed(),
);
