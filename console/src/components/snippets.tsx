/** Code that verifies deliveries, by language. The texts are those of the documentation; a test compares them. */
import type { JSX } from "preact";
import { webhookTexts } from "../messages/webhooks.ts";
import { useLocation, withQuery } from "../router.tsx";
import curl from "../snippets/check-with-curl.txt";
import node from "../snippets/receive-express.txt";
import php from "../snippets/verify-php.txt";
import python from "../snippets/verify-python.txt";
import { CopyButton } from "./copy-button.tsx";
import { Tabs } from "./ui.tsx";

const t = webhookTexts.verify;
const SNIPPETS = { node, python, php, curl } as const;
type Language = keyof typeof SNIPPETS;
const LANGUAGES = Object.keys(SNIPPETS) as readonly Language[];

/** In single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** With a secret, the command for curl is complete. */
function codeOf(language: Language, url: string, secret: string | undefined): string {
  const code = SNIPPETS[language];
  if (language !== "curl") return code;
  return code
    .replace(/^URL=.*$/m, () => `URL=${quoted(url)}`)
    .replace(/^SECRET=.*$/m, (line) => (secret === undefined ? line : `SECRET=${quoted(secret)}`));
}

export function VerifySnippets({
  url,
  secret,
}: {
  readonly url: string;
  readonly secret?: string;
}): JSX.Element {
  const location = useLocation();
  const named = location.query.get("code");
  const current = LANGUAGES.find((language) => language === named) ?? "node";
  const code = codeOf(current, url, secret);
  return (
    <div class="snippets">
      <p class="muted">{t.note}</p>
      <Tabs
        label={t.label}
        tabs={LANGUAGES.map((language) => ({
          href: withQuery(location, {
            code: language === "node" ? undefined : language,
            cursor: location.query.get("cursor") ?? undefined,
          }),
          text: t.languages[language],
          isCurrent: language === current,
        }))}
      />
      <p class="small muted">{t.notes[current]}</p>
      <pre tabIndex={0} aria-label={t.languages[current]}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={t.copy} />
    </div>
  );
}
