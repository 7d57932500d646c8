/** What every OpenAI row of a catalog says alike: the seller, the flags and the policies. */
import type { FeedContext } from "../channel.ts";

export type OpenaiStore = {
  readonly slug: string;
  readonly sellerName: string | undefined;
  readonly url: string | undefined;
  readonly privacyPolicyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly returnPolicyUrl: string | undefined;
  readonly acceptsReturns: boolean | undefined;
  readonly returnDays: number | undefined;
  readonly targetCountries: readonly string[] | undefined;
  readonly country: string | undefined;
  readonly isSearchable: boolean;
  readonly isBuyable: boolean;
  readonly isAdvertised: boolean | undefined;
};

export function openaiStore({ catalog, settings }: FeedContext): OpenaiStore {
  const isSearchable = settings.eligibleForSearch ?? true;
  const hasPolicies = settings.privacyPolicyUrl !== undefined && settings.termsUrl !== undefined;
  return {
    slug: catalog.slug,
    sellerName: settings.sellerName ?? (catalog.name === "" ? undefined : catalog.name),
    url: settings.storeUrl,
    privacyPolicyUrl: settings.privacyPolicyUrl,
    termsUrl: settings.termsUrl,
    returnPolicyUrl: settings.returnPolicyUrl,
    acceptsReturns: settings.acceptsReturns,
    returnDays: settings.returnDays,
    targetCountries: settings.targetCountries?.length === 0 ? undefined : settings.targetCountries,
    country: settings.country,
    isSearchable,
    // Checkout without search or without the two policies is refused there, so we do not claim it.
    isBuyable: settings.eligibleForCheckout === true && isSearchable && hasPolicies,
    isAdvertised: settings.eligibleForAds,
  };
}
