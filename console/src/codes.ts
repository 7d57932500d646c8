/** Currencies and countries with their names, as the browser knows them. */

export type Code = { readonly code: string; readonly text: string };

const named = (codes: readonly string[], type: "currency" | "region"): readonly Code[] => {
  const names = new Intl.DisplayNames(["en"], { type, fallback: "none" });
  return codes.flatMap((code) => {
    const name = names.of(code);
    return name === undefined ? [] : [{ code, text: `${code} – ${name}` }];
  });
};

/** Withdrawn currencies have years in their names: "Portuguese Escudo" is in the list, but not "(1926–1999)". */
export const currencies = (): readonly Code[] =>
  named(Intl.supportedValuesOf("currency"), "currency").filter(({ text }) => !/\d{4}/.test(text));

/** Codes with a name that are no countries. */
const NO_COUNTRIES = new Set("AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ".split(" "));
const LETTERS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

export const countries = (): readonly Code[] =>
  named(
    LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
      (code) => !NO_COUNTRIES.has(code),
    ),
    "region",
  );
