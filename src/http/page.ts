/** What every call that answers in pages is asked with. */
export type PageAsked = { readonly cursor?: string; readonly limit?: number };

export const DEFAULT_LIMIT = 100;
