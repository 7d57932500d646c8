/** Currencies and countries by name, as the browser knows them. */
import { COUNTRY_CODES, CURRENCY_CODES } from "../../src/contract/codes.ts";
import type { SelectOption } from "./components/fields.tsx";

/** The name first: people look for "Germany", not for "DE". */
function named(codes: readonly string[], type: "currency" | "region"): readonly SelectOption[] {
  const names = new Intl.DisplayNames(["en"], { type });
  return (
    codes
      .map((code) => ({ code, name: names.of(code) ?? code }))
      // Units that are not used for prices, such as the WIR franc, have no name.
      .filter(({ code, name }) => name !== code)
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map(({ code, name }) => [code, `${name} (${code})`])
  );
}

export const currencies = (): readonly SelectOption[] => named(CURRENCY_CODES, "currency");
export const countries = (): readonly SelectOption[] => named(COUNTRY_CODES, "region");
