/**
 * The entry point for fetch handlers. Nothing it imports uses a Node module, so that it runs in Workers and edge
 * functions.
 */
export type * from "./types.ts";
export { SignatureError, type SignatureErrorCode } from "./signature-error.ts";
export { verifyAsync } from "./verify-async.ts";
