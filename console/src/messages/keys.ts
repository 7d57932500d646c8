/** The texts of the page of API keys. */
export const keyTexts = {
  title: "API keys",
  intro:
    "A key lets a program or a person use this catalog. What it may do depends on its scopes. No scope includes another.",
  own: "Your session",
  ownKey: "The key of your session",
  needsAdmin: (slug: string) =>
    `The list of all keys is shown to keys with the scope “admin”. Ask someone who has one, or make one on the server: shelfwire key create --catalog ${slug} --scopes read,write,admin. In a clone of the repository, write “npm run -s cli --” in place of “shelfwire”.`,
  tableLabel: "Keys of this catalog",
  empty: "This catalog has no key of its own. Programs need one: create it here.",
  columns: {
    name: "Name",
    key: "Key",
    scopes: "Scopes",
    state: "State",
    lastUsed: "Last used",
    expires: "Expires",
    created: "Created",
    actions: "Actions",
  },
  states: { live: "Works", expired: "Expired", revoked: "Revoked" },
  scopes: {
    read: "Sees everything except the list of keys.",
    write: "Syncs, pushes, sources, rules, proposals, webhooks, destinations and feed URLs.",
    admin: "Keys, settings, and removing the catalog.",
  },
  create: {
    label: "Create a key",
    name: "Name",
    nameHelp: "What it is for, such as “nightly export”. It is in the log of changes.",
    scopes: "What it may do",
    scopesNote: "No scope includes another.",
    expires: "It stops working",
    spans: {
      "": "never, until it is revoked",
      "30": "in 30 days",
      "90": "in 90 days",
      "365": "in a year",
    },
    submit: "Create",
  },
  secret: {
    title: "The new key",
    note: "It is shown only now. Store it where the program that uses it can read it, and nowhere else.",
    label: "API key",
    copy: "Copy the key",
  },
  revoke: {
    label: "Revoke",
    title: (name: string) => `Revoke the key “${name}”?`,
    confirm: "Revoke",
    text: "It stops working at once and for good. Programs that use it get the error 401.",
    own: "This is the key of your own session: you are signed out.",
    lastAdmin:
      "This is the last key with the scope “admin”. Without it, only the command line on the server can manage keys and settings.",
    allowLastAdmin: "Revoke it nevertheless",
  },
} as const;
