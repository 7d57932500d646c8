/** Rejections and warnings about items: their codes, which are stable, and what each code means. */

export const REJECTION_CODES = {
  missing_id: "The item has no identifier.",
  missing_title: "The item has no title.",
  missing_price: "The item has no price.",
  invalid_price: "The item's price cannot be read as an exact amount.",
  ambiguous_price:
    "The item's price, such as 1.299, can be read with decimals or with thousands, and the other prices do not show which. Set `decimal_mark`.",
  missing_currency: "The item's price has no currency, and the catalog has no default currency.",
  invalid_currency: "The item's currency is not in ISO 4217, or its sign is shared by several currencies.",
  invalid_id: "The item's identifier cannot be used.",
  unpublished: "The shop marks the item as a draft, archived or hidden.",
  duplicate_item_id: "Another item of the catalog has the same identifier.",
  unreadable_row: "The row breaks the rules of its format.",
} as const;
export type RejectionCode = keyof typeof REJECTION_CODES;

/** `code` is stable; `message` is for people. */
type CodedMessage<Code> = {
  readonly itemId: string | null;
  readonly field: string | null;
  readonly code: Code;
  readonly message: string;
};

/** `position`: where in the source, counted from 1. */
export type Rejection = CodedMessage<RejectionCode> & { readonly position: number };

/** Problems of an item or a source that do not stop it. The documentation prints this list. */
export const WARNING_CODES = {
  // any field
  value_too_long: "The text is longer than the catalog stores; its end is cut off.",
  cut_in_feeds: "The text is longer than OpenAI or Google accept; their feeds carry its beginning.",
  too_many_values: "There are more values than the field holds; those at the end are left out.",
  empty_value: "A change sends an empty value; the field stays as it was. Send null to clear it.",
  incomplete_value: "The value lacks a required part; it is not used.",
  unknown_word: "The word is not known for this field; it is not used.",
  invalid_number: "The value is not a number this field can hold; it is not used.",
  invalid_measure: "The value is not a number with a known unit; it is not used.",
  invalid_date: "The value is not a date, or can be read as two dates; it is not used.",
  missing_link: "The item has no link; OpenAI and Google will refuse it.",
  invalid_url: "The link is not a valid http(s) URL; it is not used.",
  invalid_country: "The value is not an ISO 3166 country code; it is not used.",
  invalid_language: "The value is not a language code; it is not used.",
  // attributes for Google alone
  unknown_category:
    "The Google category is neither an id nor a path of Google's taxonomy; feeds carry it as it is.",
  invalid_attribute: "The value is not of the form that Google documents for the attribute; it is not used.",
  invalid_amount: "The value cannot be read as an exact amount; it is not used.",
  undocumented_word: "Google documents no such word for the attribute; `gmc.tsv` carries it as it is.",
  structured_text_used:
    "The item has a plain and a structured text; Google takes one, and `gmc.tsv` carries the structured one.",
  // identity
  id_from_sku: "The item has no identifier of its own; its SKU is used instead.",
  id_made: "Items have neither an identifier nor an SKU of their own; one is made of product and options.",
  invalid_gtin: "The value is not a GTIN; it is not used.",
  damaged_gtin: "A spreadsheet has removed digits of the GTIN; it is not used. Export the column as text.",
  unusual_gtin: "The GTIN is from a range that does not identify a product for everyone; feeds may omit it.",
  identifiers_contradict:
    "The source declares that the item has no identifiers, but it has; `gmc.tsv` omits the declaration.",
  // the offer
  price_rounded: "The price has more decimals than the currency has; it was rounded half up.",
  zero_price: "The price is zero. The item is in every file, but OpenAI and Google refuse it.",
  currency_conflict:
    "The price and the currency field name different currencies; the one in the price is used.",
  invalid_sale_price: "The sale price cannot be read as an exact amount; it is not used.",
  invalid_list_price: "The list price cannot be read as an exact amount; it is not used.",
  currency_differs: "The amount is in another currency than the price; it is not used.",
  sale_price_not_lower: "The sale price is not lower than the price; it is not used.",
  invalid_sale_window: "The dates of the sale cannot be read, so the sale price is not used either.",
  availability_missing: "The source does not say whether the item is in stock.",
  availability_assumed:
    "The shop's export does not say how many are in stock; what it sells counts as in stock.",
  stock_contradicts:
    "The availability and the quantity contradict each other, such as in stock with a quantity of 0; the availability is used.",
  availability_date_missing: "The item is on pre-order or back-order without a date; Google asks for one.",
  unknown_availability:
    "The availability is a word that is not known; the quantity or the delivery time decides, and without them the item's availability is unknown.",
  unknown_condition: "The condition is a word that is not known; it is not used.",
  invalid_shipping: "The shipping rate has no readable price or country; it is not used.",
  // sources
  encoding_guessed: "The file does not say its encoding and is not UTF-8; the most likely one was used.",
  encoding_uncertain:
    "The file does not say its encoding and is not UTF-8, and its letters suit two encodings; the more likely one was used.",
  duplicate_column: "Two columns have the same name; the first one with a value is used.",
  ragged_row: "The row has more or fewer cells than the header.",
  empty_source: "The source has no items.",
  nothing_published: "The shop marks every item as draft, archived or hidden; there is nothing to publish.",
  left_out: "The shop has products that it does not offer to everyone; they are not in the catalog.",
  source_note: "The shop was read with a limitation; the message says which one and what to do.",
  nothing_to_remove: "The item to be deleted is not in the catalog; nothing was changed.",
  unmapped_column: "The column is not known; its values are not used.",
  missing_column: "A column that items need, or that the settings name, is not in the file.",
} as const;
export type WarningCode = keyof typeof WARNING_CODES;

/** A problem that did not stop the item. */
export type Warning = CodedMessage<WarningCode> & { readonly position: number | null };

/** A warning about the source as a whole, not about one item. */
export function wholeSourceWarning(code: WarningCode, message: string): Warning {
  return { itemId: null, position: null, field: null, code, message };
}
