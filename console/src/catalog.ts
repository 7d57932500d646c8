/** The catalog that the page shows, what the user may do in it, and calls to the API that concern it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { callApi, fetchData } from "./api.ts";
import type { Call } from "./api.ts";

export type Scope = "read" | "write" | "admin";

export type Catalog = {
  readonly slug: string;
  readonly name: string;
  readonly may: (scope: Scope) => boolean;
  /** The address of a page of this catalog: `href("/runs")`. */
  readonly href: (page: string) => string;
  readonly call: (path: string, call?: Call) => Promise<Response>;
  readonly fetch: <T extends { readonly data: unknown }>(path: string, call?: Call) => Promise<T["data"]>;
};

export const makeCatalog = (slug: string, name: string, scopes: readonly string[]): Catalog => ({
  slug,
  name,
  may: (scope) => scopes.includes(scope),
  href: (page) => `/c/${slug}${page}`,
  call: async (path, call) => callApi(path, { ...call, catalog: slug }),
  fetch: async (path, call) => fetchData(path, { ...call, catalog: slug }),
});

export const CurrentCatalog = createContext<Catalog | undefined>(undefined);
/** Undefined on pages that belong to no catalog. */
export const useCatalog = (): Catalog | undefined => useContext(CurrentCatalog);

/** For pages of a catalog. */
export function useThisCatalog(): Catalog {
  const catalog = useCatalog();
  if (!catalog) throw new Error("This page belongs to no catalog.");
  return catalog;
}

/** The scope, if the user's key does not have it. Pages that belong to no catalog need none. */
export function useMissingScope(scope: Scope): Scope | undefined {
  const catalog = useCatalog();
  return catalog && !catalog.may(scope) ? scope : undefined;
}
