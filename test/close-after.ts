import { after } from "node:test";

/** Closes a resource that all tests of a file share after the last test. */
export function closeAfterTests<T extends AsyncDisposable>(resource: T): T {
  after(() => resource[Symbol.asyncDispose]());
  return resource;
}
