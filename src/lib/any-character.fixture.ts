import fc from "fast-check";

/** For `fc.string({ unit: anyCharacter })`: every character. The same unit of fast-check, "binary", takes a second to prepare. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff))
  .map((codePoint) => String.fromCodePoint(codePoint).toWellFormed());
