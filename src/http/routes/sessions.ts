/** /api/v1/session: signing in to the console and out of it. */
import { SignedInAnswer, SignedOutAnswer, SignIn } from "../../contract/sessions.ts";
import { AppError } from "../../errors.ts";
import { hashToken, redeemSignInCode, SESSION_LIFETIME_S, signIn } from "../../setup/sessions.ts";
import type { Db } from "../../store/db.ts";
import { deleteSession, listSessionKeys } from "../../store/sessions.ts";
import type { Api, ApiDeps } from "../api.ts";
import { findPresentedKey, SESSION_COOKIE, sessionToken } from "../auth.ts";
import type { WrongKeyLimit } from "../wrong-keys.ts";

export function sessionRoutes(api: Api, { db, baseUrl }: ApiDeps, limitWrongKeys: WrongKeyLimit): void {
  const cookie = (token: string, maxAgeS: number): string =>
    [
      `${SESSION_COOKIE}=${token}`,
      "Path=/",
      `Max-Age=${maxAgeS}`,
      "HttpOnly",
      "SameSite=Strict",
      ...(baseUrl.startsWith("https:") ? ["Secure"] : []),
    ].join("; ");

  api.route({
    method: "POST",
    url: "/session",
    scope: null,
    operationId: "signIn",
    summary: "Sign in to the console",
    description:
      "Starts a session in a cookie, with an API key or with the code of a sign-in link. In an open session it adds the key: a session can use several catalogs. For browsers; scripts send their key with each call.",
    body: SignIn,
    answers: { 201: SignedInAnswer },
    problems: [401],
    handler: async ({ request, body: { key, code = "" } }) => {
      const keyId = await limitWrongKeys(request, async () =>
        key === undefined ? redeemed(db, code) : (await findPresentedKey(db, `Bearer ${key}`)).id,
      );
      const token = await signIn(db, keyId, await openSession(db, sessionToken(request)));
      const headers = { "set-cookie": cookie(token, SESSION_LIFETIME_S) };
      return { status: 201, headers, body: { data: { signed_in: true as const } } };
    },
  });

  api.route({
    method: "DELETE",
    url: "/session",
    scope: null,
    operationId: "signOut",
    summary: "Sign out of the console",
    description: "Ends the session of the cookie. Without one it does nothing.",
    answers: { 200: SignedOutAnswer },
    handler: async ({ request }) => {
      const token = sessionToken(request);
      if (token !== undefined) await deleteSession(db, hashToken(token));
      return { headers: { "set-cookie": cookie("", 0) }, body: { data: { signed_in: false as const } } };
    },
  });
}

async function redeemed(db: Db, code: string): Promise<string> {
  const keyId = await redeemSignInCode(db, code);
  if (keyId !== undefined) return keyId;
  throw new AppError(
    "unauthorized",
    'This sign-in link was used before or has expired. On the server, "shelfwire sign-in" prints another; in a clone of the repository, "npm run -s cli -- sign-in".',
  );
}

/** The token, if its session is still open. */
async function openSession(db: Db, token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return (await listSessionKeys(db, hashToken(token))).length > 0 ? token : undefined;
}
