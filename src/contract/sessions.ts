/** Signing in to the console. Scripts need no session: they send an API key with every call. */
import { Type } from "./type.ts";
import { Data } from "./shapes.ts";

export const SignIn = Type.Object(
  {
    key: Type.Optional(
      Type.String({ maxLength: 200, description: "An API key.", examples: ["sw_3kTq0ZbW1xYc_…"] }),
    ),
    code: Type.Optional(
      Type.String({ maxLength: 200, description: "The code of a sign-in link. It works once." }),
    ),
  },
  {
    title: "SignIn",
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: "Either a key or a code.",
  },
);

export const SignedInAnswer = Data(
  Type.Object({ signed_in: Type.Literal(true) }),
  "Signed in. The session is in an HttpOnly cookie.",
);

export const SignedOutAnswer = Data(
  Type.Object({ signed_in: Type.Literal(false) }),
  "Signed out. The cookie no longer works.",
);
