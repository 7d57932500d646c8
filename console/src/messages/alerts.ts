/** The texts of the page about alerts, and of who is mailed about them. */
import { counted } from "../plural.ts";

export const alertTexts = {
  title: "Alerts",
  intro: "What needs attention, from when to when. The catalog is checked every minute.",
  tabs: { label: "Alerts by state", open: "Open", resolved: "Resolved" },
  empty: {
    open: "Nothing needs attention.",
    resolved: "Nothing was resolved yet. What is over appears here.",
  },
  severities: { failing: "Failing", attention: "Needs attention" },
  resolved: "Resolved",
  cleared: "Seems to be over",
  clearedNote: "It counts as resolved if it does not come back soon.",
  meanwhile: "Meanwhile:",
  advice: "What to do:",
  since: "Since",
  until: "until",
  times: (count: number) => (count === 0 ? "" : `It came back ${counted(count, "time")} within a day.`),
  notified: "Mailed",
  notMailed: "Not mailed",
  mail: {
    title: "Mail",
    intro:
      "One mail for each new problem, one when it is over, and a digest once a day while something is open. Nothing is repeated while it lasts.",
    notConfigured:
      "This installation cannot send mail yet. Its operator sets SMTP_URL and MAIL_FROM; until then, alerts are shown here only.",
    failing: "The newest mail could not be sent:",
    digest: "Daily digest",
    digests: { on: "Every day, if something is open or happened", off: "Never" },
    save: "Save",
    test: "Send a test mail",
    testNote: "It goes to the saved recipients.",
    sent: "accepted by the mail server",
  },
} as const;
