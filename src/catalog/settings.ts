export const INCOMPLETE_ITEMS = ["write", "leave_out"] as const;
/** The channels that refuse items. */
export const INCOMPLETE_ITEMS_CHANNELS = ["openai", "google"] as const;
export type RefusingChannel = (typeof INCOMPLETE_ITEMS_CHANNELS)[number];
export type IncompleteItems = (typeof INCOMPLETE_ITEMS)[number];

/** The settings of a catalog. Feeds need them; sources and items may lack them. */
export type CatalogSettings = {
  /** The currency of prices that name none. */
  readonly currency?: string;
  /** Where the shop sells from, ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly language?: string;
  readonly sellerName?: string;
  /** The brand of items that name none: a shop that makes what it sells. */
  readonly defaultBrand?: string;
  readonly storeUrl?: string;
  readonly privacyPolicyUrl?: string;
  readonly termsUrl?: string;
  readonly returnPolicyUrl?: string;
  readonly acceptsReturns?: boolean;
  readonly returnDays?: number;
  readonly targetCountries?: readonly string[];
  readonly eligibleForSearch?: boolean;
  readonly eligibleForCheckout?: boolean;
  readonly eligibleForAds?: boolean;
  /** An apostrophe is put before cells of `acp.csv` and `gmc.tsv` that a spreadsheet would run as a formula. */
  readonly escapeFormulas?: boolean;
  /** By channel, what happens to items that the channel will refuse: they are written, unless they are left out. */
  readonly incompleteItems?: { readonly [Channel in RefusingChannel]?: IncompleteItems };
};
