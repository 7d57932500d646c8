/** The codes that the settings of a catalog take, by code. */
import { COUNTRIES, CURRENCIES } from "../lib/iso-codes.ts";

export const COUNTRY_CODES: readonly string[] = [...COUNTRIES];
export const CURRENCY_CODES: readonly string[] = [...CURRENCIES.keys()].sort();
