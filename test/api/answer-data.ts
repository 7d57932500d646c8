/** What an answer of the API has under its one key. */
import type { Answer } from "./running-api.ts";

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of what a test asked for
export const dataOf = <T>(answer: Answer): T => (answer.json as { data: T }).data;

/** All pages of a list; `ask` gets the query of each. */
export async function allPages<Page extends { readonly next_cursor: string | null }>(
  ask: (query: string) => Promise<Page>,
  query: string,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ""; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
    pages.push(await ask(`${query}${cursor && `&cursor=${cursor}`}`));
  return pages;
}
