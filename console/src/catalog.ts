/** The catalog that the page shows, what the user may do in it, and calls to the API that concern it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { callApi, fetchData } from "./api.ts";
import type { ApiRequest } from "./api.ts";

export type AccessScope = "read" | "write" | "admin";

export type ConsoleCatalog = {
  readonly slug: string;
  readonly name: string;
  readonly may: (scope: AccessScope) => boolean;
  /** The address of a page of this catalog: `href("/runs")`. */
  readonly href: (page: string) => string;
  readonly call: (path: string, call?: ApiRequest) => Promise<Response>;
  readonly fetch: <T extends { readonly data: unknown }>(
    path: string,
    call?: ApiRequest,
  ) => Promise<T["data"]>;
};

export const makeCatalog = (slug: string, name: string, scopes: readonly string[]): ConsoleCatalog => ({
  slug,
  name,
  may: (scope) => scopes.includes(scope),
  href: (page) => `/c/${slug}${page}`,
  call: async (path, call) => callApi(path, { ...call, catalog: slug }),
  fetch: async (path, call) => fetchData(path, { ...call, catalog: slug }),
});

export const CurrentCatalog = createContext<ConsoleCatalog | undefined>(undefined);
/** Undefined on pages that belong to no catalog. */
export const useCatalog = (): ConsoleCatalog | undefined => useContext(CurrentCatalog);

/** For pages of a catalog. */
export function useThisCatalog(): ConsoleCatalog {
  const catalog = useCatalog();
  if (!catalog) throw new Error("This page belongs to no catalog.");
  return catalog;
}

/** The scope, if the user's key does not have it. Pages that belong to no catalog need none. */
export function useMissingScope(scope: AccessScope): AccessScope | undefined {
  const catalog = useCatalog();
  return catalog && !catalog.may(scope) ? scope : undefined;
}
