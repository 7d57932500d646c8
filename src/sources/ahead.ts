/**
 * Pages, one ahead: while a page is being handed out, the next one is asked for already, and never more than that,
 * so that a slow reader is waited for. A reader that leaves, or a failure, leaves nothing running.
 */
export async function* oneAhead<T>(pages: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  let next: Promise<IteratorResult<T, void>> | null = null;
  try {
    for (let page = await pages.next(); page.done !== true; page = await next) {
      next = pages.next();
      // It is awaited at the next turn; a reader that leaves before must not meet its failure as an unhandled one.
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    await next?.catch(() => undefined);
    await pages.return();
  }
}
