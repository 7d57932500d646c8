/** Recognizes who fetches a feed by the User-Agent. The name is not verified: anyone can send any name. */

/** Names in a User-Agent, in lower case, by who sends them. */
const CONSUMERS: Readonly<Record<string, readonly string[]>> = {
  Google: [
    "googlebot",
    "adsbot-google",
    "storebot-google",
    "google-xrawler",
    "feedfetcher-google",
    "googleother",
    "apis-google",
    "mediapartners-google",
    "google-inspectiontool",
  ],
  Microsoft: ["bingbot", "adidxbot", "msnbot", "bingpreview", "microsoftpreview"],
  Meta: ["facebookcatalog", "facebookexternalhit", "facebot", "meta-externalagent", "meta-externalfetcher"],
  OpenAI: ["oai-searchbot", "oai-adsbot", "gptbot", "chatgpt-user"],
  Perplexity: ["perplexitybot", "perplexity-user"],
  Anthropic: ["claudebot", "claude-searchbot", "claude-user"],
  Apple: ["applebot"],
  Amazon: ["amazonbot"],
  Pinterest: ["pinterestbot", "pinterest"],
  TikTok: ["tiktokspider", "bytespider"],
  Criteo: ["criteobot"],
  Yandex: ["yandexbot", "yandexmarket"],
};

export const isKnownConsumer = (name: string): boolean => Object.hasOwn(CONSUMERS, name);

/** Browsers name each other: the first that matches is the one. */
const BROWSERS = [
  ["edg/", "Edge"],
  ["opr/", "Opera"],
  ["firefox/", "Firefox"],
  ["chrome/", "Chrome"],
  ["safari/", "Safari"],
] as const;

const MAX_USER_AGENT = 500;
const MAX_NAME = 40;

/** Returns a known consumer, a browser, or the name of the program; null if the header names none. */
export function consumerOf(userAgent: string | undefined): string | null {
  const text = (userAgent ?? "").slice(0, MAX_USER_AGENT);
  const lower = text.toLowerCase();
  const words = new Set(lower.split(/[^a-z0-9-]/));
  const known = Object.entries(CONSUMERS).find(([, names]) => names.some((name) => words.has(name)));
  if (known) return known[0];
  // Robots that say Mozilla name themselves in the comment: Mozilla/5.0 (compatible; SomeBot/1.0; …).
  const robot = lower.indexOf("compatible;");
  if (robot !== -1) return programName(text.slice(robot + "compatible;".length));
  const browser = lower.startsWith("mozilla/") && BROWSERS.find(([token]) => lower.includes(token));
  return browser ? browser[1] : programName(text);
}

/** The characters of a product name (RFC 9110, 10.1.5) that are harmless anywhere. */
const programName = (text: string): string | null =>
  /^[A-Za-z0-9._-]+/.exec(text.trimStart())?.[0].slice(0, MAX_NAME) ?? null;
