/** The entry point for Node. Modules of the package do not import it. */
export type * from "./types.ts";
export { sign, signStandard } from "./sign.ts";
export { SignatureError, type SignatureErrorCode } from "./signature-error.ts";
export { verify } from "./verify.ts";
