/** The texts of the pages about destinations: where files are uploaded to, and what arrived. */
import type { DeliveryErrorCode, DestinationDelivery } from "../../../src/contract/destination-deliveries.ts";
import type { Destination } from "../../../src/contract/destinations.ts";
import { counted } from "../plural.ts";

const STATES: Readonly<Record<DestinationDelivery["state"], string>> = {
  pending: "Waiting",
  sending: "Sending",
  delivered: "Delivered",
  dead: "Given up",
  superseded: "Replaced",
};

const CAUSES: Readonly<Record<DestinationDelivery["cause"], string>> = {
  publication: "after a publication",
  daily: "at its daily time",
  request: "on request",
};

/** What a merchant can do, where the message of the API does not say it. */
const ADVICE: Partial<Readonly<Record<DeliveryErrorCode, string>>> = {
  unauthorized:
    "Check the login: the user name with the password or key, or the headers. With a key, the operator must have its public half (the file with “.pub”).",
  unreachable: "Check the name of the server and the port. The operator may have to allow your IP address.",
  timeout: "Try again. If it stays like this, ask the operator whether the server is overloaded.",
  full: "Ask the operator for more space.",
  feed_missing: "Nothing to do: the file is being made again.",
};

export const destinationTexts = {
  title: "Destinations",
  intro:
    "Shelfwire uploads the files to these places by itself. For services that take pushed files only, such as OpenAI; most others fetch a feed URL.",
  add: "Add a destination",
  empty: "No destination yet. Add one for OpenAI, or for a partner who wants the files on a server.",
  tableLabel: "Destinations of this catalog",
  backToList: "All destinations",
  notFound: "This catalog has no such destination. It may have been removed.",
  columns: {
    name: "Name",
    state: "State",
    last: "Last delivery",
    next: "Next",
    actions: "Actions",
  },
  states: {
    active: "Working",
    failing: "Failing",
    new: "Nothing sent yet",
    paused: "Paused",
    unconfirmed: "Key not confirmed",
    keyChanged: "Server key changed",
  },
  lastOf: "its render",
  neverSent: "never",
  afterPublication: "after the next change",
  notNext: "–",
  facts: {
    kind: "Kind",
    place: "Goes to",
    what: "File",
    when: "When",
    last: "Last delivery",
    next: "Next delivery",
    hostKey: "Confirmed key",
    noHostKey: "not confirmed yet",
    created: "Added",
  },
  kinds: { sftp: "SFTP server", https: "HTTPS upload", acp: "ACP feed API" },
  whenTexts: (destination: Destination) =>
    destination.schedule === "daily"
      ? `Every day at ${destination.daily_at} (${destination.time_zone})`
      : "After every publication with a change, and once a day without one",
  actions: {
    send: "Send now",
    pause: "Pause",
    resume: "Resume",
    queued: "The delivery is queued. Its result appears below.",
  },
  notices: {
    paused: "This destination is paused: nothing is sent by itself. “Send now” still works.",
    unconfirmed:
      "The key of the server is not confirmed yet, so nothing is sent. Test the connection, compare the key, and confirm it.",
    failingSince: "Failing since",
    nextAttempt: "The next attempt is",
    firstDelivery: "Nothing was sent yet. “Send now” sends what is published.",
  },
  choose: {
    title: "Add a destination",
    intro: "Where should the files go?",
    label: "Kinds of destinations",
    types: {
      openai: {
        label: "OpenAI (ChatGPT)",
        sentence:
          "Your products in ChatGPT. OpenAI assigns you a place on its SFTP server after you applied.",
      },
      sftp: {
        label: "SFTP server",
        sentence: "A folder on a server of a partner or of your own, with a user name and a password or key.",
      },
      https: {
        label: "HTTPS upload",
        sentence: "A web address that takes a file by PUT or POST.",
      },
      acp: {
        label: "ACP feed API",
        sentence: "An agent that takes products by the Agentic Commerce Protocol.",
      },
    },
  },
  openai: {
    title: "What you need from OpenAI",
    text: "Apply at chatgpt.com/merchants. After approval, OpenAI sends you a server name, a user name, and a password or the way to register a key. Enter them here; everything else is set as OpenAI wants it.",
    name: "OpenAI (ChatGPT)",
  },
  test: {
    ok: "The connection works: the login succeeded, and a file could be written and removed.",
    okHttps: "The settings are complete. Only a delivery shows whether the receiver takes it.",
    duration: "It took",
    failed: "The connection does not work yet.",
    confirmTitle: "Is this the key of the server?",
    confirmText:
      "Before your login is sent, make sure that you are connected to the right server and not to an impostor. The server showed this fingerprint:",
    confirmHow:
      "Compare it with the fingerprint that the operator names: in the message with your access, on its help pages, or ask. Every character must be the same. If you cannot compare it, do not confirm it.",
    confirm: "It is the same: confirm",
    changedTitle: "The server shows another key than the one you confirmed",
    changedText:
      "Nothing was sent. Either the operator has changed the server, or someone is between you and the server. Ask the operator before you confirm the new key.",
    before: "You confirmed",
    now: "It shows now",
    showKey: "Connect and show the key",
    confirmNew: {
      label: "Confirm the new key…",
      title: "Confirm the new key?",
      confirm: "Confirm the new key",
      text: "Only if the operator told you that the server has a new key, and it is this one:",
    },
  },
  changes: "Settings",
  remove: {
    section: "Remove the destination",
    note: "Nothing more is sent, and its receipts are deleted. Files that were delivered stay where they are.",
    label: "Remove this destination",
    title: (name: string) => `Remove “${name}”?`,
    confirm: "Remove",
  },
  deliveries: {
    title: "Deliveries",
    label: "Deliveries, newest first",
    empty: "Nothing was sent yet. Deliveries follow each publication, or “Send now”.",
    states: STATES,
    causes: CAUSES,
    attempts: (count: number) => counted(count, "attempt"),
    next: "next attempt",
    rendered: "What was sent",
    receipt: "Receipt",
    file: "File",
    size: "Size",
    sha256: "SHA-256",
    sent: (files: number, size: string) => `${counted(files, "file")}, ${size}`,
    facts: {
      started: "Began",
      duration: "Took",
      vanished: "Removed items sent as out of stock",
      replaced: "Earlier files",
      removed: "Files removed at the destination",
      source: "Made from",
    },
    replacedBy: {
      atomic: "replaced at once",
      two_renames: "replaced with two renames: the place was empty for a moment",
      request: "replaced by the receiver",
    } as Readonly<Record<string, string>>,
    superseded: "A newer render was to be sent instead.",
  },
  advice: ADVICE,
} as const;
