/** Where the outside rules are written down. */
const MERCHANTS = "https://support.google.com/merchants/answer";
const SEARCH = "https://developers.google.com/search/docs/appearance/structured-data";
const OPENAI = "https://developers.openai.com/commerce/specs/file-upload";

export const REFERENCES = {
  openaiProducts: `${OPENAI}/products`,
  openaiUploads: `${OPENAI}/overview`,
  productData: `${MERCHANTS}/7052112`,
  description: `${MERCHANTS}/6324468`,
  image: `${MERCHANTS}/6324350`,
  price: `${MERCHANTS}/6324371`,
  availability: `${MERCHANTS}/6324448`,
  gtin: `${MERCHANTS}/6324461`,
  restrictedGtin: `${MERCHANTS}/7000684`,
  itemGroup: `${MERCHANTS}/6324507`,
  unitPricing: `${MERCHANTS}/6324455`,
  shipping: `${MERCHANTS}/6324484`,
  merchantListing: `${SEARCH}/merchant-listing`,
  variants: `${SEARCH}/product-variants`,
} as const satisfies Record<string, string>;
