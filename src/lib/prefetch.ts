/**
 * Requests the next page, and no more, while the reader works on one. Nothing keeps running after the reader leaves.
 */
export async function* prefetch<T>(pages: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  let next: Promise<IteratorResult<T, void>> | null = null;
  try {
    for (let page = await pages.next(); page.done !== true; page = await next) {
      next = pages.next();
      // Awaited in the next turn. A reader that leaves earlier must not cause an unhandled rejection.
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    await next?.catch(() => undefined);
    await pages.return();
  }
}
