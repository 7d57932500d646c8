/** The codes that the settings of a catalog take, by code. */
import { COUNTRIES, COUNTRY_CURRENCIES, CURRENCIES } from "../lib/iso-codes.ts";

export const COUNTRY_CODES: readonly string[] = [...COUNTRIES];
export const CURRENCY_CODES: readonly string[] = [...CURRENCIES.keys()].sort();

/** The currency of a new catalog that names none; undefined if the country does not say which one. */
export const currencyOfCountry = (country: string): string | undefined => COUNTRY_CURRENCIES.get(country);
