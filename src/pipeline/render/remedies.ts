/** What to do about refused items, by refusal code; the refusal's message says what is wrong. */
const REMEDIES: Readonly<Record<string, string>> = {
  missing_brand:
    "Set the catalog's default brand (default_brand) if the shop sells its own, or give the products a brand in the shop.",
  missing_seller_name: "Set the name of the seller (seller_name).",
  missing_description: "Give the products a description in the shop, or add the column to the feed.",
  missing_link:
    "Add the column with the product pages to the feed, or set link_template so that links are made from another column.",
  missing_image: "Give the products an image in the shop, or add the column to the feed.",
  link_not_public:
    "Set the shop's public address in the shop, or set link_template, so that links lead to the public site.",
  image_not_public: "Set the shop's public address in the shop, so that images lead to the public site.",
  placeholder_image: "Give the products a photo in the shop instead of the placeholder.",
  unknown_availability:
    "Send an availability (in_stock, out_of_stock, preorder or backorder) or a quantity: add the column to the feed, or correct the words that the warnings of the last run list; for a shop's own connector, allow it to read stock.",
  missing_availability_date:
    "Send the date from which the products ship, in the future, or another availability if they ship already.",
  offer_expired: "Change or remove the expiration date, or remove the products from the catalog.",
  id_too_long: "Give the products shorter ids.",
  price_not_positive: "Give the products a price.",
  placeholder_title: "Give the products a title.",
};

export const remedyFor = (code: string): string | undefined => REMEDIES[code];
