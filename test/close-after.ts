import { after } from "node:test";

/** For what all tests of a file share: it is closed after the last of them. */
export function closeAfterTests<T extends AsyncDisposable>(resource: T): T {
  after(() => resource[Symbol.asyncDispose]());
  return resource;
}
