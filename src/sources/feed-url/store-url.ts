/** Relative addresses of a draft, made absolute by the source's own `store_url`. Without one the catalog's counts. */
import type { Draft } from "../../catalog/draft.ts";

const ADDRESSES = ["link", "canonicalLink", "mobileLink", "image"] as const satisfies (keyof Draft)[];
const ADDRESS_LISTS = ["additionalImages", "videos"] as const satisfies (keyof Draft)[];

/** As `catalog/web-address.ts` has it: other texts are no addresses. */
const RELATIVE = /^(?:\/(?!\/)|\.{1,2}\/|\?)/;

export function withStoreUrl(draft: Draft, storeUrl: string | undefined): Draft {
  if (storeUrl === undefined) return draft;
  for (const field of ADDRESSES) {
    const address = draft[field];
    if (address !== undefined && RELATIVE.test(address)) draft[field] = resolved(address, storeUrl);
  }
  for (const field of ADDRESS_LISTS) {
    const addresses = draft[field];
    if (addresses?.some((address) => RELATIVE.test(address)) !== true) continue;
    draft[field] = addresses.map((address) =>
      RELATIVE.test(address) ? resolved(address, storeUrl) : address,
    );
  }
  return draft;
}

function resolved(address: string, storeUrl: string): string {
  return URL.parse(address, storeUrl)?.href ?? address;
}
