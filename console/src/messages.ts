/**
 * The texts that every page needs. Those of single pages are in `messages/`; no text is anywhere else, so that all can
 * be translated.
 */
export const t = {
  productName: "Shelfwire",
  skipToContent: "Skip to the content",
  loading: "Loading…",
  retry: "Try again",
  never: "never",
  requestId: "Request",
  errorCode: "Code",
  copy: {
    done: "Copied",
    byHand: "The browser does not let this page copy. The text is selected: press Ctrl+C (⌘C on a Mac).",
    close: "Close",
  },
  readOnly: "Your key may only read this catalog. Controls that need more say so.",
  list: {
    pages: "Pages of the list",
    firstPage: "First page",
    nextPage: "Next page",
    downloadCsv: "Download as CSV",
  },
  form: {
    optional: "(optional)",
    cancel: "Cancel",
    save: "Save",
    missingScope: (scope: string) => `Needs a key with the scope “${scope}”.`,
    refused: (fields: number) =>
      fields === 1 ? "Correct the field that is marked." : `Correct the ${fields} fields that are marked.`,
    disabled: (scope: string) =>
      `You cannot change these fields: that needs a key with the scope “${scope}”.`,
  },
  run: {
    progress: "Progress of the run",
    status: { running: "Running", succeeded: "Succeeded", failed: "Failed" },
    canceled: "Canceled",
    phases: {
      queued: "Waiting for a worker",
      reading: "Reading the source",
      merging: "Storing the items",
      rendering: "Writing the feeds",
      publishing: "Publishing the feeds",
      removing: "Removing items",
      computing: "Computing the values of items",
    },
  },
  signIn: {
    title: "Sign in",
    intro: "Enter an API key of your catalog. Keys begin with sw_.",
    keyLabel: "API key",
    submit: "Sign in",
    noKey:
      "No key yet? On the server, “shelfwire sign-in” prints a link that signs you in. In a clone of the repository the command is “npm run -s cli -- sign-in”.",
    ended:
      "Your session has ended: you signed out in another tab, its key was revoked or has expired, or 30 days have passed.",
  },
  signOut: "Sign out",
  pageFailed: {
    title: "Page not loaded",
    text: "This page could not be loaded. The server does not answer, or it was updated since this tab was opened.",
    reload: "Reload",
  },
  nav: {
    label: "Catalog",
    overview: "Overview",
    alerts: "Alerts",
    sources: "Sources",
    runs: "Runs",
    feeds: "Feeds",
    audit: "Audit",
    items: "Items",
    proposals: "Proposals",
    rules: "Rules",
    categories: "Categories",
    renders: "Renders",
    destinations: "Destinations",
    webhooks: "Webhooks",
    keys: "Keys",
    settings: "Settings",
    changes: "Changes",
    about: "About",
    apiDocs: "API docs",
  },
  publication: {
    label: "Publication",
    held: "A render is held: the feeds are not updated.",
    servedFrom: "The feed URLs serve files from",
    decide: "Look at it and decide",
    kept: "The catalog has changes that the feeds do not have: you decided to keep the published files.",
    lookAgain: "Look at what was not published",
    paused: "Publication is paused: the feeds stay as they are.",
    pausedSince: "Since",
    pausedBy: (by: string, reason: string) => `by ${by}: ${reason}`,
    waiting: "Look at the render that waits",
    release: {
      label: "Publish again…",
      title: "Publish new renders again?",
      confirm: "Publish again",
      text: "The feeds are rendered now and published, unless they exceed a limit. If the reason for going back still exists, fix it first.",
    },
  },
  restored: {
    label: "Restored copy",
    title: "This is a copy, restored from a backup. It sends nothing.",
    since: "Since",
    text: "no files are uploaded, no webhooks and mails are sent, and sources are synced only when you ask for it.",
    ask: "Whoever runs this installation can make it live with: shelfwire resume",
    resume: {
      label: "Make it live…",
      title: "Make this copy live?",
      confirm: "Make it live",
      text: "It begins to sync sources, and sends what it has published to your destinations, webhooks and mail recipients. If the original still runs, both overwrite each other's files: switch the original off first.",
      withheld:
        "Webhooks that waited when the backup was made are not sent. The original has probably sent them; you find them among the failed deliveries.",
    },
  },
  notFound: {
    title: "Page not found",
    text: "There is no page at this address.",
    home: "Go to the catalogs",
  },
} as const;
