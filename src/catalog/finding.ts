/** What `normalize` and the sources say about an item: why it was refused, or what is odd about it. */

export const REJECTION_CODES = {
  missing_id: "The item has no identifier.",
  missing_title: "The item has no title.",
  missing_link: "The item has no link.",
  invalid_link: "The item's link is not a usable web address.",
  missing_price: "The item has no price.",
  invalid_price: "The item's price cannot be read as an exact amount.",
  missing_currency: "The item's price has no currency, and the catalog names none.",
  invalid_currency: "The item's currency is not in ISO 4217, or its sign is shared by several currencies.",
  invalid_id: "The item's identifier cannot be used.",
  unpublished: "The shop marks the item as a draft, archived or hidden.",
  duplicate_item_id: "Another item of the catalog has the same identifier.",
  unreadable_row: "The row breaks the rules of its format.",
} as const satisfies Record<string, string>;
export type RejectionCode = keyof typeof REJECTION_CODES;

export type Rejection = {
  readonly itemId: string | null;
  /** Where in the source, counted from 1. */
  readonly position: number;
  readonly field: string | null;
  readonly code: RejectionCode;
  readonly message: string;
};

/** Everything that can be odd about an item or a source without stopping it; the documentation prints this list. */
export const WARNING_CODES = {
  // any field
  value_too_long: "The text is longer than we keep; its end is cut off.",
  cut_in_feeds: "The text is longer than OpenAI or Google take; their feeds carry its beginning.",
  too_many_values: "The list is longer than we keep; its end is cut off.",
  empty_value: "A change sends a value that says nothing; the field stays as it was.",
  incomplete_value: "The value lacks a part that it needs; it is left out.",
  unknown_word: "The word is not one we know for this field; it is left out.",
  invalid_number: "The value is not a number this field can hold; it is left out.",
  invalid_measure: "The value is not a number with a known unit; it is left out.",
  invalid_date: "The value is not an ISO 8601 date; it is left out.",
  invalid_url: "The link is not a usable web address; it is left out.",
  invalid_country: "The value is not an ISO 3166 country code; it is left out.",
  invalid_language: "The value is not a language code; it is left out.",
  // attributes for Google alone
  unknown_category:
    "The Google category is neither an id nor an English path of Google's taxonomy; feeds carry it as it is.",
  invalid_attribute: "The value is not of the form that Google documents for the attribute; it is left out.",
  invalid_amount: "The value cannot be read as an exact amount; it is left out.",
  undocumented_word: "Google documents no such word for the attribute; `gmc.tsv` carries it as it is.",
  structured_text_used:
    "The item has a plain and a structured text; Google takes one, and `gmc.tsv` carries the structured one.",
  // identity
  id_from_sku: "The item has no identifier of its own; its SKU is used instead.",
  id_made: "Items have neither an identifier nor an SKU of their own; one is made of product and options.",
  invalid_gtin: "The value is not a GTIN; it is left out.",
  damaged_gtin: "A spreadsheet has cut digits off the GTIN; it is left out.",
  unusual_gtin:
    "The GTIN is from a range that does not identify a product for everyone; feeds may leave it out.",
  identifiers_contradict:
    "The source declares that the item has no identifiers, but it has; `gmc.tsv` omits the declaration.",
  // the offer
  zero_price: "The price is zero; feeds that forbid this leave the item out.",
  currency_conflict:
    "The price and the currency field name different currencies; the one at the price counts.",
  invalid_sale_price: "The sale price cannot be read as an exact amount; it is left out.",
  invalid_list_price: "The list price cannot be read as an exact amount; it is left out.",
  currency_differs: "The amount is in another currency than the price; it is left out.",
  sale_price_not_lower: "The sale price is not lower than the price; it is left out.",
  invalid_sale_window: "The dates of the sale cannot be read, so the sale price is left out as well.",
  availability_missing: "The source does not say whether the item is in stock.",
  availability_assumed:
    "The shop's export does not say how many are in stock; what it sells counts as in stock.",
  availability_date_missing: "The item is on pre-order or back-order without a date; Google asks for one.",
  unknown_availability: "The source says in unknown words whether the item is in stock.",
  unknown_condition:
    "The condition is stated in unknown words; the item is listed as used, so that used goods never look new.",
  invalid_shipping: "The shipping rate has no readable price or country; it is left out.",
  // sources
  encoding_guessed: "The file does not say its encoding and is not UTF-8; the likeliest one was used.",
  duplicate_column: "Two columns have the same name; the first that has a value counts.",
  ragged_row: "The row has more or fewer cells than the header.",
  empty_source: "The source has no items.",
  nothing_published: "The shop marks every item as draft, archived or hidden; there is nothing to publish.",
  left_out: "The shop has products that it does not offer to everyone; they are not in the catalog.",
  source_note: "The shop could be read, but not as it should be; the message says what to look at.",
  nothing_to_remove: "The item to be deleted is not in the catalog; there is nothing to do.",
  unmapped_column: "The column is not one we know; its values are not used.",
  missing_column: "A column that items need, or that the settings name, is not in the file.",
} as const satisfies Record<string, string>;
export type WarningCode = keyof typeof WARNING_CODES;

/** Something odd that did not stop the item. `code` is stable; `message` is for a person. */
export type Warning = {
  readonly itemId: string | null;
  readonly position: number | null;
  readonly field: string | null;
  readonly code: WarningCode;
  readonly message: string;
};
